"""Pages: every kind of card stands on them, with what it would change."""

import pytest

from agent_core.engine.pages.preview import preview
from agent_core.model.plan import PlanStep
from agent_core.model.proposal import (
    ImageChange,
    Picture,
    PlanChange,
    PlannedStep,
    Proposal,
    Sign,
    StepAsks,
    WhatChanges,
)
from tests.support.sample_cards import every_kind


@pytest.mark.parametrize("card", every_kind(), ids=lambda card: str(card.touchpoint.value))
def test_a_preview_shows_its_headline_or_says_that_there_is_none(card: Proposal) -> None:
    if card.what_changes is not None:
        shown = "".join(preview(card.what_changes))
        assert card.what_changes.headline in shown or "No preview" in shown


def test_a_plan_and_a_picture_are_shown_step_by_step_and_by_what_they_are() -> None:
    step = PlanStep(id="s2", goal="Send <it>", tool="email_send", after=["s1"])
    planned = PlannedStep(sign=Sign.ADDED, step=step, reversibility=None, asks=StepAsks.YES, asks_because="It leaves.")
    picture = Picture(form="PNG image", size=12, sha256="ab" * 32)
    parts = [PlanChange(steps=[planned]), ImageChange(path="a.png", before=None, after=picture)]

    shown = "".join(preview(WhatChanges(headline="2 changes", parts=parts)))

    for words in ("s2", "Send &lt;it&gt;", "s1", "yes: It leaves.", "a.png", "no file", "PNG image, 12 bytes"):
        assert words in shown
