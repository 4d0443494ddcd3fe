"""A profile is read as it is meant, or refused in one sentence with its line and the nearest right spelling."""

import os
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.home import Home
from agent_core.config.profile import Match, Profile, RuleScope
from agent_core.config.profile_file import find_profile, list_profiles, load_profile
from agent_core.config.settings import Settings
from agent_core.config.tool_names import LATER_TOOLS, RULE_ARGUMENTS, RULE_CONDITIONS, TOOL_NAMES
from agent_core.model.action import GateVerdict
from agent_core.model.budget import Limits
from agent_core.model.errors import InputError, NotInThisVersion, ProfileError
from agent_core.model.proposal import DeadlineOutcome
from agent_core.policy.predicates import CONDITIONS
from agent_core.tools.registry import TOOLS

HEAD = 'name = "ledger-clerk"\nmodel = "claude-sonnet-5-5"\n'
TOOL = '[[tools]]\nname = "files_read"\nbecause = "reads the ledger"\n'


def load(tmp_path: Path, text: str, **more: object) -> Profile:
    path = tmp_path / "agent.toml"
    path.write_text(text)
    return load_profile(str(path), Home.at(tmp_path / "home"), **more)  # type: ignore[arg-type]


def refusal(tmp_path: Path, text: str, **more: object) -> str:
    with pytest.raises(InputError) as caught:
        load(tmp_path, text, **more)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_a_whole_profile_is_read(tmp_path: Path) -> None:
    text = HEAD + (
        'pattern = "react"\nsystem_prompt = "Be careful."\nmax_tokens = 4096\neffort = "high"\n'
        '[limits]\nsteps = 12\ncost_usd = "0.50"\nseconds = "15m"\n'
        '[price]\ninput = "3"\noutput = 15\n'
        "[context]\nceiling = 100_000\n"
        '[gate]\nconfidence = 0.9\napprove_within = "2d"\non_deadline = "escalate"\nescalate_to = "eva"\n'
        'require_console = ["irreversible"]\n'
        + TOOL
        + '[[rules]]\ntool = "files_write"\nwhen = { path = "reports/**" }\nverdict = "allow"\n'
        + 'scope = "session"\nuses = 3\n'
    )
    profile = load(tmp_path, text)

    assert profile.limits == Limits(steps=12, cost_usd=Decimal("0.50"), seconds=900.0)
    assert profile.cost_limit_by_hand
    assert profile.price is not None
    assert (profile.price.cache_read, profile.price.cache_write) == (Decimal(3), Decimal("3.75"))
    assert (profile.context.clear_at, profile.context.handoff_at) == (50_000, 90_000)
    assert profile.gate.approve_within == 172_800
    assert profile.gate.on_deadline is DeadlineOutcome.ESCALATE
    rule = profile.rules[0]
    assert (rule.verdict, rule.match, rule.scope, rule.uses) == (
        GateVerdict.ALLOW, Match.GLOB, RuleScope.SESSION, 3,
    )  # fmt: skip
    assert rule.rule_id.startswith("u-")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0.1", "0.1"),
        ('"0.10"', "0.10"),
        ("2", "2"),
        ("0", "0"),
        ("1e-2", "0.01"),
        ("0.30000000000000004", "0.30000000000000004"),
    ],
)
def test_money_is_read_as_its_shortest_decimal(tmp_path: Path, written: str, meant: str) -> None:
    profile = load(tmp_path, HEAD + f"[limits]\ncost_usd = {written}\n" + TOOL)

    assert str(profile.limits.cost_usd) == meant


@pytest.mark.parametrize("bad", ["-1", "nan", "inf", '""', '"ten"', '"1e3"', "true", "[1]", "1e10", '"-0.5"', '"NaN"'])
@pytest.mark.parametrize("limit", ["cost_usd", "steps", "tokens", "tool_calls", "seconds"])
def test_an_impossible_limit_is_refused_with_its_line(tmp_path: Path, limit: str, bad: str) -> None:
    sentence = refusal(tmp_path, HEAD + f"[limits]\n{limit} = {bad}\n" + TOOL)

    assert sentence.startswith(f"agent.toml line 4: {limit} in [limits] must be")


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("[limits]\nstep = 3\n", 'agent.toml line 4: unknown key "step" in [limits]; did you mean "steps"?'),
        ("nmae = 3\n", 'agent.toml line 3: unknown key "nmae"; did you mean "name"?'),
        ('pattern = "reakt"\n', 'agent.toml line 3: pattern cannot be "reakt"; did you mean "react"?'),
        ("limits = 3\n", "agent.toml line 3: [limits] must be a table, not 3"),
        ('effort = "hihg"\n', 'agent.toml line 3: effort cannot be "hihg"; did you mean "high"?'),
        ('[gate]\napprove_within = "soon"\n',
         'line 4: approve_within in [gate] must be a duration such as "90s", "15m", "4h" or "2d", not "soon"'),
        ("[gate]\nconfidence = 85\n", "agent.toml line 4: confidence in [gate] must be a number from 0 to 1, not 85"),
        ('[gate]\non_deadline = "approve"\n',
         'line 4: on_deadline in [gate] cannot be "approve"; use one of cancel, escalate, stop, finish, stay'),
        ('[gate]\non_deadline = "escalate"\n',
         'agent.toml line 4: on_deadline = "escalate" needs escalate_to in [gate]'),
        ('[gate]\nrequire_console = ["email_sent"]\n',
         'line 4: require_console cannot hold "email_sent"; did you mean "email_send"?'),
        ("[price]\ninput = 1\n", 'agent.toml line 3: [price] needs the key "output"'),
        ("[context]\nclear_at = 500_000\n",
         "agent.toml line 4: [context] must hold clear_at ≤ compact_at ≤ handoff_at ≤ ceiling"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_line(tmp_path: Path, lines: str, sentence: str) -> None:
    assert refusal(tmp_path, HEAD + lines + TOOL).endswith(sentence)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ('[[tools]]\nname = "file_write"\nbecause = "x"\n',
         'agent.toml line 7: unknown tool "file_write"; did you mean "files_write"?'),
        ('[[tools]]\nname = "files_write"\n',
         'agent.toml line 7: the tool "files_write" needs a "because": the reason why this agent has it'),
        ('[[tools]]\nname = "files_write"\nbecause = " "\n',
         "agent.toml line 8: because in [[tools]] 2 must not be empty"),
        (TOOL, 'agent.toml line 7: the tool "files_read" is listed twice'),
        ('[[rules]]\ntool = "files_write"\n', 'agent.toml line 6: [[rules]] 1 needs the key "verdict"'),
        ('[[rules]]\ntool = "files_write"\nverdict = "yes"\n',
         'agent.toml line 8: verdict in [[rules]] 1 cannot be "yes"; use one of allow, ask, deny'),
        ('[[rules]]\ntool = "files_write"\nverdict = "ask"\nexpires = "2026-12-31T18:00:00"\n',
         "agent.toml line 9: expires in [[rules]] 1 needs a time zone, such as 2026-12-31T18:00:00Z"),
        ('[[rules]]\ntool = "files_write"\nverdict = "allow"\nwhen = { pth = "x" }\n',
         'line 9: when in [[rules]] 1 names "pth", which files_write does not have; did you mean "path"?'),
        ('[[rules]]\ntool = "files_write"\nverdict = "allow"\nwhen = { path = { insde = "x" } }\n',
         'line 9: when in [[rules]] 1 has an unknown condition "insde"; did you mean "inside"?'),
        ('[[rules]]\ntool = "files_write"\nverdict = "allow"\nwhen = { path = [] }\n',
         "line 9: when in [[rules]] 1 cannot match path against an empty list"),
        ('[[rules]]\ntool = "files_write"\nverdict = "deny"\nuses = 2\n',
         "agent.toml line 9: only a rule that allows can count its uses"),
        ('[[rules]]\ntool = "files_write"\nverdict = "ask"\nuses = 0\n',
         "agent.toml line 9: uses in [[rules]] 1 must be a whole number from 1 to 1,000,000,000,000, not 0"),
    ],
)  # fmt: skip
def test_a_fault_in_a_list_names_its_entry(tmp_path: Path, lines: str, sentence: str) -> None:
    assert refusal(tmp_path, HEAD + TOOL + lines).endswith(sentence)


def test_a_regular_expression_that_does_not_compile_is_refused(tmp_path: Path) -> None:
    text = '[[rules]]\ntool = "files_write"\nverdict = "allow"\nmatch = "regex"\nwhen = { path = "(" }\n'

    assert "line 10: when in [[rules]] 1 has a regular expression for path" in refusal(tmp_path, HEAD + TOOL + text)


@pytest.mark.parametrize("missing", ["name", "model"])
def test_name_and_model_are_required(tmp_path: Path, missing: str) -> None:
    text = "\n".join(
        line for line in (HEAD + TOOL).splitlines() if not line.startswith(f'{missing} = "') or "files" in line
    )

    assert refusal(tmp_path, text) == f'agent.toml line 1: the profile needs the key "{missing}"'


def test_only_a_profile_that_a_script_plays_may_name_a_stand_in(tmp_path: Path) -> None:
    tool = TOOL.replace("files_read", "bank_pay")

    assert load(tmp_path, 'name = "clerk"\nmodel = "scripted:desk"\n' + tool).tools[0].name == "bank_pay"
    assert "bank_pay" in refusal(tmp_path, HEAD + tool)


def test_a_profile_needs_a_tool(tmp_path: Path) -> None:
    assert "needs at least one tool" in refusal(tmp_path, HEAD)


@pytest.mark.parametrize(
    "lines",
    [
        *(f'[[tools]]\nname = "{name}"\nbecause = "x"\n' for name in sorted(LATER_TOOLS)),
        '[[mcp_servers]]\nname = "git"\nbecause = "x"\ncommand = ["git"]\n',
    ],
)
def test_what_the_version_lacks_is_refused_as_such(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "agent.toml"
    path.write_text(HEAD + TOOL + lines)

    with pytest.raises(NotInThisVersion, match=r"^agent.toml line \d+: .* is not in this version$"):
        load_profile(str(path), Home.at(tmp_path))


@pytest.mark.parametrize("pattern", ["state_machine", "reflection"])
def test_later_patterns_are_refused_as_such(tmp_path: Path, pattern: str) -> None:
    sentence = refusal(tmp_path, HEAD + f'pattern = "{pattern}"\n' + TOOL)

    assert sentence == f'agent.toml line 3: the pattern "{pattern}" is not in this version'


@pytest.mark.parametrize(
    "raw",
    [
        b"name = ",
        b'name = "a"\nname = "b"\n',
        b"\xff\xfe",
        b"[tools]\n[tools]\n",
        b"a" * 2_000_000,
        b"x = " + b"[" * 5000,
    ],
)
def test_broken_files_give_one_sentence(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "agent.toml"
    path.write_bytes(raw)

    with pytest.raises(ProfileError) as caught:
        load_profile(str(path), Home.at(tmp_path))

    assert "\n" not in str(caught.value)
    assert "agent.toml" in str(caught.value)


def test_a_cost_limit_by_hand_needs_a_known_price(tmp_path: Path) -> None:
    text = HEAD + '[limits]\ncost_usd = "1.00"\n' + TOOL
    asked: list[str] = []

    def unknown(model: str) -> bool:
        asked.append(model)
        return False

    sentence = refusal(tmp_path, text, price_known=unknown)

    assert sentence.startswith('agent.toml line 4: the price of "claude-sonnet-5-5" is not known')
    assert "[price]" in sentence
    assert asked == ["claude-sonnet-5-5"]
    assert load(tmp_path, text, price_known=lambda model: True).cost_limit_by_hand
    assert load(tmp_path, text + "[price]\ninput = 0\noutput = 0\n", price_known=unknown).price is not None
    assert load(tmp_path, HEAD + TOOL, price_known=unknown).cost_limit_by_hand is False


def test_settings_hold_where_the_profile_says_nothing(tmp_path: Path) -> None:
    settings = Settings.read(Home.at(tmp_path / "home"))
    settings.change("budgets.steps", 7)
    settings.change("policies.approve_within", "30m")

    profile = load(tmp_path, HEAD + "[limits]\ntokens = 9\n" + TOOL, settings=settings)

    assert (profile.limits.steps, profile.limits.tokens) == (7, 9)
    assert profile.gate.approve_within == 1800


def test_a_prompt_file_is_read_beside_the_profile(tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("Be kind.")

    assert load(tmp_path, HEAD + 'system_prompt_file = "prompt.md"\n' + TOOL).system_prompt == "Be kind."
    assert 'line 3: cannot use the prompt file "no.md"' in refusal(
        tmp_path, HEAD + 'system_prompt_file = "no.md"\n' + TOOL
    )
    both = 'system_prompt = "x"\nsystem_prompt_file = "prompt.md"\n'
    assert "not both" in refusal(tmp_path, HEAD + both + TOOL)


def test_a_rules_duration_counts_from_when_the_file_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "agent.toml"
    path.write_text(HEAD + TOOL + '[[rules]]\ntool = "files_write"\nverdict = "allow"\nexpires = "2d"\n')
    os.utime(path, (1_800_000_000, 1_800_000_000))

    first, second = (load_profile(str(path), Home.at(tmp_path)) for _ in range(2))

    assert first.rules[0].expires == datetime.fromtimestamp(1_800_000_000 + 172_800, UTC).isoformat()
    assert first.version == second.version


def test_a_script_is_found_beside_the_profile_wherever_it_is_resumed(tmp_path: Path) -> None:
    (tmp_path / "play.json").write_text("{}")
    text = (HEAD + TOOL).replace("claude-sonnet-5-5", "scripted:play.json")

    assert load(tmp_path, text).model == f"scripted:{tmp_path / 'play.json'}"
    assert load(tmp_path, text.replace("play.json", "office")).model == "scripted:office"


@given(st.data())
def test_any_slip_of_the_pen_gives_one_sentence_or_a_whole_profile(tmp_path_factory: Any, data: st.DataObject) -> None:
    folder: Path = tmp_path_factory.mktemp("slip")
    text = (
        HEAD
        + "[limits]\nsteps = 3\n[gate]\nconfidence = 0.9\n"
        + TOOL
        + '[[rules]]\ntool = "files_read"\nverdict = "ask"\n'
    )
    start = data.draw(st.integers(0, len(text)))
    slip = data.draw(st.sampled_from(["", "\0", '"', "[", "]", "=", "\n", "#", "9", "-", "x", "{", ".", "\u202e"]))
    changed = text[:start] + slip + text[start + data.draw(st.integers(0, 12)) :]

    try:
        profile = load(folder, changed)
    except InputError as refused:
        said = str(refused)
    else:
        said = "agent.toml line 1: fine" if profile.name and profile.tools else ""
    assert "\n" not in said
    assert said.startswith("agent.toml line ")


def test_a_profile_is_found_by_name_and_the_nearest_is_offered(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    home.create()
    (home.agents / "ledger-clerk.toml").write_text(HEAD + TOOL)

    assert load_profile("ledger-clerk", home).name == "ledger-clerk"
    with pytest.raises(ProfileError, match='There is no agent profile "ledger-clark"; did you mean "ledger-clerk"'):
        find_profile("ledger-clark", home)
    for nonsense in ("", "  ", "a\0b", "no/such.toml"):
        with pytest.raises(ProfileError):
            find_profile(nonsense, home)


def test_the_starter_profile_is_always_on_offer(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    home.create()
    (home.agents / "broken.toml").write_text("name = 3")

    listings = {listing.name: listing for listing in list_profiles(home)}

    assert listings["folder-clerk"].profile is not None
    assert listings["broken"].problem is not None


def test_the_names_are_those_of_the_registry_and_the_rule_book() -> None:
    arguments = {tool.name: set(tool.arguments.model_fields) for tool in TOOLS}

    assert tuple(arguments) == TOOL_NAMES
    assert all(arguments[name] <= set(named) <= arguments[name] | {"domain"} for name, named in RULE_ARGUMENTS.items())
    assert set(RULE_CONDITIONS) == set(CONDITIONS)
    assert not set(TOOL_NAMES) & LATER_TOOLS
