"""Words of single settings: choices, what a limit does, and what is wrong with what was typed. Pure."""

from agent_core.config.settings_list import Setting, Value
from agent_core.config.values import BadValue
from agent_core.model.budget import AtLimit, LimitName
from ui.models.typed_values import from_typed

_CHOICES = {
    "policies.on_deadline": {
        "cancel": "The call is cancelled",
        "escalate": "It escalates",
        "stop": "The run stops",
    },
    "policies.require_console": {
        "reversible": "Reversible",
        "partly_reversible": "Partly reversible",
        "irreversible": "Irreversible",
    },
    "general.theme": {"system": "As the desktop", "light": "Light", "dark": "Dark"},
}
_EMPTY = {
    "budgets.day_limit_usd": "no limit",
    "budgets.tree_cost_usd": "no limit",
    "policies.escalate_to": "nobody",
    "policies.operators": "everyone",
}
LIMIT_KEYS = {f"budgets.{name.value}": name for name in LimitName}
THEN_SUFFIX = "_then"
"""Ends the keys of what happens at a limit."""
_THEN = {AtLimit.ASK: "Ask me", AtLimit.FINISH: "Stop with partial result", AtLimit.PAUSE_ALL: "Pause all, ask me"}


def choice_words(setting: Setting, choice: str) -> str:
    """A choice as people read it."""
    if setting.key.endswith(THEN_SUFFIX):
        return _THEN[AtLimit(choice)]
    return _CHOICES.get(setting.key, {}).get(choice, choice.replace("_", " ").capitalize())


def empty_words(setting: Setting) -> str:
    """What an empty field means."""
    return _EMPTY.get(setting.key, "not set" if setting.optional else "")


def typed_value(setting: Setting, typed: str) -> Value:
    """The value of what was typed, None where the field is empty and may be; raises BadValue."""
    value = from_typed(setting.kind, typed)
    if value is None:
        if setting.optional:
            return None
        raise BadValue("needs a value")
    return setting.convert(value)


def typed_problem(setting: Setting, typed: str) -> str:
    """Why what was typed cannot be saved, in one sentence; "" when it can."""
    try:
        typed_value(setting, typed)
    except BadValue as error:
        return f"{setting.title} {error}."
    return ""
