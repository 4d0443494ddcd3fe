"""The rules of the Messages API that a history must keep, as one checker for tests."""

import json
from collections.abc import Sequence
from typing import Any

import msgspec


def history_problems(messages: Sequence[dict[str, Any]]) -> list[str]:
    """What the service would refuse in these messages: empty when they are valid."""
    problems: list[str] = []
    seen: set[str] = set()
    if not messages or messages[0]["role"] != "user":
        problems.append("the first message is not the user's")
    if messages and messages[-1]["role"] != "user":
        problems.append("the last message is not the user's")
    for place, message in enumerate(messages):
        if place and messages[place - 1]["role"] == message["role"]:
            problems.append(f"{place}: two messages of the {message['role']} in a row")
        if not message["content"]:
            problems.append(f"{place}: empty")
        problems += [f"{place}: {problem}" for block in message["content"] for problem in _block_problems(block)]
        before = messages[place - 1] if place else {"role": "", "content": []}
        after = messages[place + 1] if place + 1 < len(messages) else {"content": []}
        if message["role"] == "user":
            problems += _answer_problems(place, message["content"], _asked(before))
        asked = _asked(message)
        if asked != [b["tool_use_id"] for b in after["content"] if b.get("type") == "tool_result"]:
            problems.append(f"{place}: calls {asked} are not answered once each, in order, in the next message")
        problems += [
            f"{place}: the id {use_id} comes twice" for use_id in asked if use_id in seen or asked.count(use_id) > 1
        ]
        seen.update(asked)
    return problems


def raw_problems(messages: Sequence[msgspec.Raw]) -> list[str]:
    """The same for messages as they are sent: they must be UTF-8 and JSON too."""
    decoded = []
    for raw in messages:
        text = bytes(raw).decode("utf-8", "strict")
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode("utf-8", "strict")
        decoded.append(value)
    return history_problems(decoded)


def _asked(message: dict[str, Any]) -> list[str]:
    is_assistant = message["role"] == "assistant"
    return [block["id"] for block in message["content"] if is_assistant and block.get("type") == "tool_use"]


def _answer_problems(place: int, content: list[dict[str, Any]], asked: list[str]) -> list[str]:
    kinds = [block.get("type") for block in content]
    problems = []
    if "tool_result" in kinds[kinds.count("tool_result") :]:
        problems.append(f"{place}: results do not come first")
    answered = [block["tool_use_id"] for block in content if block.get("type") == "tool_result"]
    if answered != asked:
        problems.append(f"{place}: results {answered} for calls {asked}")
    return problems


def _block_problems(block: dict[str, Any]) -> list[str]:
    problems = []
    if block.get("type") == "text" and not block.get("text", "").strip():
        problems.append("a text without text")
    if block.get("type") == "thinking" and not block.get("signature"):
        problems.append("thinking without a signature")
    if block.get("type") == "tool_use" and not isinstance(block.get("input"), dict):
        problems.append("tool input that is not an object")
    return problems
