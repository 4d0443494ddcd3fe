"""Operators in words: who they are, where their keys lie, and whether a passphrase stands before them. Pure."""

from dataclasses import dataclass

from agent_core.model.intents import OperatorProfile
from ui.tokens import ToneName
from ui.widgets.table import Cell, Column

COLUMNS = (
    Column("Operator", 130, stretch=1, color="text", role="secondary_medium"),
    Column("May decide", 96),
    Column("Passphrase", 110),
    Column("Key", 150, role="mono"),
    Column("Where it lies", 180, stretch=2, role="mono"),
)


@dataclass(frozen=True, slots=True)
class Standing:
    """How somebody stands with their passphrase: a chip and a sentence."""

    chip: str
    tone: ToneName
    icon: str
    sentence: str


def standing(profile: OperatorProfile) -> Standing:
    """What the card about oneself says."""
    if not profile.key_id:
        words = "A key is made with the first decision, or with a passphrase."
        return Standing("no key yet", "plain", "key-round", words)
    if not profile.reachable:
        words = "The key cannot be reached from here, so nothing can be decided here."
        return Standing("out of reach", "dang", "octagon-alert", words)
    if not profile.protected:
        words = "Whoever uses this account can decide under this name. A passphrase keeps the key shut to others."
        return Standing("no passphrase", "plain", "lock-open", words)
    if profile.unlocked:
        words = "Decisions are signed without asking for it again until the window closes."
        return Standing("passphrase given", "plain", "lock-open", words)
    return Standing("with a passphrase", "plain", "lock", "It is asked for with the first decision after each start.")


def cells(profile: OperatorProfile, me: str) -> list[Cell | str]:
    """The row of one operator."""
    name = f"{profile.name} (you)" if profile.name == me else profile.name
    may = "yes" if profile.may_decide else Cell("no", "attn")
    if not profile.key_id:
        return [name, may, "", "", "no key yet"]
    where = profile.place if profile.reachable else Cell(f"{profile.place}, out of reach", "dang", "mono")
    return [name, may, Cell("yes", icon="lock") if profile.protected else "no", profile.key_id, where]
