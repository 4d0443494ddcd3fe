"""What is said of the model's key: where it lies, whom it goes to, and what to do about it. Pure."""

from dataclasses import dataclass
from pathlib import Path

from agent_core.config.secret_store import SecretPlace
from agent_core.config.secrets import DEFAULT_ADDRESS, ModelKey
from ui.tokens import ToneName


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """A chip, its tone and icon, and a sentence beside it. `editable`: it can be changed here."""

    chip: str
    tone: ToneName
    icon: str
    sentence: str
    editable: bool = True
    removable: bool = False


def key_status(key: ModelKey | None) -> KeyStatus:
    """How the key stands; None: it has not been read yet."""
    if key is None:
        return KeyStatus("looking", "neutral", "hourglass", "Asking the keyring…", editable=False)
    if key.place is SecretPlace.ENVIRONMENT:
        return _from_environment(key)
    if key.place is SecretPlace.KEYRING:
        if key.key is None:
            return KeyStatus("cannot be read", "attn", "triangle-alert", key.note, removable=True)
        return KeyStatus(
            f"key {key.hint}", "plain", "lock", f"{key.note} It goes to {key.address} only.", removable=True
        )
    if key.place is SecretPlace.SESSION:
        sentence = f"{key.note} It is gone when Pilothouse ends."
        return KeyStatus(f"key {key.hint}, this session only", "attn", "clock", sentence, removable=True)
    return KeyStatus("no key", "plain", "circle-dashed", key.note)


def _from_environment(key: ModelKey) -> KeyStatus:
    if key.key is None:
        sentence = f"{key.note} {key.address} gets no key: a key of another place could be anybody's."
        return KeyStatus("address without key", "attn", "triangle-alert", sentence, editable=False)
    sentence = (
        f"From the environment (ANTHROPIC_API_KEY). It goes to {key.address} only. "
        "It is read-only here: change it where it is set."
    )
    return KeyStatus(f"key {key.hint}", "plain", "terminal", sentence, editable=False)


def key_problem(typed: str) -> str:
    """Why a text cannot be a key; "" when it can."""
    bare = typed.strip()
    if not bare:
        return "Paste the key first."
    if not bare.isascii() or not bare.isprintable() or " " in bare:
        return "A key is one word of printable characters; copy it again from the service’s page."
    return ""


def address_problem(typed: str) -> str:
    """Why a text cannot be the address of the model's service; "" when it can, or when it is left empty."""
    bare = typed.strip()
    local = bare.startswith(("http://127.0.0.1", "http://localhost", "http://[::1]"))
    if not bare or local or (bare.startswith("https://") and len(bare) > len("https://")):
        return "The address holds a space." if " " in bare else ""
    if bare.startswith("http://"):
        return "A key is only sent over https, or to this computer (http://127.0.0.1)."
    return f"An address looks like {DEFAULT_ADDRESS}."


def place_words(path: Path, user: Path) -> str:
    """A folder as people write it: "~/.local/share/pilothouse"."""
    return f"~/{path.relative_to(user).as_posix()}" if path.is_relative_to(user) else str(path)
