"""Every setting, declared once: the settings pages, the file and its checks all follow from this tuple."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from agent_core.config.profile import GateSettings
from agent_core.config.section import texts
from agent_core.config.toml_source import nearest
from agent_core.config.values import (
    BadValue,
    as_count,
    as_duration,
    as_money,
    as_seconds,
    as_share,
    as_text,
    shown,
    written_duration,
)
from agent_core.model.action import Reversibility
from agent_core.model.budget import AtLimit, Limits

Value = str | bool | int | float | Decimal | list[str] | None


class Page(StrEnum):
    """The page that a setting stands on."""

    GENERAL = "general"
    BUDGETS = "budgets"
    POLICIES = "policies"


class Kind(StrEnum):
    """What a setting holds, and so which field edits it. DURATION holds seconds, SHARE a number from 0 to 1."""

    CHOICE = "choice"
    FLAG = "flag"
    COUNT = "count"
    MONEY = "money"
    DURATION = "duration"
    SECONDS = "seconds"
    SHARE = "share"
    TEXT = "text"
    TEXTS = "texts"
    TIME = "time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting. `key` is its table and name in the file; an `optional` one may be None: left out of the file."""

    key: str
    page: Page
    kind: Kind
    default: Value
    title: str
    help: str
    choices: tuple[str, ...] = ()
    """The words of a choice, or of the members of a list."""
    low: int = 0
    high: int = 10**12
    optional: bool = False

    @property
    def table(self) -> str:
        """The table in the file."""
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        """The name in that table."""
        return self.key.partition(".")[2]

    def convert(self, value: object) -> Value:
        """The value as code uses it, from TOML or a form; raises BadValue."""
        if self.kind is Kind.FLAG:
            if not isinstance(value, bool):
                raise BadValue(f"must be true or false, not {shown(value)}")
            return value
        if self.kind is Kind.CHOICE:
            return _chosen(value, self.choices)
        if self.kind is Kind.COUNT:
            return as_count(value, self.low, self.high)
        if self.kind is Kind.TEXTS:
            items = texts(value)
            return [_chosen(item, self.choices) for item in items] if self.choices else items
        return _CONVERTERS[self.kind](value)

    def written(self, value: Value) -> Any:
        """A converted value as the file holds it."""
        if isinstance(value, Decimal):
            return format(value, "f")
        if self.kind is Kind.DURATION and isinstance(value, int | float):
            return written_duration(value)
        return value


def _chosen(value: object, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise BadValue(f"cannot be {shown(value)}{nearest(str(value), choices)}")
    return str(value)


def _as_time(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value, re.ASCII):
        raise BadValue(f'must be a time of day such as "22:00", not {shown(value)}')
    return value


_CONVERTERS: dict[Kind, Callable[[object], Value]] = {
    Kind.MONEY: as_money,
    Kind.DURATION: as_duration,
    Kind.SECONDS: as_seconds,
    Kind.SHARE: as_share,
    Kind.TEXT: as_text,
    Kind.TIME: _as_time,
}

_LIMITS, _GATE = Limits(), GateSettings()


def _then(name: str, title: str) -> Setting:
    """What happens at a limit."""
    return Setting(
        key=f"budgets.{name}_then", page=Page.BUDGETS, kind=Kind.CHOICE, default=AtLimit.ASK.value,
        choices=tuple(choice.value for choice in AtLimit), title=f"At the limit of {title}",
        help="What happens when a run reaches it.",
    )  # fmt: skip


SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="general.theme", page=Page.GENERAL, kind=Kind.CHOICE, default="system", choices=("system", "light", "dark"),
        title="Theme", help="Light, dark, or whichever the desktop has.",
    ),
    Setting(
        key="general.scale", page=Page.GENERAL, kind=Kind.COUNT, default=100, low=90, high=150,
        title="Text size", help="In percent of the normal size, from 90 to 150.",
    ),
    Setting(
        key="general.reduced_motion", page=Page.GENERAL, kind=Kind.FLAG, default=False,
        title="Reduced motion", help="Changes show at once instead of moving.",
    ),
    Setting(
        key="general.high_contrast", page=Page.GENERAL, kind=Kind.FLAG, default=False,
        title="High contrast", help="Stronger lines and words, also where the desktop does not ask for them.",
    ),
    Setting(
        key="general.hold_alternative", page=Page.GENERAL, kind=Kind.FLAG, default=False,
        title="Press twice instead of holding",
        help="For irreversible approvals, when holding a key or button down is difficult.",
    ),
    Setting(
        key="general.keep_running", page=Page.GENERAL, kind=Kind.FLAG, default=False,
        title="Keep agents running when the window is closed",
        help="Where the desktop has a tray: closing hides the window, and Quit in the tray's menu ends everything.",
    ),
    Setting(
        key="alerts.level", page=Page.GENERAL, kind=Kind.CHOICE, default="all", choices=("all", "urgent", "none"),
        title="Notes on the desktop",
        help="While another window is in front. Urgent: irreversible actions, unknown outcomes and exceptions only.",
    ),
    Setting(
        key="alerts.quiet_from", page=Page.GENERAL, kind=Kind.TIME, default=None, optional=True,
        title="Quiet from", help="From this time of day on, only unknown outcomes are told. Needs an end.",
    ),
    Setting(
        key="alerts.quiet_until", page=Page.GENERAL, kind=Kind.TIME, default=None, optional=True,
        title="Quiet until", help="The end of the quiet hours.",
    ),
    Setting(
        key="budgets.day_limit_usd", page=Page.BUDGETS, kind=Kind.MONEY, default=None, optional=True,
        title="Day limit", help="US dollars that all sessions together may spend in a day.",
    ),
    Setting(
        key="budgets.steps", page=Page.BUDGETS, kind=Kind.COUNT, default=_LIMITS.steps,
        title="Steps", help="Model responses that one run may take, where its profile sets no limit.",
    ),
    Setting(
        key="budgets.tool_calls", page=Page.BUDGETS, kind=Kind.COUNT, default=_LIMITS.tool_calls,
        title="Tool calls", help="Tool calls that one run may make, where its profile sets no limit.",
    ),
    Setting(
        key="budgets.tokens", page=Page.BUDGETS, kind=Kind.COUNT, default=_LIMITS.tokens,
        title="Tokens", help="Tokens of all kinds that one run may use, where its profile sets no limit.",
    ),
    Setting(
        key="budgets.cost_usd", page=Page.BUDGETS, kind=Kind.MONEY, default=_LIMITS.cost_usd,
        title="Cost", help="US dollars that one run may cost, where its profile sets no limit and the price is known.",
    ),
    Setting(
        key="budgets.tree_cost_usd", page=Page.BUDGETS, kind=Kind.MONEY, default=None, optional=True,
        title="Cost with forks",
        help="US dollars that a session may cost with all its runs and every session forked from it.",
    ),
    Setting(
        key="budgets.seconds", page=Page.BUDGETS, kind=Kind.SECONDS, default=_LIMITS.seconds,
        title="Active time", help="Seconds that one run may work; waiting for a person does not count.",
    ),
    _then("steps", "steps"),
    _then("tool_calls", "tool calls"),
    _then("tokens", "tokens"),
    _then("cost_usd", "cost"),
    _then("tree_cost_usd", "cost with forks"),
    _then("seconds", "active time"),
    _then("day_limit_usd", "the day"),
    Setting(
        key="policies.confidence", page=Page.POLICIES, kind=Kind.SHARE, default=_GATE.confidence,
        title="Confidence threshold", help="An action that scores below it always asks.",
    ),
    Setting(
        key="policies.approve_within", page=Page.POLICIES, kind=Kind.DURATION, default=_GATE.approve_within,
        title="Time to decide", help="How long a card waits for a person.",
    ),
    Setting(
        key="policies.on_deadline", page=Page.POLICIES, kind=Kind.CHOICE, default=_GATE.on_deadline.value,
        choices=("cancel", "escalate", "stop"), title="When nobody decides", help="Silence never approves.",
    ),
    Setting(
        key="policies.escalate_to", page=Page.POLICIES, kind=Kind.TEXT, default=None, optional=True,
        title="Escalate to", help="Who decides when nobody did, or when an operator passes a card on.",
    ),
    Setting(
        key="policies.require_console", page=Page.POLICIES, kind=Kind.TEXTS, default=[],
        choices=tuple(item.value for item in Reversibility), title="Decide only at the console",
        help="Actions of these kinds are refused on the command line and in decision files.",
    ),
    Setting(
        key="policies.operators", page=Page.POLICIES, kind=Kind.TEXTS, default=[],
        title="Operators", help="Who may decide. Empty: everyone who can use this home.",
    ),
)  # fmt: skip

BY_KEY: dict[str, Setting] = {setting.key: setting for setting in SETTINGS}
