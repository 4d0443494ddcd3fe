"""Events of the home: they belong to no session and stand in the chain "home"."""

from typing import Any

from agent_core.model.events.base import EventData


class HaltSet(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Everything is stopped, and nothing starts, until released."""

    kind = "halt_set"
    by: str
    force: bool = False
    reason: str = ""


class HaltReleased(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The halt flag was lifted."""

    kind = "halt_released"
    by: str


class Restored(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A backup was put back; names the heads that it sets back."""

    kind = "restored"
    by: str
    heads: dict[str, str]
    signature: str = ""
    key_id: str = ""


class OperatorKeyAdded(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A public key of an operator is known from here on (Ed25519, hex)."""

    kind = "operator_key_added"
    operator: str
    key_id: str
    public_key: str
    place: str
    """Where the private key lives: keyring or file."""


class RulesChanged(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The standing rules were saved: the whole set, so that any version can be shown and put back."""

    kind = "rules_changed"
    by: str
    why: str
    rules: list[dict[str, Any]]


class SettingChanged(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A setting was changed in the window, by whom and why; values as the file writes them, empty for none."""

    kind = "setting_changed"
    key: str
    old: str
    new: str
    by: str
    why: str = ""
