"""The tools that this version has, and the ones that a profile may use: definitions, rationale, facts."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from pydantic import ValidationError

from agent_core.config.profile import PatternName, Profile
from agent_core.config.tool_names import DEMO_TOOL_NAMES, LATER_TOOLS
from agent_core.model.action import Rationale
from agent_core.model.engine_tools import NO_STEPS
from agent_core.model.errors import NotInThisVersion, ProfileError
from agent_core.model.text import clean, clean_json
from agent_core.tools.ask import AskOperator
from agent_core.tools.bank import BankPay
from agent_core.tools.base import Arguments, Tool, fail
from agent_core.tools.email import EmailSend
from agent_core.tools.files_delete import FilesDelete
from agent_core.tools.files_edit import FilesEdit
from agent_core.tools.files_move import FilesMove
from agent_core.tools.files_read import FilesList, FilesRead
from agent_core.tools.files_search import FilesSearch
from agent_core.tools.files_write import FilesWrite
from agent_core.tools.finish import Finish
from agent_core.tools.notes import NotesRead, NotesWrite
from agent_core.tools.plan import PlanReport, PlanSubmit

TOOLS: tuple[Tool, ...] = (
    FilesList(),
    FilesRead(),
    FilesSearch(),
    FilesWrite(),
    FilesEdit(),
    FilesMove(),
    FilesDelete(),
    NotesRead(),
    NotesWrite(),
    AskOperator(),
    Finish(),
    EmailSend(),
)
"""Every tool of this version. Adding one is its file and its name here."""

DEMO_TOOLS: tuple[Tool, ...] = (BankPay(),)
"""Stand-ins for services that reach nothing. To every session but a demo they do not exist."""

PATTERN_TOOLS: dict[PatternName, tuple[Tool, ...]] = {PatternName.PLAN_EXECUTE: (PlanSubmit(), PlanReport())}
"""Tools that a loop pattern brings with it; no profile lists them."""

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
"""What the Messages API accepts as a tool's name."""

RATIONALE = "rationale"
OTHER_RATIONALE = "pilothouse_rationale"
"""Used where a tool has an argument of its own that is called `rationale`."""
PLAN_STEP = "plan_step"
"""The argument that names the step of the plan that a call serves; only where a pattern makes plans."""

_RATIONALE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Your reasons, shown to the operator as your own words.",
    "properties": {
        "why": {"type": "string", "description": "Why this call serves the goal."},
        "risks": {"type": "string", "description": "What could go wrong."},
        "evidence": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The results that it rests on, such as file names.",
        },
    },
    "required": ["why", "risks", "evidence"],
}


_STEP_SCHEMA: dict[str, Any] = {
    "type": "string",
    "description": "The id of the plan's step that this call serves. Leave it out while no plan is in force.",
}


_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not an argument of this tool",
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
}
"""Pydantic's error types in our words; the others come in its own, without their beginning."""
_PYDANTIC = re.compile(r"^(Value error, |(Input|List|String|Dictionary) (?=should ))")


class Registry:
    """Tools by name, in the order of the manifest."""

    def __init__(self, tools: Sequence[Tool] = TOOLS, pattern: PatternName = PatternName.REACT) -> None:
        """Raises ValueError for a name that no request can carry or that is there twice."""
        own = PATTERN_TOOLS.get(pattern, ())
        tools = [*tools, *own]
        self.of_pattern = [tool.name for tool in own]
        """Names of the tools that the pattern brings."""
        self._planned = pattern is PatternName.PLAN_EXECUTE
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if not NAME.fullmatch(tool.name):
                raise ValueError(f"the tool name {tool.name!r} must be 1 to 128 letters, digits, _ or -")
            if tool.name in self._tools:
                raise ValueError(f'two tools are called "{tool.name}"')
            self._tools[tool.name] = tool

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    @property
    def names(self) -> list[str]:
        """The names, in order."""
        return list(self._tools)

    def for_profile(self, profile: Profile, demo: bool) -> "Registry":
        """The tools that a profile lists. Raises ProfileError or NotInThisVersion, naming the nearest spelling."""
        known = Registry([*self, *DEMO_TOOLS]) if demo else self
        chosen = [known._named(entry.name) for entry in profile.tools]
        staged = [entry.name for entry in profile.tools if entry.staging and not known._named(entry.name).draft_ending]
        if staged:
            raise ProfileError(f'"{staged[0]}" makes no drafts, so it cannot have staging = true')
        real = [tool.name for tool in chosen if demo and tool.real]
        if real:
            raise ProfileError(f'A demo session cannot use "{real[0]}": it reaches the real world')
        return Registry(chosen, profile.pattern)

    def find(self, name: str) -> Tool:
        """The tool of that name; raises ToolFailure `unknown_tool`, which lists what there is."""
        tool = self._tools.get(name)
        if tool is None:
            near = get_close_matches(name, self._tools, n=1)
            meant = f'Did you mean "{near[0]}"? ' if near else ""
            message = f'There is no tool "{clean(name)[:128]}" here.'
            fail("unknown_tool", message, f"{meant}Available: {', '.join(self._tools) or 'none'}.")
        return tool

    def validate(self, tool: Tool, arguments: dict[str, Any]) -> Arguments:
        """The arguments as the tool takes them; raises ToolFailure `invalid`, which names every fault."""
        if clean_json(arguments) != arguments:
            fail("invalid", f"{tool.name}: the arguments hold half a character or a NUL.", "Send whole characters.")
        try:
            return tool.arguments.model_validate(arguments)
        except ValidationError as error:
            fail("invalid", f"{tool.name}: {_faults(error)}.", f"The arguments are {_signature(tool)}.")

    def schema(self, name: str) -> dict[str, Any]:
        """JSON Schema of a tool's arguments, without rationale."""
        return dict(_schema(self.find(name).arguments))

    def definitions(self) -> list[dict[str, Any]]:
        """The tools as the Messages API takes them, in order; the same for the same tools, byte for byte."""
        return [_definition(tool, planned=self._planned) for tool in self._tools.values()]

    def split_step(self, tool: Tool, given: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
        """The arguments without the step that the call serves, and the step; None where it names none."""
        if not (self._planned and _serves_steps(tool) and PLAN_STEP in given):
            return given, None
        step = given[PLAN_STEP]
        rest = {key: value for key, value in given.items() if key != PLAN_STEP}
        return rest, clean(step)[:128] if isinstance(step, str) and step.strip() else None

    def facts(self) -> list[dict[str, Any]]:
        """What each tool may do and within which bounds, for people who check a profile."""
        return [_facts(tool) for tool in self._tools.values()]

    def _named(self, name: str) -> Tool:
        if name in self._tools:
            return self._tools[name]
        if name in LATER_TOOLS:
            raise NotInThisVersion(f'The tool "{name}" is not in this version')
        if name in DEMO_TOOL_NAMES:
            raise ProfileError(f'"{name}" is a stand-in of the demo; only sessions that a script plays have it')
        near = get_close_matches(name, [*self._tools, *LATER_TOOLS], n=1)
        raise ProfileError(f'There is no tool "{name}"{f"; did you mean {near[0]}?" if near else ""}')


def asks_for_reasons(tool: Tool) -> bool:
    """Whether the model is asked for its reasons beside the arguments: not where nothing is at stake."""
    return tool.effect_class.changes


def rationale_name(tool: Tool) -> str:
    """The argument that carries the model's reasons."""
    return OTHER_RATIONALE if RATIONALE in tool.arguments.model_fields else RATIONALE


def split_rationale(tool: Tool, given: dict[str, Any]) -> tuple[dict[str, Any], Rationale | None]:
    """The arguments without the model's reasons, and the reasons; None where it gave none. `given` is left as it is."""
    name = rationale_name(tool)
    if not asks_for_reasons(tool) or name not in given:
        return dict(given), None
    return {key: value for key, value in given.items() if key != name}, _rationale(given[name])


def _rationale(value: object) -> Rationale | None:
    if isinstance(value, str):
        return Rationale(why=clean(value)) if value.strip() else None
    if not isinstance(value, dict):
        return None
    evidence = value.get("evidence")
    listed = evidence if isinstance(evidence, list) else [evidence] if evidence else []
    reasons = Rationale(
        why=_words(value.get("why")), risks=_words(value.get("risks")), evidence=[_words(item) for item in listed]
    )
    return reasons if reasons != Rationale() else None


def _words(value: object) -> str:
    return "" if value is None else clean(value if isinstance(value, str) else str(value))


def _serves_steps(tool: Tool) -> bool:
    return tool.name not in NO_STEPS and PLAN_STEP not in tool.arguments.model_fields


def _definition(tool: Tool, *, planned: bool) -> dict[str, Any]:
    schema = dict(_schema(tool.arguments))
    if planned and _serves_steps(tool):
        schema["properties"] = {**schema["properties"], PLAN_STEP: _STEP_SCHEMA}
    if asks_for_reasons(tool):
        name = rationale_name(tool)
        schema["properties"] = {**schema["properties"], name: _RATIONALE_SCHEMA}
        schema["required"] = [*schema.get("required", []), name]
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


@cache
def _schema(arguments: type[Arguments]) -> dict[str, Any]:
    """Made once: a session that starts would spend more time on it than on ten of its steps. Copy it to change it."""
    schema: dict[str, Any] = _without_titles(arguments.model_json_schema())
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return schema


def _without_titles(schema: Any, *, names: bool = False) -> Any:
    """Pydantic repeats every name as a title; the model pays for each of them. An argument called title stays."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if names or key != "title"}
    return {
        key: _without_titles(value, names=key in ("properties", "$defs") and not names) for key, value in kept.items()
    }


def _signature(tool: Tool) -> str:
    fields = tool.arguments.model_fields.items()
    return "{" + ", ".join(name if field.is_required() else f"{name}?" for name, field in fields) + "}"


def _faults(error: ValidationError) -> str:
    """What is wrong, argument by argument; what each form of an argument misses stands together."""
    found: dict[str, list[str]] = {}
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        place, *inner = fault["loc"] or ("arguments",)
        # Between the argument and the positions in it stand pydantic's names for the forms that it tried.
        where = ".".join([str(place), *(str(part) for part in inner if isinstance(part, int))])
        said = found.setdefault(clean(where)[:128], [])
        words = clean(_WORDS.get(fault["type"]) or _PYDANTIC.sub("", fault["msg"]))[:300]
        if words not in said:
            said.append(words)
    return "; ".join(f"{where} {' or '.join(said)}" for where, said in list(found.items())[:8])


def _facts(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "version": tool.version,
        "effect_class": tool.effect_class.value,
        "reversibility": tool.reversibility.value,
        "privileges": {
            "reads": tool.privileges.reads,
            "writes": tool.privileges.writes,
            "hosts": tool.privileges.hosts,
            "programs": tool.privileges.programs,
        },
        "limits": {
            "timeout_seconds": tool.timeout,
            "input_bytes": tool.limits.input_bytes,
            "items": tool.limits.items,
            "seconds": tool.limits.seconds,
        },
        "open_world": tool.open_world,
        "leaves_company": tool.leaves_company,
        "sensitive": list(tool.sensitive),
        "output": tool.more,
        "demo": not tool.real,
    }
