"""The points of the torture, in the order of the guarantees."""

from tests.torture import loops, money, secrets, times
from tests.torture.deciding import binding, races
from tests.torture.forging import measure as forging
from tests.torture.kill import measure as kill
from tests.torture.leaving import measure as leaving
from tests.torture.report import Named
from tests.torture.stopping import measure as stopping
from tests.torture.storage import measure as storage
from tests.torture.streams import histories, outages
from tests.torture.text import measure as text

POINTS: tuple[Named, ...] = (
    Named(1, "Kill anywhere", kill.measure),
    Named(2, "One of everything", races.measure),
    Named(3, "Approvals bind", binding.measure),
    Named(4, "History is always valid", histories.measure),
    Named(5, "Providers fail", outages.measure),
    Named(6, "Money and limits", money.measure),
    Named(7, "Loops", loops.measure),
    Named(8, "Time", times.measure),
    Named(9, "Storage", storage.measure),
    Named(10, "Processes and exit", leaving.measure),
    Named(11, "Secrets", secrets.measure),
    Named(12, "Text", text.measure),
    Named(13, "Stop and containment", stopping.measure),
    Named(14, "The agent cannot approve itself", forging.measure),
)
