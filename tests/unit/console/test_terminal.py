"""At the terminal nothing is decided by accident, and the friction grows with what is at stake."""

from collections.abc import Iterator

import pytest

from agent_core.model.action import Reversibility, Tier
from agent_core.model.proposal import Check, CheckResult, Confidence, Proposal, Touchpoint
from console.deciding import Reply
from console.terminal import AtTerminal
from tests.unit.console.cards import NOW, card, irreversible


async def ask(proposal: Proposal, *typed: str) -> Reply | None:
    lines: Iterator[str] = iter([f"{line}\n" for line in typed])
    return await AtTerminal(lambda: next(lines, "")).reply(proposal, NOW)


@pytest.mark.parametrize("typed", ["", "y", "a", "Y", "yes", "approve now", "1", "\x1b[A"])
async def test_enter_a_letter_or_a_slip_decides_nothing(typed: str) -> None:
    assert await ask(card(), typed) is None


async def test_the_end_of_input_leaves_the_card_open_at_every_question() -> None:
    assert await ask(card()) is None
    assert await ask(card(), "reject") is None
    assert await ask(irreversible(), "approve") is None


async def test_later_leaves_it_open() -> None:
    assert await ask(card(), "later") is None


async def test_a_reversible_approval_is_one_word() -> None:
    assert await ask(card(), "approve") == Reply(verdict="approve")


async def test_a_partly_reversible_one_wants_yes_after_its_effect_was_restated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    grave = card(reversibility=Reversibility.PARTLY_REVERSIBLE, tier=Tier.R2, summary="Delete folder old")

    assert await ask(grave, "approve", "y") is None
    assert await ask(grave, "approve", "yes") == Reply(verdict="approve")
    assert "Delete folder old It can be undone only in part." in capsys.readouterr().err


async def test_an_irreversible_one_wants_its_key_figure() -> None:
    assert await ask(irreversible(), "approve", "yes") is None
    assert await ask(irreversible(), "approve", "37") is None
    assert await ask(irreversible(), "approve", "38") == Reply(verdict="approve")
    assert await ask(irreversible(), "modify", '{"path": "x"}', "yes") is None


async def test_without_a_key_figure_it_wants_the_name_of_the_tool() -> None:
    assert await ask(card(tier=Tier.R3), "approve", "files_write") == Reply(verdict="approve")


async def test_a_doubtful_approval_that_cannot_simply_be_undone_wants_a_reason() -> None:
    check = Check(name="origin", result=CheckResult.FAIL, weight=1)
    doubt = Confidence(score=0.2, threshold=0.85, below_threshold=True, checks=[check])

    assert await ask(irreversible(confidence=doubt), "approve", "I called them", "38") == Reply(
        verdict="approve", reason="I called them"
    )
    assert await ask(card(confidence=doubt), "approve") == Reply(verdict="approve")


async def test_what_a_verdict_takes_is_asked_for() -> None:
    assert await ask(card(), "reject", "wrong file") == Reply(verdict="reject", reason="wrong file")
    assert await ask(card(), "modify", '{"path": "b"}') == Reply(verdict="modify", args={"path": "b"})
    assert await ask(card(Touchpoint.BUDGET), "extend", '{"steps": 9}') == Reply(verdict="extend", args={"steps": 9})
    assert await ask(card(Touchpoint.QUESTION), "answer", "blue") == Reply(verdict="answer", answer="blue")
    settled = await ask(card(Touchpoint.EXCEPTION), "fixed", "key renewed")
    assert settled == Reply(verdict="fixed", reason="key renewed")
    assert await ask(card(), "escalate", "eva") == Reply(verdict="escalate", args={"to": "eva"})
    assert await ask(card(), "modify", "{broken", "later") is None


async def test_the_card_is_shown_whole_with_hidden_characters_visible(capsys: pytest.CaptureFixture[str]) -> None:
    content = "pay \u202e00.1\n" + "x" * 5000
    await ask(card(arguments={"path": "r.txt", "content": content}, summary="Write \x1b[2Jr.txt"), "later")

    said = capsys.readouterr().err
    assert "\\u202e00.1" in said
    assert "x" * 5000 in said
    assert "\x1b" not in said
    for expected in ("+two", "notes.txt (1 min old of 10 min allowed)", "The old bytes are kept.", "15:00 left"):
        assert expected in said


async def test_after_a_refusal_only_the_question_comes_again(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = AtTerminal(lambda: "approve\n")
    await terminal.reply(card(), NOW)

    assert await terminal.refused(card(), "The card has changed.")
    await terminal.reply(card(), NOW)

    said = capsys.readouterr().err
    assert said.count("What changes") == 1
    assert "Not taken: The card has changed." in said


async def test_what_was_tried_stands_in_words_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    probes = [{"at": "09:48", "attempt": "sent mail", "result": "not listed"}, "an earlier sentence"]
    await ask(card(Touchpoint.OUTCOME_UNKNOWN, facts={"why": "cut off", "probes": probes}))

    assert [line.strip() for line in capsys.readouterr().err.splitlines() if "probes" in line or "why" in line] == [
        "why: cut off",
        "probes: at 09:48 · attempt sent mail · result not listed",
        "probes: an earlier sentence",
    ]
