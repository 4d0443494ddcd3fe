"""`pilothouse decide`: record one decision. Whoever works the session executes it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from agent_core.config.operators import operator_name, who_decides
from agent_core.config.values import shown
from agent_core.engine.harness import Harness
from agent_core.model.errors import DecisionRefused
from agent_core.model.proposal import Via
from agent_core.model.strict_json import read_json
from console.deciding import Reply, intent
from console.engine_room import run
from console.output import Output
from console.passphrase import unlock


def record(
    environ: Mapping[str, str],
    output: Output,
    *,
    proposal: str,
    verdict: str,
    args: str | None,
    reason: str | None,
    answer: str | None,
    by: str | None,
) -> int:
    """Record it, or say in one sentence why it is refused; then nothing has changed."""
    reply = Reply(verdict=verdict, args=_object(args), reason=reason, answer=answer)
    who = operator_name(by, "--by") if by is not None else who_decides(environ)

    async def work(harness: Harness) -> int:
        found = await harness.desk.find(proposal)
        await unlock(harness, who, environ)
        receipt = await harness.desk.decide(intent(found, reply, by=who, via=Via.CLI))
        if output.as_json:
            fields = ("proposal", "session", "verdict", "by", "at", "closed")
            output.value({name: msgspec.to_builtins(getattr(receipt, name)) for name in fields})
        state = "closed" if receipt.closed else "still open"
        output.line(f"{receipt.by} says {receipt.verdict}; the card is {state}. Session {receipt.session}.")
        return 0

    return run(environ, work)


def _object(text: str | None) -> dict[str, Any] | None:
    """The object that --args holds; refused as a decision, so that scripts see the card was left open."""
    if text is None:
        return None
    try:
        value = read_json(text)
    except ValueError as error:
        raise DecisionRefused(f"--args is not JSON: {error}", "invalid") from None
    if not isinstance(value, dict):
        raise DecisionRefused(f"--args must be a JSON object, not {shown(value)}", "invalid")
    return value
