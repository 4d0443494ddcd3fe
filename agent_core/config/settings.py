"""Settings of one home: read strictly, written back atomically with all comments kept, watched by observers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec

from agent_core.config.atomic_file import write_atomically
from agent_core.config.home import Home
from agent_core.config.profile import GateSettings, Rule, RuleScope
from agent_core.config.rules_file import read_rules, rule_id
from agent_core.config.section import Section
from agent_core.config.settings_list import BY_KEY, SETTINGS, Value
from agent_core.config.toml_source import TomlSource, nearest
from agent_core.config.tool_names import TOOL_NAMES
from agent_core.config.values import BadValue
from agent_core.model.budget import AtLimit, LimitName, Limits, Scope
from agent_core.model.errors import InputError, StorageError
from agent_core.model.proposal import DeadlineOutcome

Listener = Callable[[str], None]
"""Called with the key that changed; ``"rules"`` for the standing rules."""


@dataclass(slots=True)
class Settings:
    """The values of every declared setting, and the standing rules.

    `problem` is the sentence that refuses the file, when a window was opened in spite of it: then the values are the
    defaults, which the window has to say, nothing can be saved, and no agent may start on them.
    """

    home: Home
    values: dict[str, Value]
    rules: list[Rule]
    problem: str | None = None
    _listeners: list[Listener] = field(default_factory=list)

    @classmethod
    def read(cls, home: Home) -> "Settings":
        """The settings of a home; raises ProfileError for a file that cannot be understood. No file: the defaults."""
        values, rules = _read(home)
        return cls(home, values, rules)

    @classmethod
    def open(cls, home: Home) -> "Settings":
        """As `read`, for a window, which opens in any case: `problem` says what is wrong with the file."""
        try:
            return cls.read(home)
        except InputError as error:
            said = str(error)
            end = "" if said.endswith((".", "?")) else "."
            said += f"{end} The file is left as it is; until it is mended, no run starts and the defaults are shown."
            return cls(home, _defaults(), [], said)

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    @property
    def day_limit_usd(self) -> Decimal | None:
        """What all sessions may spend in a day; None where no limit is set."""
        limit: Decimal | None = self["budgets.day_limit_usd"]
        return limit

    @property
    def limits(self) -> Limits:
        """The limits of runs whose profile sets none."""
        return Limits(**{name: self[f"budgets.{name}"] for name in Limits.__struct_fields__})

    def at_limit(self, name: LimitName, scope: Scope) -> AtLimit:
        """What happens when a limit is reached."""
        limit = "day_limit_usd" if scope is Scope.DAY else name.value
        return AtLimit(self[f"budgets.{limit}_then"])

    @property
    def gate(self) -> GateSettings:
        """How the gate asks where a profile does not say."""
        return GateSettings(
            confidence=self["policies.confidence"],
            approve_within=self["policies.approve_within"],
            on_deadline=DeadlineOutcome(self["policies.on_deadline"]),
            escalate_to=self["policies.escalate_to"],
            require_console=self["policies.require_console"],
        )

    def change(self, key: str, value: object) -> None:
        """Set and save one setting; None puts its default back. Raises InputError, and then nothing has changed."""
        setting = BY_KEY.get(key)
        if setting is None:
            raise InputError(f'There is no setting "{key}"{nearest(key, BY_KEY)}')
        try:
            converted = setting.default if value is None else setting.convert(value)
        except BadValue as error:
            raise InputError(f"{setting.title} {error}") from None
        if problem := _at_odds({**self.values, key: converted}):
            raise InputError(problem)
        written = None if converted == setting.default else setting.written(converted)
        self._save(lambda document: _put(document, setting.table, setting.name, written))
        self.values[key] = converted
        self._tell(key)

    def change_rules(self, rules: Sequence[Rule]) -> None:
        """Replace the standing rules and save them."""
        named = [msgspec.structs.replace(rule, rule_id=rule_id(rule)) for rule in rules]
        self._save(lambda document: _put_rules(document, named))
        self.rules = named
        self._tell("rules")

    def reload(self) -> None:
        """Read the file again and tell of each key that was changed elsewhere. Raises ProfileError; nothing changes."""
        values, rules = _read(self.home)
        changed = [key for key in values if values[key] != self.values[key]]
        changed += ["rules"] if rules != self.rules else []
        self.values, self.rules, self.problem = values, rules, None
        for key in changed:
            self._tell(key)

    def observe(self, listener: Listener) -> Callable[[], None]:
        """Be told of every change from now on; call what comes back to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def _tell(self, key: str) -> None:
        for listener in tuple(self._listeners):
            listener(key)

    def _save(self, edit: Callable[[Any], None]) -> None:
        """Edit the file as it is now. What could not be read back is refused, and a broken file is not written over."""
        import tomlkit

        if self.problem is not None:
            raise InputError(self.problem)
        path = self.home.settings
        try:
            _read(self.home)
            document = tomlkit.parse(path.read_text(encoding="utf-8-sig") if path.exists() else "")
            edit(document)
            text = tomlkit.dumps(document)
            _values(TomlSource.parse(path.name, text), datetime.now(UTC))
            write_atomically(path, text.encode())
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StorageError(f"The settings could not be saved to {path}: {reason}") from error


def _defaults() -> dict[str, Value]:
    return {setting.key: setting.default for setting in SETTINGS}


def _read(home: Home) -> tuple[dict[str, Value], list[Rule]]:
    if not home.settings.exists():
        return _defaults(), []
    saved_at = datetime.fromtimestamp(home.settings.stat().st_mtime, UTC)
    return _values(TomlSource.read(home.settings), saved_at)


def _values(source: TomlSource, saved_at: datetime) -> tuple[dict[str, Value], list[Rule]]:
    tables = tuple(dict.fromkeys(setting.table for setting in SETTINGS))
    top = Section(source, (), source.data, (*tables, "rules"))
    values = _defaults()
    for table in tables:
        declared = [setting for setting in SETTINGS if setting.table == table]
        section = top.section(table, [setting.name for setting in declared])
        for setting in declared:
            values[setting.key] = section.take(setting.name, setting.convert, setting.default)
    if problem := _at_odds(values):
        raise source.refusal(("policies", "on_deadline"), problem)
    return values, read_rules(top, saved_at, TOOL_NAMES, RuleScope.ALWAYS)


def _at_odds(values: dict[str, Value]) -> str | None:
    """Why two values cannot hold together; None when they can."""
    if values["policies.on_deadline"] == DeadlineOutcome.ESCALATE and values["policies.escalate_to"] is None:
        return "A card can only escalate once escalate_to in [policies] names somebody"
    return None


def _put(document: Any, table: str, name: str, value: Any) -> None:
    """Set or remove one key; the table is made where it is missing."""
    if value is None:
        if table in document:
            document[table].pop(name, None)
        return
    document.setdefault(table, {})[name] = value


def _put_rules(document: Any, rules: Sequence[Rule]) -> None:
    import tomlkit

    document.pop("rules", None)
    if not rules:
        return
    tables = tomlkit.aot()
    for rule in rules:
        table = tomlkit.table()
        for key, value in msgspec.to_builtins(msgspec.structs.replace(rule, rule_id="")).items():
            table.add(key, value)
        tables.append(table)
    document.append("rules", tables)
