"""The rows of the benchmark, by name. Adding one is its file and its name here."""

from tests.bench.figures import Row
from tests.bench.rows import database, engine, journal

ROWS: dict[str, Row] = {
    "engine": engine.measure,
    "journal": journal.measure,
    "database": database.measure,
}
