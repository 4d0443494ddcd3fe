"""The registry: what the model is offered, what it may not say, and what a profile may name."""

import json
import re
from typing import Any

import jsonschema
import pytest
from pydantic import Field

from agent_core.config.profile import Profile, ToolEntry
from agent_core.config.tool_names import DEMO_TOOL_NAMES, LATER_TOOLS, TOOL_NAMES
from agent_core.model.action import EffectClass, Rationale, Reversibility
from agent_core.model.errors import NotInThisVersion, ProfileError
from agent_core.tools.base import Arguments, Outcome, Preview, Privileges, Tool, ToolContext, ToolFailure
from agent_core.tools.registry import DEMO_TOOLS, TOOLS, Registry, split_rationale

# The table of built-in tools that users and scripts rely on: arguments, the optional ones with a question mark.
SIGNATURES = {
    "files_list": "path",
    "files_read": "path offset? limit?",
    "files_search": "pattern path? glob?",
    "files_write": "path content",
    "files_edit": "path old new",
    "files_move": "source target",
    "files_delete": "path",
    "notes_read": "key?",
    "notes_write": "key text",
    "ask_operator": "question options?",
    "finish": "output completed gaps?",
    "email_send": "to subject body",
}
CLASSES = {
    EffectClass.READ_ONLY: {"files_list", "files_read", "files_search", "notes_read"},
    EffectClass.ENGINE: {"finish", "ask_operator", "notes_write"},
    EffectClass.IDEMPOTENT_BY_KEY: {"files_write"},
    EffectClass.NON_IDEMPOTENT: {"files_edit", "files_move", "files_delete", "email_send"},
}
GATED = CLASSES[EffectClass.IDEMPOTENT_BY_KEY] | CLASSES[EffectClass.NON_IDEMPOTENT]


class OwnRationale(Arguments):
    rationale: str


class Pay(Tool[OwnRationale]):
    """A tool whose own argument is called rationale."""

    name = "pay"
    description = "Pays."
    arguments = OwnRationale
    privileges = Privileges()

    def preview(self, arguments: OwnRationale, context: ToolContext) -> Preview:
        raise NotImplementedError

    def run(self, arguments: OwnRationale, context: ToolContext) -> Outcome:
        raise NotImplementedError


def profile(*names: str) -> Profile:
    return Profile(name="clerk", model="m", tools=[ToolEntry(name=name, because="needed") for name in names])


def test_the_tools_are_the_ones_that_profiles_may_name() -> None:
    assert tuple(tool.name for tool in TOOLS) == TOOL_NAMES
    assert not {tool.name for tool in TOOLS} & LATER_TOOLS
    assert tuple(tool.name for tool in DEMO_TOOLS) == DEMO_TOOL_NAMES


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_each_tool_takes_the_arguments_that_are_documented(tool: Tool) -> None:
    fields = tool.arguments.model_fields.items()

    assert " ".join(name if field.is_required() else f"{name}?" for name, field in fields) == SIGNATURES[tool.name]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_each_tool_has_its_documented_class_and_says_when_not_to_use_it(tool: Tool) -> None:
    assert tool.name in CLASSES[tool.effect_class]
    assert (tool.reversibility is Reversibility.IRREVERSIBLE) is (tool.name == "email_send")
    assert re.search(r"\bNot for\b", tool.description)
    assert tool.timeout > 0
    assert set(tool.sensitive) <= set(tool.arguments.model_fields)


@pytest.mark.parametrize("definition", Registry().definitions(), ids=lambda definition: definition["name"])
def test_each_definition_is_one_that_the_api_takes(definition: dict[str, Any]) -> None:
    assert set(definition) == {"name", "description", "input_schema"}
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", definition["name"])
    schema = definition["input_schema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    assert "title" not in json.dumps(schema)
    assert ("rationale" in schema["properties"]) is (definition["name"] in GATED)
    if definition["name"] in GATED:
        assert "rationale" in schema["required"]


def test_the_schema_for_editing_has_no_rationale() -> None:
    assert list(Registry().schema("files_write")["properties"]) == ["path", "content"]


def test_definitions_are_the_same_bytes_every_time() -> None:
    assert json.dumps(Registry().definitions()) == json.dumps(Registry(TOOLS).definitions())


def test_an_argument_called_title_stays() -> None:
    class Titled(Arguments):
        title: str = Field(description="t")

    class Note(Pay):
        name = "note"
        arguments = Titled

    assert list(Registry([Note()]).schema("note")["properties"]) == ["title"]


def test_a_profile_gets_its_tools_in_its_order() -> None:
    assert Registry().for_profile(profile("files_write", "files_read"), demo=True).names == [
        "files_write",
        "files_read",
    ]


@pytest.mark.parametrize("name", sorted(LATER_TOOLS))
def test_a_tool_of_a_later_version_is_refused_as_such(name: str) -> None:
    with pytest.raises(NotInThisVersion, match=name):
        Registry().for_profile(profile(name), demo=False)


def test_a_misspelt_tool_names_the_nearest() -> None:
    with pytest.raises(ProfileError, match="did you mean files_write"):
        Registry().for_profile(profile("file_write"), demo=False)


def test_a_demo_reaches_no_real_tool() -> None:
    registry = Registry([*TOOLS, Pay()])

    with pytest.raises(ProfileError, match="pay"):
        registry.for_profile(profile("pay"), demo=True)
    assert registry.for_profile(profile("pay"), demo=False).names == ["pay"]


@pytest.mark.parametrize("tool", DEMO_TOOLS, ids=lambda tool: tool.name)
def test_a_stand_in_is_there_for_demo_sessions_only_and_reaches_nothing(tool: Tool) -> None:
    assert Registry().for_profile(profile(tool.name), demo=True).names == [tool.name]
    assert (tool.real, tool.privileges) == (False, Privileges())
    assert tool.name not in Registry()
    with pytest.raises(ProfileError, match=f'"{tool.name}" is a stand-in of the demo'):
        Registry().for_profile(profile(tool.name), demo=False)


@pytest.mark.parametrize("name", ["", "two words", "x" * 129, "naïve", "a.b"])
def test_a_name_that_no_request_can_carry_is_refused(name: str) -> None:
    class Odd(Pay):
        pass

    Odd.name = name
    with pytest.raises(ValueError, match="tool name"):
        Registry([Odd()])


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="pay"):
        Registry([Pay(), Pay()])


def test_an_unknown_tool_lists_what_there_is() -> None:
    with pytest.raises(ToolFailure) as failure:
        Registry().for_profile(profile("files_read", "files_write"), demo=False).find("files_reed")

    error = failure.value.error
    assert error.code == "unknown_tool"
    assert error.suggestion == 'Did you mean "files_read"? Available: files_read, files_write.'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "files_read: path is missing."),
        ({"path": "a", "limit": "5"}, "files_read: limit must be a whole number."),
        ({"path": "a", "limit": True}, "files_read: limit must be a whole number."),
        ({"path": "a", "limit": 0}, "files_read: limit should be greater than or equal to 1."),
        ({"path": None}, "files_read: path must be a text."),
        ({"path": "a", "output": "x"}, "files_read: output is not an argument of this tool."),
        ({"path": "a\ud83d"}, "files_read: the arguments hold half a character or a NUL."),
        ({"path": "a\0"}, "files_read: the arguments hold half a character or a NUL."),
    ],
)
def test_invalid_arguments_are_named_in_one_sentence(arguments: dict[str, Any], message: str) -> None:
    registry = Registry()
    with pytest.raises(ToolFailure) as failure:
        registry.validate(registry.find("files_read"), arguments)

    assert failure.value.error.code == "invalid"
    assert failure.value.error.message == message


def test_types_are_kept_exactly() -> None:
    registry = Registry()
    with pytest.raises(ToolFailure):
        registry.validate(registry.find("finish"), {"output": "x", "completed": "false"})


REASONS = {"why": "w", "risks": "r", "evidence": ["e"]}


@pytest.mark.parametrize(
    ("rationale", "found"),
    [
        (REASONS, Rationale(why="w", risks="r", evidence=["e"])),
        ({"why": "w"}, Rationale(why="w")),
        ("because", Rationale(why="because")),
        ({"why": 5, "evidence": "one"}, Rationale(why="5", evidence=["one"])),
        ({"why": "\ud83d"}, Rationale(why="\ufffd")),
        (None, None),
        ("", None),
        ({}, None),
        ([], None),
        (7, None),
    ],
)
def test_reasons_are_taken_out_however_they_come(rationale: Any, found: Rationale | None) -> None:
    given = {"path": "a", "content": "b", "rationale": rationale}
    arguments, reasons = split_rationale(Registry().find("files_write"), given)

    assert arguments == {"path": "a", "content": "b"}
    assert reasons == found
    assert given["rationale"] is rationale


def test_a_missing_reason_is_accepted() -> None:
    assert split_rationale(Registry().find("files_write"), {"path": "a"}) == ({"path": "a"}, None)


def test_a_tool_with_its_own_rationale_keeps_it() -> None:
    given = {"rationale": "mine", "pilothouse_rationale": REASONS}
    definition = Registry([Pay()]).definitions()[0]["input_schema"]

    assert split_rationale(Pay(), given) == ({"rationale": "mine"}, Rationale(why="w", risks="r", evidence=["e"]))
    assert definition["properties"]["rationale"] == {"type": "string"}
    assert definition["required"] == ["rationale", "pilothouse_rationale"]


def test_reading_and_engine_tools_are_not_asked_for_reasons() -> None:
    given = {"path": "a", "rationale": REASONS}

    assert split_rationale(Registry().find("files_read"), given) == (given, None)


def test_facts_say_what_each_tool_may_do() -> None:
    facts = {fact["name"]: fact for fact in Registry().facts()}

    json.dumps(facts)
    assert facts["files_read"]["privileges"] == {"reads": ["workspace"], "writes": [], "hosts": [], "programs": []}
    assert facts["email_send"]["privileges"]["writes"] == ["outbox"]
    assert facts["email_send"]["leaves_company"] is True
    assert all(fact["limits"]["timeout_seconds"] for fact in facts.values())
