"""bank_pay, the demo's bank: its card says what would be paid, and nobody learns by itself whether it was."""

from pathlib import Path
from typing import Any

import pytest

from agent_core.model.action import ToolError
from agent_core.model.proposal import FieldsChange, KeyFigure
from agent_core.tools.bank import BankPay
from agent_core.tools.executor import OutcomeUnknown
from tests.unit.tools.workbench import Workbench

ORDER: dict[str, Any] = {
    "payee": "Northfield Timber",
    "account": "ZZ47 0000 2210 7785",
    "amount": "846.40",
    "reference": "0392",
}


@pytest.fixture
def bank(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path, tools=[BankPay()])


async def test_the_card_shows_the_order_and_asks_for_its_amount(bank: Workbench) -> None:
    preview = await bank.preview("bank_pay", **ORDER)
    (part,) = preview.what_changes.parts

    assert preview.summary == "Pay 846.40 euros to Northfield Timber"
    assert preview.key_figure == KeyFigure(label="amount in euros", value="846.40")
    assert isinstance(part, FieldsChange)
    assert [row.after for row in part.rows] == [
        "Northfield Timber", "ZZ47 0000 2210 7785", "846.40 euros", "0392",
    ]  # fmt: skip


async def test_no_answer_comes_back_and_no_check_can_tell(bank: Workbench) -> None:
    answer = await bank.answer("bank_pay", **ORDER)
    found = bank.probe("bank_pay", {}, **ORDER)

    assert isinstance(answer, OutcomeUnknown)
    assert "may have taken effect" in answer.why
    assert found is not None
    assert (found.happened, len(found.looked)) == (None, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"amount": "0.00"},
        {"amount": "0846.40"},
        {"amount": "846.4"},
        {"amount": "-1.00"},
        {"amount": "1e3"},
        {"amount": "846.40\n"},
        {"payee": " "},
        {"account": "ZZ47\n0000"},
        {"reference": "a\u202eb"},
    ],
)
async def test_what_no_bank_would_take_is_refused(bank: Workbench, change: dict[str, str]) -> None:
    examined = await bank.examine("bank_pay", **{**ORDER, **change})

    assert isinstance(examined.error, ToolError)
    assert examined.error.code == "invalid"
