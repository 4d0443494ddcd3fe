"""What a recording costs, worked out again from its bytes and a price list of our own."""

from decimal import Decimal
from typing import Any

from agent_core.model.budget import Spend
from tests.torture.streams.recordings import Recording, events_of

_FIGURES = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_PRICES = {
    "claude-haiku-4-5": ("1", "5", "0.1", "1.25", "2"),
    "claude-sonnet-4-5": ("3", "15", "0.3", "3.75", "6"),
    "claude-sonnet-4-2": ("3", "15", "0.3", "3.75", "6"),
    "claude-opus-4-5": ("5", "25", "0.5", "6.25", "10"),
    "claude-opus-4-1": ("15", "75", "1.5", "18.75", "30"),
}
"""US dollars per million tokens: input, output, cache read, cache write of five minutes, of an hour."""
_LONG = 200_000
"""Above so many input tokens some models have other prices; such answers are not worked out here."""


def final_usage(stream: bytes) -> dict[str, Any]:
    """The last value of each figure."""
    usage: dict[str, Any] = {}
    for event in events_of(stream):
        stated = event.get("message", {}).get("usage") if event.get("type") == "message_start" else event.get("usage")
        usage.update({name: value for name, value in (stated or {}).items() if value is not None})
    return usage


def tokens(recording: Recording, answers: int) -> dict[str, int]:
    """The sums of the final figures of so many answers."""
    usages = [final_usage(stream) for stream in recording.streams[:answers]]
    return {name: sum(int(usage.get(name) or 0) for usage in usages) for name in _FIGURES}


def booked(spend: Spend) -> dict[str, int]:
    """The same figures as a run has them."""
    values = (spend.input_tokens, spend.output_tokens, spend.cache_read_tokens, spend.cache_write_tokens)
    return dict(zip(_FIGURES, values, strict=True))


def cost(stream: bytes) -> Decimal | None:
    """What one answer costs, to the last digit; None where it is not for us to say."""
    model = next(str(e["message"].get("model")) for e in events_of(stream) if e.get("type") == "message_start")
    prices = next((value for name, value in _PRICES.items() if model.startswith(name)), None)
    usage = final_usage(stream)
    if prices is None or "iterations" in usage or usage.get("server_tool_use"):
        return None
    fresh, out, read, short, long_ = map(Decimal, prices)
    written = int(usage.get("cache_creation_input_tokens") or 0)
    hour = int((usage.get("cache_creation") or {}).get("ephemeral_1h_input_tokens") or 0)
    reads = int(usage.get("cache_read_input_tokens") or 0)
    if int(usage.get("input_tokens") or 0) + written + reads > _LONG:
        return None
    total = fresh * int(usage["input_tokens"]) + out * int(usage["output_tokens"]) + read * reads
    return (total + short * (written - hour) + long_ * hour) / Decimal(1_000_000)
