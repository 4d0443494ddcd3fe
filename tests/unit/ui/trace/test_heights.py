"""Heights answer as a plain list of heights would, with blocks, guesses and late knowledge."""

from hypothesis import given
from hypothesis import strategies as st

from ui.models.trace.heights import BLOCK, Heights


class Plain:
    """The same, the slow way."""

    def __init__(self, rows: list[int]) -> None:
        self.rows = rows

    def top(self, place: int) -> int:
        return sum(self.rows[:place])

    def at(self, y: int) -> tuple[int, int]:
        left = max(0, y)
        for place, height in enumerate(self.rows):
            if left < height:
                return place, left
            left -= height
        return len(self.rows) - 1, max(0, self.rows[-1] - 1)


def seen(rows: list[int]) -> Heights:
    """Heights whose every block has been looked at."""
    heights = Heights(lambda place: rows[place], 10)
    heights.clear(len(rows))
    for place in range(0, len(rows), BLOCK):
        heights.height(place)
    return heights


@given(rows=st.lists(st.integers(0, 90), min_size=1, max_size=3 * BLOCK), y=st.integers(-50, 90_000))
def test_tops_and_places_agree_with_a_plain_sum(rows: list[int], y: int) -> None:
    heights, plain = seen(rows), Plain(rows)
    assert heights.total == sum(rows)
    for place in range(0, len(rows) + 1, 97):
        assert heights.top(place) == plain.top(place)
    if any(rows) and y < heights.total:
        place, offset = heights.at(y)
        assert heights.top(place) + offset == max(0, y)


@given(
    rows=st.lists(st.integers(1, 90), min_size=1, max_size=2 * BLOCK),
    changes=st.lists(st.tuples(st.integers(0, 2 * BLOCK), st.integers(0, 500)), max_size=20),
    more=st.lists(st.integers(1, 90), max_size=BLOCK),
)
def test_changed_and_appended_rows_count_from_then_on(
    rows: list[int], changes: list[tuple[int, int]], more: list[int]
) -> None:
    known = list(rows)
    heights = Heights(lambda place: known[place], 10)
    heights.clear(len(known))
    for place in range(0, len(known), BLOCK):
        heights.height(place)
    for place, height in changes:
        known[place % len(rows)] = height
        heights.set(place % len(rows), height)
    known += more
    heights.append(len(more))
    for place in range(0, len(known), BLOCK):
        heights.height(place)
    assert heights.total == sum(known)
    assert heights.top(len(known) - 1) == sum(known[:-1])


def test_only_the_blocks_that_are_looked_at_are_measured() -> None:
    asked: list[int] = []

    def guess(place: int) -> int:
        asked.append(place)
        return 30

    heights = Heights(guess, 30)
    heights.clear(1_000_000)
    assert heights.total == 30_000_000
    assert heights.at(15_000_000) == (500_000, 0)
    heights.set(500_000, 90)
    assert heights.total == 30_000_060
    heights.append(1_000)
    assert heights.top(1_000_999) == 30_000_060 + 30 * 999
    assert len(asked) <= 2 * BLOCK


def test_a_new_width_is_taken_up_block_by_block() -> None:
    pitch = 20
    heights = Heights(lambda _place: pitch, 20)
    heights.clear(2 * BLOCK)
    heights.height(0)
    heights.height(BLOCK)
    pitch = 40
    heights.new_width()
    assert heights.total == 2 * BLOCK * 20
    assert heights.height(0) == 40
    assert heights.total == BLOCK * 60


def test_a_place_in_the_middle_of_a_row_is_that_row() -> None:
    heights = seen([30, 0, 50])
    assert heights.at(29) == (0, 29)
    assert heights.at(30) == (2, 0)
    assert heights.at(10_000) == (2, 49)
    assert heights.at(-5) == (0, 0)
