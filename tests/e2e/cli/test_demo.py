"""The demo plays itself through offline: every kind of decision, a deadline, a limit, a quit in the middle."""

import json
import time
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CommandLine

PATIENCE = 30
"""Seconds, for a machine with other things to do; alone it takes two."""


@dataclass(frozen=True)
class Played:
    """The demo after it was played."""

    cli: CommandLine
    result: dict[str, Any]
    events: list[dict[str, Any]]

    def data(self, kind: str) -> list[dict[str, Any]]:
        """The data of every event of a kind."""
        return [event["data"] for event in self.events if event["kind"] == kind]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    cli = CommandLine(tmp_path_factory.mktemp("demo"))
    del cli.env["ANTHROPIC_API_KEY"], cli.env["ANTHROPIC_BASE_URL"]
    began = time.monotonic()
    done = cli.call("demo", "--headless", "--json")
    assert done.code == 0, done.err
    assert time.monotonic() - began < PATIENCE
    return Played(cli, done.value, cli.trace(done.value["session"]))


def test_it_completes_in_about_fifteen_steps_and_is_marked(played: Played) -> None:
    assert played.result["completed"] is True
    assert 13 <= played.result["spend"]["steps"] <= 17
    assert float(played.result["spend"]["cost_usd"]) > 0
    assert played.data("session_opened")[0]["demo"] is True
    assert played.cli.call("verify").code == 0
    assert "demo" in played.cli.call("sessions").out


def test_a_clock_that_the_demo_put_forward_is_not_called_wrong(played: Played) -> None:
    checks = {check["name"]: check for check in played.cli.call("doctor", "--json").value["checks"]}

    assert checks["clock"]["health"] == "ok", checks["clock"]["detail"]


def test_it_shows_every_kind_of_decision_a_deadline_and_a_limit(played: Played) -> None:
    verdicts = {made["verdict"] for made in played.data("decision_made")}
    assert verdicts == {"approve", "modify", "reject", "extend"}
    assert [expired["outcome"] for expired in played.data("proposal_expired")] == ["cancel"]
    assert [reached["limit"] for reached in played.data("limit_reached")] == ["steps"]
    reversibilities = {opened["proposal"].get("reversibility") for opened in played.data("proposal_opened")}
    assert {"reversible", "partly_reversible", "irreversible"} <= reversibilities


def test_it_reads_in_parallel_and_recovers_from_a_failed_call(played: Played) -> None:
    kinds = [event["kind"] for event in played.events]
    first = kinds.index("call_started")
    assert kinds[first : first + 4] == ["call_started"] * 4
    failed = [finished["error"]["code"] for finished in played.data("call_finished") if not finished.get("ok")]
    assert "not_found" in failed


def test_the_clerk_reacts_to_what_the_operator_did(played: Played) -> None:
    said = [
        block["text"] for answer in played.data("model_responded") for block in answer["content"] if "text" in block
    ]

    for reaction in ("You are right, the bank says 980.00", "Understood: closed years stay", "No answer, so I wait"):
        assert any(text.startswith(reaction) for text in said), reaction


def test_the_wrong_amount_never_reached_the_ledger(played: Played) -> None:
    workspace = Path(played.data("session_opened")[0]["workspace"])
    ledger = (workspace / "ledger.csv").read_text(encoding="utf-8")
    proposed = [opened["proposal"].get("arguments") for opened in played.data("proposal_opened")]

    assert any("890.00" in json.dumps(arguments) for arguments in proposed)
    assert "890.00" not in ledger
    assert "2026-0109,Fenwick Bakery,2026-10-19,2026-11-18,980.00,2026-11-25,paid" in ledger
    assert (workspace / "old" / "2024").is_dir()


def test_the_mail_lies_in_the_outbox_and_went_nowhere(played: Played) -> None:
    (mail,) = (played.cli.home / "outbox").rglob("*.eml")

    assert "accounts@harbourcafe.example" in mail.read_text(encoding="utf-8")


def test_the_sample_stays_untouched_for_the_next_time(played: Played) -> None:
    sample = files("resources") / "demo" / "workspace" / "ledger.csv"
    assert sample.read_text(encoding="utf-8").count(",open") == 5

    again = played.cli.call("demo", "--headless", "--decide", "none", "--json")

    assert again.code == 4
    opened = played.cli.trace(again.value["session"])[0]["data"]
    assert opened["workspace"] != played.data("session_opened")[0]["workspace"]
