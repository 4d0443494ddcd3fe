"""The rows of the benchmark, by name. Adding one is its file and its name here."""

from tests.bench.figures import Row
from tests.bench.rows import cost_graph, database, decisions, engine, first_window, journal, peers, streams, trace

ROWS: dict[str, Row] = {
    "engine": engine.measure,
    "journal": journal.measure,
    "database": database.measure,
    "first-window": first_window.measure,
    "trace": trace.measure,
    "streams": streams.measure,
    "cost-graph": cost_graph.measure,
    "decisions": decisions.measure,
    "peers": peers.measure,
}
