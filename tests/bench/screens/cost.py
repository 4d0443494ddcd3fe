"""The cost graph: one more step on top of very many, as the panel shows it."""

from datetime import UTC, datetime
from functools import cache
from typing import Any

import msgspec

from agent_core.model import events as ev
from tests.bench.screens.stage import seconds, settle, show, stage
from tests.bench.worker import serve
from tests.support.sample_session import Story
from ui.models.cost import CostModel
from ui.widgets.cost_graph import CostGraph

WIDTH, HEIGHT = 700, 190


@cache
def _answer() -> ev.Event:
    story = Story()
    story.respond(story.request(), "Read.", [("files_read", {"path": "ledger.csv"})])
    return story.events[-1]


def _step(number: int) -> ev.Event:
    return msgspec.structs.replace(_answer(), step=number)


@cache
def _costs(points: int) -> CostModel:
    costs = CostModel()
    costs.apply(map(_step, range(1, points + 1)))
    return costs


@cache
def _graph(points: int) -> CostGraph:
    graph = CostGraph()
    graph.build_plot()
    show(graph, WIDTH, HEIGHT)
    graph.set_state(_costs(points).state(None, datetime.now(UTC)))
    settle()
    return graph


def update(points: int) -> dict[str, Any]:
    """Seconds for one more step, drawn."""
    costs, graph = _costs(points), _graph(points)
    newest = _step(costs.bills[-1].last + 1)

    def take() -> None:
        costs.apply([newest])
        graph.set_state(costs.state(None, datetime.now(UTC)))
        graph.repaint()
        settle()

    return {"seconds": seconds(take)}


if __name__ == "__main__":
    stage()
    serve({"update": update})
