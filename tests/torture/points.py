"""The points of the torture, in the order of the guarantees."""

from tests.torture.kill import measure as kill_measure
from tests.torture.report import Named

POINTS: tuple[Named, ...] = (Named(1, "Kill anywhere", kill_measure.measure),)
