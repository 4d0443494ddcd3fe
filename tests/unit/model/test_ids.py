"""Identifiers as people say them: whole, or in the short form of the screen."""

import pytest

from agent_core.model.errors import InputError
from agent_core.model.ids import meant, short

ONE, OTHER, TWIN = "p-01m8pc9829-cjfbfr", "p-01m8pc9bg2-2wprhw", "p-01m8qd0000-cjfbfr"


def test_the_short_form_is_the_prefix_and_the_random_end() -> None:
    assert [short(ONE), short("s-1"), short("home")] == ["p-cjfbfr", "s-1", "home"]


@pytest.mark.parametrize("said", [ONE, short(ONE), "cjfbfr", "01m8pc9829-cjfbfr"])
def test_one_is_meant_by_every_form_that_a_screen_shows(said: str) -> None:
    assert meant("proposal", said, [ONE, OTHER]) == ONE


@pytest.mark.parametrize("said", ["", "p", "p-", "-", "fbfr", "p-01m8pc9829", "s-cjfbfr", "p-cjfbfrx", "P-%"])
def test_nothing_else_means_anything(said: str) -> None:
    assert meant("proposal", said, [ONE, OTHER]) is None


def test_what_can_mean_several_is_refused_with_all_of_them() -> None:
    with pytest.raises(InputError) as refusal:
        meant("proposal", "p-cjfbfr", [TWIN, OTHER, ONE])
    assert str(refusal.value) == f"p-cjfbfr can mean 2 proposals; name one in full: {ONE}, {TWIN}"
    assert refusal.value.exit_code == 2


def test_a_whole_identifier_means_itself_also_where_it_is_the_end_of_another() -> None:
    assert meant("session", "s-1", ["s-1", "x-s-1"]) == "s-1"
