"""email_send: hand a message to the outbox, one .eml file each. Nothing calls it back."""

import re
import time
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.proposal import Check, CheckResult, KeyFigure, MessageChange, WhatChanges
from agent_core.tools.base import (
    Arguments,
    Outcome,
    Preview,
    Privileges,
    ProbeAnswer,
    Resolved,
    Tool,
    ToolContext,
    ToolFailure,
    ToolLimits,
    fail,
    given,
)
from agent_core.tools.shared.textfile import decoded
from agent_core.tools.shared.trash import write_atomically
from agent_core.tools.shared.view import Kind, Reader, View
from agent_core.tools.shared.words import count, shown

MOST_RECIPIENTS = 100
LARGEST_BODY = 200_000
SENDER = "agent@pilothouse.invalid"
"""Until mail leaves through a real account; `.invalid` belongs to nobody (RFC 2606)."""

_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_ADDRESS = rf"^{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})+$(?!\n)"
"""The form of an address that every mail system takes: the dot-atom of RFC 5322, and a host name with a dot."""

_ONE_LINE = r"^(?=.*\S)[^\x00-\x1f\x7f\x85\u2028\u2029]+$(?!\n)"
"""A header's value: a line break in it would let the writer add headers of their own."""

_TO_FILL = re.compile(
    r"\{\{.*?\}\}|\[(your |the )?(name|amount|date|company|address)\]|<(name|amount)>|\bXXX\b|\bTBD\b", re.IGNORECASE
)
_LOOK_SECONDS = 2.0
_LOOK_BYTES = 1024 * 1024


def _address(text: str) -> str:
    if len(text) > 254 or not re.match(_ADDRESS, text):
        raise ValueError(f'"{shown(text[:80])}" is no plain e-mail address such as name@example.com')
    return text


def _one_line(text: str) -> str:
    if not re.match(_ONE_LINE, text):
        raise ValueError("must be one line of text, without control characters")
    return text


Recipient = Annotated[str, AfterValidator(_address), Field(json_schema_extra={"format": "email"})]


class EmailArguments(Arguments):
    """A message and its recipients."""

    to: Recipient | Annotated[list[Recipient], Field(min_length=1, max_length=MOST_RECIPIENTS)] = Field(
        description="Address, or list of addresses, of the recipients. All of them see each other."
    )
    subject: Annotated[str, AfterValidator(_one_line)] = Field(
        max_length=300, description="One line.", json_schema_extra={"pattern": _ONE_LINE}
    )
    body: str = Field(max_length=LARGEST_BODY, description="The whole message as plain text.")

    @property
    def recipients(self) -> list[str]:
        """The recipients, in order, each once."""
        listed = [self.to] if isinstance(self.to, str) else self.to
        return list({address.casefold(): address for address in reversed(listed)}.values())[::-1]


class EmailSend(Tool[EmailArguments]):
    """Send an e-mail."""

    name = "email_send"
    description = (
        "Sends a plain-text e-mail to one or several recipients. Returns the message's id. It cannot be called back. "
        "Not for drafts: write those with files_write."
    )
    arguments = EmailArguments
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.IRREVERSIBLE
    privileges = Privileges(reads=["workspace"], writes=["outbox"])
    limits = ToolLimits(input_bytes=LARGEST_BODY, items=MOST_RECIPIENTS)
    leaves_company = True
    draft_ending = ".eml"
    sensitive = ("to",)
    real = False

    def resolve(self, arguments: EmailArguments, context: ToolContext) -> Resolved:
        """The recipients and their domains, as rules see them."""
        recipients = arguments.recipients
        domains = sorted({_domain(address) for address in recipients})
        return Resolved(arguments=given(arguments), facts={"to": recipients, "domain": domains})

    def preview(self, arguments: EmailArguments, context: ToolContext) -> Preview:
        """The message as it would leave."""
        recipients = arguments.recipients
        number = len(recipients)
        domains = sorted({_domain(address) for address in recipients})
        change = MessageChange(to=recipients, subject=arguments.subject, body=arguments.body)
        return Preview(
            summary=f"Send an e-mail to {_whom(recipients)}: {shown(arguments.subject)}",
            what_changes=WhatChanges(
                headline=f"1 message to {count(number, 'recipient')} at {', '.join(domains)}",
                parts=[change],
                not_happening=["No file of the workspace changes.", "Nothing is attached."],
            ),
            checks=_checks(arguments, recipients, context),
            could_go_wrong=[
                "Whoever receives it keeps it, and may pass it on.",
                "A wrong address tells a stranger what the message says.",
                *(["Recipients see each other's addresses."] if number > 1 else []),
            ],
            way_back="None: a message that has left cannot be called back.",
            key_figure=KeyFigure(label="number of recipients", value=str(number)),
            system="mail outbox",
        )

    def draft(self, arguments: EmailArguments, context: ToolContext) -> bytes:
        """The message as it would leave."""
        return _message(arguments, context).as_bytes(policy=SMTP)

    def run(self, arguments: EmailArguments, context: ToolContext) -> Outcome:
        """Put the message into the outbox as a whole."""
        path = context.outbox / _file_name(context)
        if path.exists():
            fail("exists", "This message is in the outbox already.", "Do not send it again.")
        message = _message(arguments, context)
        context.check_cancelled()
        write_atomically(path, message.as_bytes(policy=SMTP))
        return Outcome(
            result={"message_id": message["Message-ID"], "recipients": arguments.recipients},
            summary=f"Sent an e-mail to {_whom(arguments.recipients)}",
        )

    def probe(self, arguments: EmailArguments, context: ToolContext) -> ProbeAnswer | None:
        """It happened when it lies in the outbox; an empty place proves nothing, for mail is fetched from there."""
        if (context.outbox / _file_name(context)).exists():
            return ProbeAnswer(happened=True, detail="The message lies in the outbox.")
        return ProbeAnswer(happened=None, detail="The message is not in the outbox; it may have been fetched already.")


def _file_name(context: ToolContext) -> str:
    key = context.idempotency_key or f"{context.session}-{context.call_id}"
    return re.sub(r"[^A-Za-z0-9_-]", "-", key)[:150] + ".eml"


def _message(arguments: EmailArguments, context: ToolContext) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    message["From"] = SENDER
    message["To"] = ", ".join(arguments.recipients)
    message["Subject"] = arguments.subject
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = f"<{_file_name(context).removesuffix('.eml')}@pilothouse.invalid>"
    message.set_content(arguments.body)
    return message


def _whom(recipients: list[str]) -> str:
    return shown(recipients[0]) if len(recipients) == 1 else count(len(recipients), "recipient")


def _domain(address: str) -> str:
    return address.rpartition("@")[2].lower()


def _checks(arguments: EmailArguments, recipients: list[str], context: ToolContext) -> list[Check]:
    body = arguments.body.strip()
    checks = [
        Check(name="addresses are valid", result=CheckResult.PASS, weight=0.5),
        Check(
            name="message has a text",
            result=CheckResult.PASS if body else CheckResult.FAIL,
            weight=1.0,
            detail="" if body else "The message is empty.",
        ),
        _no_gaps_left(arguments),
    ]
    return [*checks, _recipients_known(recipients, context)]


def _no_gaps_left(arguments: EmailArguments) -> Check:
    found = _TO_FILL.search(f"{arguments.subject}\n{arguments.body}")
    result = CheckResult.PASS if found is None else CheckResult.FAIL
    detail = "" if found is None else f'A place is not filled in: "{shown(found.group()[:60])}".'
    return Check(name="no place left to fill", result=result, weight=1.0, detail=detail)


def _recipients_known(recipients: list[str], context: ToolContext) -> Check:
    """Whether the workspace knows the recipients; looked for within bounds, and said when that was not enough."""
    name, weight = "recipients are known here", 2.0
    missing, complete = _not_seen(recipients, context)
    if not missing:
        return Check(name=name, result=CheckResult.PASS, weight=weight, detail="Each address is in a workspace file.")
    listed = ", ".join(missing[:5]) + (" and more" if len(missing) > 5 else "")
    seen = "No workspace file names" if complete else "Not all files could be looked at; none of the others names"
    return Check(name=name, result=CheckResult.WARN, weight=weight, detail=f"{seen} {listed}.")


def _not_seen(recipients: list[str], context: ToolContext) -> tuple[list[str], bool]:
    view = View(context)
    missing = {address.casefold(): address for address in recipients}
    deadline = time.monotonic() + _LOOK_SECONDS
    complete = True
    try:
        with Reader(view) as reader:
            for entry in view.walk(view.workspace.place("."), unread=[]):
                if not missing or time.monotonic() > deadline:
                    break
                if entry.kind is not Kind.FILE or entry.size > _LOOK_BYTES:
                    complete = complete and entry.kind is not Kind.FILE
                    continue
                text = (decoded(reader.read(entry)) or "").casefold()
                missing = {key: address for key, address in missing.items() if key not in text}
        complete = complete and time.monotonic() <= deadline
    except ToolFailure as failure:
        if failure.error.code == "cancelled":
            raise
        complete = False
    return list(missing.values()), complete
