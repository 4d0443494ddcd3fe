"""A session as a file for others: lines, a page, spans. Each without secrets, and nothing in it runs or loads."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import KEY, CommandLine, Turn, office, write

HOSTILE = '<script>alert(1)</script><img src="http://127.0.0.1:9/x">\u202e & co'
SECRET = "canary-0123456789abcdef"
TURNS = (
    Turn("Looking.", [("files_read", {"path": "a.txt"}), write("out.txt", HOSTILE), write("bad.txt", "no")]),
    Turn(f"Done. {HOSTILE}"),
)
ANSWERS = [
    {"arguments_include": {"path": "out.txt"}, "verdict": "approve", "reason": "as agreed"},
    {"tool": "files_write", "verdict": "reject", "reason": "wrong target"},
]


class Parsed(HTMLParser):
    """What a browser would make of a page: its elements, their attributes, its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        """Text between elements."""
        self.text += data


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """One session in every form, with its id."""
    tmp_path = tmp_path_factory.mktemp("exported")
    with office(tmp_path, *TURNS) as (cli, _):
        cli.env["SOME_API_KEY"] = SECRET
        (cli.work / "a.txt").write_text(f"the key is {SECRET}")
        done = cli.run(ANSWERS)
        assert done.code == 0, done.err
        session = done.value["session"]
        forms = {"session": session}
        for form in ("jsonl", "html", "otel"):
            out = tmp_path / f"session.{form}"
            told = cli.call("export", session, "--format", form, "--out", str(out), "--json")
            assert told.value == {"session": session, "format": form, "out": str(out)}
            forms[form] = out.read_text()
        assert [json.loads(line) for line in forms["jsonl"].splitlines()] == cli.trace(session)
    return forms


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a span by name, without their types."""
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


def test_no_form_holds_a_secret(exported: dict[str, str]) -> None:
    for form in ("jsonl", "html", "otel"):
        assert SECRET not in exported[form]
        assert KEY not in exported[form]


def test_the_page_stands_alone_and_shows_hostile_text_as_it_is(exported: dict[str, str]) -> None:
    page = Parsed(exported["html"])

    assert not page.tags & {"script", "img", "link", "iframe", "a", "object", "form", "base"}
    assert page.attributes <= {"lang", "charset", "name", "content", "http-equiv", "class"}
    assert HOSTILE.replace("\u202e", "⟨U+202E⟩") in page.text


def test_the_page_tells_result_spend_decisions_and_every_event(exported: dict[str, str]) -> None:
    text = Parsed(exported["html"]).text

    for words in ("Result", "Spend", "approve by bar", "as agreed", "wrong target", "Without a decision", "USD"):
        assert words in text
    for line in exported["jsonl"].splitlines():
        event = json.loads(line)
        assert f"{event['seq']} · " in text
        assert event["digest"] in text


def test_spans_follow_the_conventions(exported: dict[str, str]) -> None:
    (scope,) = json.loads(exported["otel"])["resourceSpans"][0]["scopeSpans"]
    spans = {span["spanId"]: span for span in scope["spans"]}
    names = [span["name"] for span in scope["spans"]]

    assert len(spans) == len(names)
    assert {len(span["traceId"]) for span in spans.values()} == {32}
    assert all(span["parentSpanId"] in spans for span in spans.values() if "parentSpanId" in span)
    assert all(int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) for span in spans.values())
    assert names.count("chat claude-sonnet-4-5") == 2
    assert names.count("execute_tool files_write") == names.count("operator_approval files_write") == 2

    chat = attributes(next(span for span in spans.values() if span["name"].startswith("chat")))
    assert (chat["gen_ai.operation.name"], chat["gen_ai.request.model"]) == ("chat", "claude-sonnet-4-5")
    assert int(chat["gen_ai.usage.input_tokens"]) > 0
    assert chat["gen_ai.conversation.id"] == exported["session"]
    approvals = [attributes(span) for span in spans.values() if span["name"].startswith("operator_approval")]
    assert {one["operator.approval.verdict"] for one in approvals} == {"approve", "reject"}
    refused = [span for span in spans.values() if span["status"].get("code") == 2]
    assert [attributes(span)["error.type"] for span in refused] == ["rejected"]


def test_the_span_of_what_still_waits_is_marked_open(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "x")])) as (cli, _):
        session = cli.run().value["session"]
        out = tmp_path / "spans.json"
        assert cli.call("export", session, "--format", "otel", "--out", str(out)).code == 0

    spans = json.loads(out.read_text())["resourceSpans"][0]["scopeSpans"][0]["spans"]
    waiting = {span["name"] for span in spans if attributes(span).get("pilothouse.open")}
    assert waiting == {"invoke_agent lab", "execute_tool files_write", "operator_approval files_write"}


def test_a_written_audit_says_in_json_what_was_written(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "x")])) as (cli, _):
        (proposal,) = cli.run().value["open_proposals"]
        table, record = tmp_path / "audit.csv", tmp_path / "record.html"

        written = cli.call("audit", "--csv", "--out", str(table), "--json").value
        assert written == {"cards": 1, "format": "csv", "out": str(table)}
        written = cli.call("audit", "--record", proposal, "--out", str(record), "--json").value
        assert written == {"record": proposal, "format": "html", "out": str(record)}
        assert proposal in Parsed(record.read_text()).text


def test_an_unknown_form_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    refused = CommandLine(tmp_path).call("export", "s-1", "--format", "pdf", "--out", str(tmp_path / "x"), "--json")

    assert refused.code == 2
    assert "jsonl, html, otel" in refused.value["error"]["message"]
