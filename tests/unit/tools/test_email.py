"""email_send: what would leave is on the card, nothing else can be smuggled in, and one call is one message."""

from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.action import ToolError
from agent_core.model.proposal import CheckResult, KeyFigure, MessageChange
from agent_core.tools.base import Outcome
from tests.unit.tools.workbench import Workbench, results

MESSAGE: dict[str, Any] = {
    "to": ["anna@nordwind.example", "ben@alba.example"],
    "subject": "Reminder R-2",
    "body": "Dear Anna,\n€ 412.00\n",
}


def lines(text: str) -> list[str]:
    """The lines of a body, however they end; mail ends them in CRLF and the last one too."""
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def outbox(bench: Workbench) -> list[Path]:
    folder = bench.folder / "outbox"
    return sorted(folder.iterdir()) if folder.exists() else []


async def test_the_card_shows_the_whole_message_and_asks_for_the_number_of_recipients(bench: Workbench) -> None:
    preview = await bench.preview("email_send", **MESSAGE)

    assert preview.summary == "Send an e-mail to 2 recipients: Reminder R-2"
    assert preview.key_figure == KeyFigure(label="number of recipients", value="2")
    assert preview.what_changes.parts == [MessageChange(**MESSAGE)]
    assert preview.way_back is not None
    assert "cannot be called back" in preview.way_back
    assert outbox(bench) == []


async def test_the_message_in_the_outbox_is_the_one_on_the_card(bench: Workbench) -> None:
    outcome = await bench.run("email_send", **MESSAGE)
    (file,) = outbox(bench)
    message = message_from_bytes(file.read_bytes(), policy=default)

    assert str(message["To"]) == "anna@nordwind.example, ben@alba.example"
    assert str(message["Subject"]) == "Reminder R-2"
    assert lines(message.get_content()) == lines(MESSAGE["body"])
    assert outcome.result["message_id"] == message["Message-ID"]
    assert outcome.summary == "Sent an e-mail to 2 recipients"
    assert outcome.undo is None
    assert file.suffix == ".eml"


async def test_one_recipient_is_named_in_the_title(bench: Workbench) -> None:
    preview = await bench.preview("email_send", **{**MESSAGE, "to": "anna@nordwind.example"})

    assert preview.summary == "Send an e-mail to anna@nordwind.example: Reminder R-2"


async def test_an_address_given_twice_is_one_recipient(bench: Workbench) -> None:
    preview = await bench.preview("email_send", **{**MESSAGE, "to": ["anna@n.example", "Anna@N.example"]})

    assert preview.key_figure is not None
    assert preview.key_figure.value == "1"


@pytest.mark.parametrize(
    "change",
    [
        {"subject": "Hi\r\nBcc: all@evil.example"},
        {"subject": "Hi\nX: y"},
        {"subject": "Hi\u2028Bcc: x@y.example"},
        {"subject": "Hi\0"},
        {"subject": ""},
        {"subject": "  "},
        {"to": "a@b.example\nBcc: c@d.example"},
        {"to": "a@b.example\n"},
        {"to": "a@b.example, c@d.example"},
        {"to": "Anna <a@b.example>"},
        {"to": "а@b.example"},
        {"to": "a@b"},
        {"to": "a@@b.example"},
        {"to": ".a@b.example"},
        {"to": "a@-b.example"},
        {"to": ""},
        {"to": []},
        {"to": ["a@b.example", ""]},
        {"to": ["a@b.example"] * 101},
        {"to": 5},
        {"bcc": "x@y.example"},
        {"body": "\ud83d"},
    ],
)
async def test_what_would_smuggle_something_in_is_invalid(bench: Workbench, change: dict[str, Any]) -> None:
    error = await bench.error("email_send", **{**MESSAGE, **change})

    assert error.code == "invalid"
    assert "\n" not in error.message
    assert outbox(bench) == []


@given(st.text(max_size=60), st.text(max_size=200))
async def test_no_text_adds_a_header_or_a_recipient(
    tmp_path_factory: pytest.TempPathFactory, subject: str, body: str
) -> None:
    bench = Workbench(tmp_path_factory.mktemp("bench"))
    answer = await bench.answer("email_send", to="a@b.example", subject=subject, body=body)
    if isinstance(answer, ToolError):
        assert answer.code == "invalid"
        return
    (file,) = outbox(bench)
    message = message_from_bytes(file.read_bytes(), policy=default)

    assert {name.lower() for name in message} <= {
        "from", "to", "subject", "date", "message-id", "content-type", "content-transfer-encoding", "mime-version",
    }  # fmt: skip
    assert str(message["To"]) == "a@b.example"
    assert not message.is_multipart()
    assert lines(message.get_content()) == lines(body)


async def test_one_call_is_one_message(bench: Workbench) -> None:
    bench.calls = 1
    first = await bench.executor.execute(bench.authorise("email_send", {}, **MESSAGE), bench.context())
    again = await bench.executor.execute(bench.authorise("email_send", {}, attempt=2, **MESSAGE), bench.context())

    assert isinstance(first, Outcome)
    assert isinstance(again, ToolError)
    assert again.code == "exists"
    assert len(outbox(bench)) == 1


async def test_a_message_in_the_outbox_happened_and_a_missing_one_proves_nothing(bench: Workbench) -> None:
    bench.calls = 1
    context = bench.context(idempotency_key="s-1/c-1")
    tool = bench.registry.find("email_send")
    before = await bench.executor.probe(tool, MESSAGE, context)
    await bench.executor.execute(bench.authorise("email_send", {}, **MESSAGE), bench.context())
    after = await bench.executor.probe(tool, MESSAGE, context)

    assert before is not None
    assert before.happened is None
    assert after is not None
    assert after.happened is True


async def test_recipients_that_no_file_names_are_warned_about(bench: Workbench) -> None:
    bench.write("customers.csv", "name,mail\nAnna,Anna@Nordwind.example\n")
    preview = await bench.preview("email_send", **MESSAGE)
    known = await bench.preview("email_send", **{**MESSAGE, "to": "anna@nordwind.example"})
    check = next(check for check in preview.checks if check.name == "recipients are known here")

    assert check.result is CheckResult.WARN
    assert check.detail == "No workspace file names ben@alba.example."
    assert results(known)["recipients are known here"] is CheckResult.PASS


@pytest.mark.parametrize("body", ["", "  \n", "Dear {{name}},", "Dear [Name], pay [amount]"])
async def test_an_unfinished_message_fails_a_check(bench: Workbench, body: str) -> None:
    preview = await bench.preview("email_send", **{**MESSAGE, "body": body})

    assert CheckResult.FAIL in results(preview).values()


async def test_rules_see_the_recipients_and_their_domains(bench: Workbench) -> None:
    examined = await bench.examine("email_send", **MESSAGE)

    assert examined.resolved is not None
    assert examined.resolved.arguments == MESSAGE
    assert examined.resolved.facts == {
        "to": ["anna@nordwind.example", "ben@alba.example"],
        "domain": ["alba.example", "nordwind.example"],
    }
