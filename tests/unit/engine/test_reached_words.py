"""What the card of a limit says first."""

import pytest

from agent_core.engine.budget_card import reached_words
from agent_core.model.budget import LimitName
from agent_core.model.events import LimitReached


@pytest.mark.parametrize(
    ("limit", "spent", "value", "words"),
    [
        (LimitName.STEPS, "12", "12", "The limit of steps is reached: 12 of 12 used"),
        (LimitName.TOKENS, "500000", "500000", "The limit of tokens is reached: 500,000 of 500,000 used"),
        (
            LimitName.TOKENS, "349308", "500000",
            "The limit of tokens leaves no room for the next step: 349,308 of 500,000 used",
        ),
        (
            LimitName.COST_USD, "0.4931", "0.50",
            "The limit of cost leaves no room for the next step: 0.4931 of 0.50 used",
        ),
        (LimitName.COST_USD, "none", "0.50", "The limit of cost is reached: unknown of 0.50 used"),
    ],
)  # fmt: skip
def test_a_limit_is_only_said_to_be_reached_when_nothing_is_left(
    limit: LimitName, spent: str, value: str, words: str
) -> None:
    assert reached_words(LimitReached(limit=limit, value=value, spent=spent)) == words
