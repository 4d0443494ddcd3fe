"""bank_pay: the demo's bank. It reaches nothing and pays nobody: its line breaks after every order.

So a story can show what becomes of a call whose answer never comes. Only demo sessions have it.
"""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.proposal import FieldChange, FieldsChange, KeyFigure, Sign, WhatChanges
from agent_core.tools.base import (
    Arguments,
    CutOff,
    Outcome,
    Preview,
    Privileges,
    ProbeAnswer,
    Tool,
    ToolContext,
    ToolLimits,
)
from agent_core.tools.shared.words import shown

_AMOUNT = r"^(0|[1-9][0-9]{0,6})\.[0-9]{2}$(?!\n)"
"""Exactly as a bill writes it: it is the figure that an approval types."""
LONGEST = 140
"""What a transfer's lines hold."""


def _words(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("must be one line of text, without control characters")
    return text


def _euros(text: str) -> str:
    if not re.match(_AMOUNT, text) or not text.strip("0."):
        raise ValueError("must be more than nothing, in euros with two decimals, such as 120.00")
    return text


Line = Annotated[str, AfterValidator(_words), Field(max_length=LONGEST)]


class PaymentArguments(Arguments):
    """One transfer."""

    payee: Line = Field(description="Who is paid.")
    account: Line = Field(description="The payee's account, as the bill gives it.")
    amount: Annotated[str, AfterValidator(_euros)] = Field(
        description="Euros with two decimals, such as 120.00.", json_schema_extra={"pattern": _AMOUNT}
    )
    reference: Line = Field(description="What the payee knows it by, such as the number of the bill.")


class BankPay(Tool[PaymentArguments]):
    """Order a transfer, and never hear of it again."""

    name = "bank_pay"
    description = "Orders one transfer from the office's account. It cannot be called back. Not for direct debits."
    arguments = PaymentArguments
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.IRREVERSIBLE
    privileges = Privileges()
    limits = ToolLimits(items=1)
    leaves_company = True
    sensitive = ("account", "amount")
    real = False

    def preview(self, arguments: PaymentArguments, context: ToolContext) -> Preview:
        """The order as the bank would get it."""
        payee, amount = shown(arguments.payee), f"{arguments.amount} euros"
        order = {
            "payee": payee,
            "account": shown(arguments.account),
            "amount": amount,
            "reference": shown(arguments.reference),
        }
        rows = [FieldChange(sign=Sign.ADDED, field=field, after=after) for field, after in order.items()]
        return Preview(
            summary=f"Pay {amount} to {payee}",
            what_changes=WhatChanges(
                headline=f"1 transfer of {amount}",
                parts=[FieldsChange(title="Order to the bank", rows=rows)],
                not_happening=["No file of the workspace changes.", "This is a demo: no bank is reached."],
            ),
            could_go_wrong=["A wrong account pays a stranger.", "An order that is sent twice is paid twice."],
            way_back="None: the bank does not call a transfer back.",
            key_figure=KeyFigure(label="amount in euros", value=arguments.amount),
            system="demo bank",
        )

    def run(self, arguments: PaymentArguments, context: ToolContext) -> Outcome:
        """Break off where a real line could: after the order, before the answer."""
        context.check_cancelled()
        raise CutOff("The order was sent, and the line to the bank broke before an answer came.")

    def probe(self, arguments: PaymentArguments, context: ToolContext) -> ProbeAnswer | None:
        """The bank's list lags behind, so it cannot tell."""
        return ProbeAnswer(
            happened=None,
            detail="The bank lists transfers with up to 45 minutes' delay.",
            looked={"Transfers of the last 2 h": "not listed yet", "Balance of the account": "no change"},
        )
