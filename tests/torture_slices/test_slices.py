"""A short seeded slice of every point of the torture. `make torture` runs them in full."""

from pathlib import Path

import pytest

from tests.torture.points import POINTS
from tests.torture.report import Named, Options


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("named", POINTS, ids=[f"{named.number}-{named.title.lower()}" for named in POINTS])
def test_a_slice_holds(named: Named, tmp_path: Path) -> None:
    point = named.measure(Options(seed=3, quick=True, scratch=tmp_path))

    failed = [f"{f.name}: {f.measured}, wanted {f.wanted}" for f in point.figures if not f.holds]
    assert point.figures
    assert not failed, "\n".join([*failed, *point.problems])
