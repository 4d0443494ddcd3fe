"""What an outlook promises is what the gate then does."""

from datetime import UTC, datetime

import pytest

from agent_core.config.profile import Profile, Rule, ToolEntry
from agent_core.config.tool_names import DEMO_TOOL_NAMES, RULE_ARGUMENTS, TOOL_NAMES
from agent_core.engine.outlook import Outlook, Prospect, outlook, rule_conditions, rule_problems, rule_text, tool_facts
from agent_core.model.action import GateVerdict
from agent_core.policy.gate import GateInput, judge
from agent_core.tools.registry import TOOLS

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
ALLOW, ASK, DENY = GateVerdict.ALLOW, GateVerdict.ASK, GateVerdict.DENY


def profile(*tools: str, rules: tuple[Rule, ...] = ()) -> Profile:
    entries = [ToolEntry(name=name, because="needed") for name in tools]
    return Profile(name="clerk", model="m", tools=entries, rules=list(rules))


def of(*tools: str, rules: tuple[Rule, ...] = (), standing: tuple[Rule, ...] = ()) -> Outlook:
    return outlook(profile(*tools, rules=rules), standing, NOW)


def test_facts_are_those_of_the_tools() -> None:
    facts = tool_facts()

    assert list(facts) == [*(tool.name for tool in TOOLS), *DEMO_TOOL_NAMES] == [*TOOL_NAMES, *DEMO_TOOL_NAMES]
    assert facts["email_send"].irreversible
    assert set(RULE_ARGUMENTS["files_move"]) == set(facts["files_move"].arguments)


def test_reading_and_the_engines_own_tools_need_no_asking() -> None:
    found = of("files_read", "finish", "ask_operator")

    assert [prospect.tool for prospect in found.free] == ["files_read", "finish", "ask_operator"]
    assert found.asked == found.never == []


def test_what_changes_something_asks_unless_a_rule_allows_it() -> None:
    rule = Rule(tool="files_write", verdict=ALLOW, when={"path": "reports/**"})
    found = of("files_write", "files_edit", rules=(rule,))

    assert found.free == [Prospect(tool="files_write", when='path matches "reports/**" (glob)')]
    assert found.asked == [Prospect(tool="files_write", rest=True), Prospect(tool="files_edit")]


def test_what_cannot_be_undone_asks_whatever_is_allowed() -> None:
    found = of("email_send", standing=(Rule(tool="email_send", verdict=ALLOW),))

    assert (found.free, found.asked) == ([], [Prospect(tool="email_send")])


def test_a_deny_wins_over_an_allow() -> None:
    rules = (Rule(tool="files_write", verdict=ALLOW), Rule(tool="files_write", verdict=DENY))
    found = of("files_write", rules=rules)

    assert (found.free, found.asked, found.never) == ([], [], [Prospect(tool="files_write")])


def test_a_narrow_deny_is_said_beside_the_rest() -> None:
    rule = Rule(tool="files_read", verdict=DENY, when={"path": "private/**"})
    found = of("files_read", standing=(rule,))

    assert found.never == [Prospect(tool="files_read", when='path matches "private/**" (glob)')]
    assert found.free == [Prospect(tool="files_read")]


def test_a_counted_allow_leaves_the_rest_to_asking() -> None:
    found = of("files_move", rules=(Rule(tool="files_move", verdict=ALLOW, uses=2),))

    assert found.free == [Prospect(tool="files_move", when="2 times")]
    assert found.asked == [Prospect(tool="files_move", rest=True)]


@pytest.mark.parametrize(("expires", "verdict"), [("2026-01-01T00:00:00+00:00", ALLOW), ("nonsense", ALLOW)])
def test_an_allow_that_is_over_or_unreadable_allows_nothing(expires: str, verdict: GateVerdict) -> None:
    found = of("files_write", rules=(Rule(tool="files_write", verdict=verdict, expires=expires),))

    assert (found.free, found.asked) == ([], [Prospect(tool="files_write")])


def test_a_deny_whose_end_cannot_be_read_still_denies() -> None:
    assert of("files_write", rules=(Rule(tool="files_write", verdict=DENY, expires="nonsense"),)).never


@pytest.mark.parametrize("verdict", [None, ALLOW, ASK, DENY])
@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_the_gate_does_what_the_outlook_says(tool: str, verdict: GateVerdict | None) -> None:
    rules = (Rule(tool=tool, verdict=verdict),) if verdict is not None else ()
    facts = tool_facts()[tool]
    judged = judge(
        GateInput(
            tool=tool,
            now=NOW,
            in_manifest=True,
            effect_class=facts.effect_class,
            reversibility=facts.reversibility,
            open_world=facts.open_world,
            rules=rules,
        )
    )
    found = of(tool, rules=rules)
    column = {ALLOW: found.free, ASK: found.asked, DENY: found.never}[judged.verdict]

    assert [prospect.tool for prospect in column] == [tool]
    assert len(found.free) + len(found.asked) + len(found.never) == 1


def test_a_rules_words_are_the_gates_own() -> None:
    rule = Rule(tool="files_write", verdict=ALLOW, when={"path": "reports/**"}, uses=1)

    assert rule_conditions(rule) in rule_text(rule)
    assert rule_conditions(Rule(tool="files_write", verdict=ASK)) == ""
    assert rule_problems(rule) == []
    assert "no argument" in rule_problems(Rule(tool="files_write", verdict=ASK, when={"pfad": "x"}))[0]
    assert "unknown tool" in rule_problems(Rule(tool="files_rite", verdict=ASK))[0]
