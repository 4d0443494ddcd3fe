"""LangGraph with its SQLite checkpointer: model and tools as nodes, tokens streamed, each step saved before the next.

Runs on the extra `bench`, and needs nothing of Pilothouse.
"""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from langchain_anthropic import ChatAnthropic
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from tests.bench.conversation import MAX_TOKENS, MODEL, SYSTEM, goal, note
from tests.bench.loops.spent import WARM, spent
from tests.bench.worker import serve

_RUNNER = asyncio.Runner()
"""One loop for all tasks: LangChain keeps its connections from one model to the next."""


@tool
def notes_read(key: str) -> dict[str, Any]:
    """Gives one note by its key. `found` is false when there is no note of that key."""
    return note(key)


def _graph(url: str, saver: AsyncSqliteSaver) -> Any:
    model = ChatAnthropic(
        model=MODEL, max_tokens=MAX_TOKENS, base_url=url, api_key="bench", max_retries=0, streaming=True
    ).bind_tools([notes_read])

    async def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke([("system", SYSTEM), *state["messages"]])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", ask)
    graph.add_node("tools", ToolNode([notes_read]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
    graph.add_edge("tools", "model")
    return graph.compile(checkpointer=saver)


async def converse(graph: Any, thread: str, steps: int) -> None:
    """One run to its end, heard token by token."""
    config = {"configurable": {"thread_id": thread}, "recursion_limit": 2 * steps + 10}
    asked = {"messages": [("user", goal(steps))]}
    heard = 0
    async for _ in graph.astream(asked, config, stream_mode="messages", durability="sync"):
        heard += 1
    if heard < steps:
        raise RuntimeError(f"only {heard} pieces of text came")


async def _measured(url: str, steps: int, runs: int, folder: str) -> dict[str, Any]:
    path = Path(folder) / "langgraph.db"
    async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        graph = _graph(url, saver)
        await converse(graph, "warm", WARM)
        took = await spent(asyncio.gather(*(converse(graph, f"run-{run}", steps) for run in range(runs))))
    return {**took, "bytes": path.stat().st_size}


def run(url: str, steps: int, runs: int) -> dict[str, Any]:
    """That many threads side by side, in a database of their own."""
    with tempfile.TemporaryDirectory(prefix="pilothouse-bench-") as folder:
        return _RUNNER.run(_measured(url, steps, runs, folder))


if __name__ == "__main__":
    serve({"run": run})
