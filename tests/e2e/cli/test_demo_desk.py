"""The desk's story brings up every kind of card, in turn, offline."""

from typing import Any

import pytest

from agent_core.model.proposal import Touchpoint
from tests.support.command_line import CommandLine


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    cli = CommandLine(tmp_path_factory.mktemp("desk"))
    del cli.env["ANTHROPIC_API_KEY"], cli.env["ANTHROPIC_BASE_URL"]
    done = cli.call("demo", "--headless", "--story", "desk", "--json")
    assert done.code == 0, done.err
    assert done.value["completed"] is True
    assert cli.call("verify").code == 0
    audit = cli.call("audit", "--json")
    assert audit.code == 0
    assert {entry["touchpoint"] for entry in audit.value["entries"]} >= {"approval", "quality_review"}
    assert all(entry["demo"] for entry in audit.value["entries"])
    table = cli.call("audit", "--csv")
    assert table.out.count("desk-clerk") == len(audit.value["entries"])
    return cli.trace(done.value["session"])


def of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event["data"] for event in events if event["kind"] == kind]


def test_every_kind_of_card_comes_up_in_turn(events: list[dict[str, Any]]) -> None:
    kinds = [data["proposal"]["touchpoint"] for data in of(events, "proposal_opened")]
    paid = ["approval", "outcome_unknown"]
    assert kinds == ["question", "plan", "approval", "confidence", "quality_review", *paid, "exception", "budget"]
    assert set(kinds) == {kind.value for kind in Touchpoint}


def test_the_agent_is_asked_and_answers_from_what_it_reads(events: list[dict[str, Any]]) -> None:
    (answer,) = [data["revised"]["answers"][-1] for data in of(events, "proposal_changed") if data.get("answers")]
    assert "23 Nov" in answer["answer"]
    assert any("week-48.txt" in source["name"] for source in answer["evidence"])


def test_the_reminder_leaves_as_the_operator_edited_it(events: list[dict[str, Any]]) -> None:
    (sent,) = [data for data in of(events, "call_started") if data["tool"] == "email_send"]
    assert "crossed this letter" in sent["arguments"]["body"]


def test_the_payment_is_ordered_once_and_a_person_says_what_became_of_it(events: list[dict[str, Any]]) -> None:
    (asked,) = [data["proposal"] for data in of(events, "proposal_opened") if data["proposal"]["tool"] == "bank_pay"][
        :1
    ]
    assert (asked["tier"], asked["key_figure"]["value"]) == ("R3", "846.40")
    assert [data["attempt"] for data in of(events, "call_started") if data["tool"] == "bank_pay"] == [1]
    (unknown,) = [data["proposal"] for data in of(events, "proposal_opened") if "probes" in data["proposal"]["facts"]]
    assert [probe["result"] for probe in unknown["facts"]["probes"]] == ["not listed yet", "no change"]
    (answer,) = [data for data in of(events, "call_finished") if data["tool"] == "bank_pay"]
    assert "order 4471 is booked" in str(answer["result"])


def test_every_card_is_decided(events: list[dict[str, Any]]) -> None:
    verdicts = [data["verdict"] for data in of(events, "decision_made")]
    begun = ["answer", "approve", "ask", "approve", "best_effort", "edit"]
    assert verdicts == [*begun, "approve", "check_again", "happened", "other_way", "extend"]
