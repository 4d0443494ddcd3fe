"""What every kind of event has in common."""

from typing import ClassVar

import msgspec


class EventData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of every event's data; `kind` is its name in the journal."""

    kind: ClassVar[str]


class AskedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call that the model asked for: our id, the provider's id, the tool and the place of its block."""

    call_id: str
    tool_use_id: str
    tool: str
    block: int
