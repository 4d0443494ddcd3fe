"""The loop that people write by hand around the SDK's `messages.stream`. Nothing is saved, nothing is checked."""

import asyncio
import json
from typing import Any

from anthropic import AsyncAnthropic

from tests.bench.conversation import MAX_TOKENS, MODEL, SYSTEM, TOOL, goal, note
from tests.bench.loops.spent import WARM, spent
from tests.bench.worker import serve


async def converse(client: AsyncAnthropic, steps: int) -> None:
    """One run to its end."""
    messages: list[Any] = [{"role": "user", "content": goal(steps)}]
    shown: list[str] = []
    show = shown.append
    settings: dict[str, Any] = {"model": MODEL, "max_tokens": MAX_TOKENS, "system": SYSTEM, "tools": [TOOL]}
    while True:
        async with client.messages.stream(**settings, messages=messages) as stream:
            async for text in stream.text_stream:
                show(text)
            message = await stream.get_final_message()
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            return
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": json.dumps(note(str(block.input["key"])))}
            for block in message.content
            if block.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})


async def _measured(url: str, steps: int, runs: int) -> dict[str, Any]:
    async with AsyncAnthropic(api_key="bench", base_url=url, max_retries=0) as client:
        await converse(client, WARM)
        return await spent(asyncio.gather(*(converse(client, steps) for _ in range(runs))))


def run(url: str, steps: int, runs: int) -> dict[str, Any]:
    """That many runs side by side."""
    return asyncio.run(_measured(url, steps, runs))


if __name__ == "__main__":
    serve({"run": run})
