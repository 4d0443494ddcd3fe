"""The executor: the one way by which a tool runs. It takes only what the gate step authorised, and checks it again."""

import asyncio
import hmac
import math
import threading
import traceback
from dataclasses import replace
from typing import Any

import msgspec

from agent_core.model.action import EffectClass, Source, ToolError
from agent_core.model.text import clean, clean_json
from agent_core.tools.authorised import Authorised, CallDigest, Stamp
from agent_core.tools.base import (
    Arguments,
    Cancelled,
    CutOff,
    Outcome,
    Preview,
    ProbeAnswer,
    Resolved,
    Tool,
    ToolContext,
    ToolFailure,
)
from agent_core.tools.registry import Registry
from agent_core.tools.threads import THREADS
from agent_core.tools.undo import take_back

GRACE = 2.0

TAKE_BACK_SECONDS = 30.0


class OutcomeUnknown(msgspec.Struct, frozen=True, kw_only=True):
    """The call was started and may have taken effect. Nobody may run it again without a person's word."""

    why: str


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """A call held against the world without running it. `error` says why there is no preview, or no call at all."""

    arguments: Arguments | None = None
    resolved: Resolved | None = None
    preview: Preview | None = None
    error: ToolError | None = None


Answer = Outcome | ToolError | OutcomeUnknown


class Executor:
    """Runs the calls of one session. Tools run in threads of their own, so the loop never waits for a disk."""

    def __init__(self, registry: Registry, digest: CallDigest, grace: float = GRACE) -> None:
        """`grace` is in seconds: what a call gets to end by itself once its time is up."""
        self._registry = registry
        self._digest = digest
        self._grace = grace
        self._stamp = Stamp()
        self._stamp_given = False
        self._used: set[tuple[str, int]] = set()

    def stamp(self) -> Stamp:
        """The stamp that makes authorisations, for the gate step. There is only one: a second wish is refused."""
        if self._stamp_given:
            raise RuntimeError("the stamp of this executor was given out already")
        self._stamp_given = True
        return self._stamp

    async def examine(
        self, tool: Tool, arguments: dict[str, Any], context: ToolContext, *, preview: bool = True
    ) -> Examined:
        """Validate, resolve and preview a call, without effects. Never raises for what a tool does.

        Without `preview` only what rules and the digest need is found out.
        """
        cancelled = threading.Event()
        work = THREADS.run(lambda: self._examine(tool, arguments, replace(context, cancelled=cancelled), preview))
        if await self._ends_within(work, tool.timeout, cancelled):
            return work.result()
        return Examined(error=_timeout(tool, "Looking at what it would change took too long."))

    async def draft(self, tool: Tool, arguments: dict[str, Any], context: ToolContext) -> bytes | None:
        """What the call would send, for the staging area; None where the tool cannot say. Without effects."""
        cancelled = threading.Event()
        work = THREADS.run(lambda: self._draft(tool, arguments, replace(context, cancelled=cancelled)))
        return work.result() if await self._ends_within(work, tool.timeout, cancelled) else None

    async def probe(self, tool: Tool, arguments: dict[str, Any], context: ToolContext) -> ProbeAnswer | None:
        """Ask a tool whether a call of unknown outcome happened. None where it has no probe."""
        cancelled = threading.Event()
        work = THREADS.run(lambda: self._probe(tool, arguments, replace(context, cancelled=cancelled)))
        if await self._ends_within(work, tool.timeout, cancelled):
            return work.result()
        return ProbeAnswer(happened=None, detail="The check took too long.")

    async def execute(self, call: Authorised, context: ToolContext) -> Answer:
        """Run one authorised call. Cancelling the task asks the tool to end and says nothing of the outcome.

        Errors are values: `unauthorised`, `changed` (the approval no longer fits what would run), `timeout`,
        `tool_bug`, and the tool's own. A non-idempotent call that may have taken effect gives OutcomeUnknown.
        """
        refusal = self._refusal(call)
        if refusal is not None:
            return refusal
        self._used.add((call.call_id, call.attempt))
        tool = self._registry.find(call.tool)
        cancelled = threading.Event()
        own = replace(
            context,
            session=call.session,
            call_id=call.call_id,
            idempotency_key=call.idempotency_key,
            expected=dict(call.seen),
            overlay={},
            cancelled=cancelled,
        )
        work = THREADS.run(lambda: self._run(tool, call, own))
        if await self._ends_within(work, tool.timeout, cancelled):
            return work.result()
        if tool.effect_class is EffectClass.NON_IDEMPOTENT:
            return OutcomeUnknown(why=f"It did not end within {tool.timeout:g} s and may have taken effect.")
        return _timeout(tool, f"It did not end within {tool.timeout:g} s.")

    async def take_back(self, undo: dict[str, Any], context: ToolContext) -> Answer:
        """Take a finished call back, as an operator's own act: `undo` is what its outcome carried."""
        cancelled = threading.Event()
        work = THREADS.run(lambda: _taken_back(undo, replace(context, cancelled=cancelled)))
        if await self._ends_within(work, TAKE_BACK_SECONDS, cancelled):
            return work.result()
        return OutcomeUnknown(why="Taking it back did not end in time and may have taken effect.")

    async def _ends_within(self, work: "asyncio.Future[Any]", seconds: float, cancelled: threading.Event) -> bool:
        """Wait; when the time is up, or the task is cancelled, ask the work to end. A thread cannot be made to."""
        try:
            done, _ = await asyncio.wait({work}, timeout=seconds)
            if done:
                return True
            cancelled.set()
            done, _ = await asyncio.wait({work}, timeout=self._grace)
            return bool(done)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def _refusal(self, call: Authorised) -> ToolError | None:
        if not isinstance(call, Authorised) or not self._stamp.made(call):
            return ToolError(code="unauthorised", message="The gate did not authorise this call.")
        if (call.call_id, call.attempt) in self._used:
            return ToolError(code="unauthorised", message="This authorisation was used already.")
        if call.tool not in self._registry:
            return _changed(f"{call.tool} is no longer among the tools of this agent")
        version = self._registry.find(call.tool).version
        if version != call.tool_version:
            return _changed(f"{call.tool} is now version {version}, not {call.tool_version}")
        now = self._digest(
            tool=call.tool,
            tool_version=version,
            arguments=call.arguments,
            session=call.session,
            call_id=call.call_id,
            verdict=call.verdict,
            rules=call.rules,
            seen=call.seen,
        )
        if not hmac.compare_digest(now, call.digest):
            return _changed("the call is not the one that was judged")
        return None

    def _run(self, tool: Tool, call: Authorised, context: ToolContext) -> Answer:
        try:
            arguments = self._registry.validate(tool, call.arguments)
            resolved = tool.resolve(arguments, context)
            if resolved.denied is not None:
                return resolved.denied
            if resolved.seen != call.seen and not _done_before(tool, arguments, context):
                return _changed(_difference(call.seen, resolved.seen))
            context.check_cancelled()
        except ToolFailure as failure:
            return failure.error
        except Exception:  # noqa: BLE001 - whatever a tool raises beyond ToolFailure is a bug of the tool
            return _bug(tool, "It stopped before it changed anything.")
        return self._effect(tool, arguments, context)

    def _effect(self, tool: Tool, arguments: Arguments, context: ToolContext) -> Answer:
        try:
            return _fit(tool, tool.run(arguments, context))
        except Cancelled as stopped:
            return _timeout(tool, stopped.error.message)
        except CutOff as cut:
            if tool.effect_class is EffectClass.NON_IDEMPOTENT:
                return OutcomeUnknown(why=f"{cut} It may have taken effect.")
            return _timeout(tool, str(cut))
        except ToolFailure as failure:
            return failure.error
        except Exception:  # noqa: BLE001 - whatever a tool raises beyond ToolFailure is a bug of the tool
            return self._after_bug(tool, arguments, context)

    def _after_bug(self, tool: Tool, arguments: Arguments, context: ToolContext) -> Answer:
        bug = _bug(tool, "")
        if tool.effect_class is not EffectClass.NON_IDEMPOTENT:
            return bug
        answer = _probed(tool, arguments, context)
        if answer is None or answer.happened is None:
            return OutcomeUnknown(why=f"{bug.message} It may have taken effect.")
        found = "It took effect" if answer.happened else "It changed nothing"
        return msgspec.structs.replace(bug, message=f"{bug.message} {found}: {answer.detail}")

    def _examine(self, tool: Tool, arguments: dict[str, Any], context: ToolContext, preview: bool) -> Examined:
        valid: Arguments | None = None
        resolved: Resolved | None = None
        try:
            valid = self._registry.validate(tool, arguments)
            resolved = tool.resolve(valid, context)
            if resolved.denied is not None:
                return Examined(arguments=valid, resolved=resolved, error=resolved.denied)
            seen = tool.preview(valid, context) if preview else None
            return Examined(arguments=valid, resolved=resolved, preview=seen)
        except ToolFailure as failure:
            return Examined(arguments=valid, resolved=resolved, error=failure.error)
        except Exception:  # noqa: BLE001 - whatever a tool raises beyond ToolFailure is a bug of the tool
            return Examined(arguments=valid, resolved=resolved, error=_bug(tool, "Nothing was changed."))

    def _draft(self, tool: Tool, arguments: dict[str, Any], context: ToolContext) -> bytes | None:
        try:
            return tool.draft(self._registry.validate(tool, arguments), context)
        except Exception:  # noqa: BLE001 - the card shows the whole draft anyway; its file is a convenience
            return None

    def _probe(self, tool: Tool, arguments: dict[str, Any], context: ToolContext) -> ProbeAnswer | None:
        try:
            return _probed(tool, self._registry.validate(tool, arguments), context)
        except ToolFailure as failure:
            return ProbeAnswer(happened=None, detail=failure.error.message)


def _taken_back(undo: dict[str, Any], context: ToolContext) -> Answer:
    try:
        return take_back(undo, context)
    except ToolFailure as failure:
        return failure.error


def _probed(tool: Tool, arguments: Arguments, context: ToolContext) -> ProbeAnswer | None:
    try:
        return tool.probe(arguments, context)
    except ToolFailure as failure:
        return ProbeAnswer(happened=None, detail=failure.error.message)
    except Exception as error:  # noqa: BLE001 - a probe that fails has found nothing out
        return ProbeAnswer(happened=None, detail=f"The check itself failed: {clean(str(error))}")


def _done_before(tool: Tool, arguments: Arguments, context: ToolContext) -> bool:
    """An idempotent call that is run again after a crash finds its own effect, not what the approval saw."""
    if tool.effect_class is not EffectClass.IDEMPOTENT_BY_KEY:
        return False
    answer = tool.probe(arguments, context)
    return answer is not None and answer.happened is True


def _fit(tool: Tool, outcome: Outcome) -> Outcome:
    """The outcome as it can be stored: JSON only, whole characters, outside text marked as such."""
    sources = outcome.sources
    if outcome.untrusted or tool.open_world:
        sources = [msgspec.structs.replace(source, untrusted=True) for source in sources or [Source(name=tool.name)]]
    return msgspec.structs.replace(
        outcome,
        result=clean_json(_storable(outcome.result)),
        summary=clean(outcome.summary),
        undo=clean_json(_storable(outcome.undo)),
        sources=sources,
        untrusted=outcome.untrusted or tool.open_world,
    )


def _storable(value: Any) -> Any:
    """The value; raises TypeError or ValueError for what JSON or the journal cannot hold."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError("a result holds a number beyond 64 bits")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("a result holds a number that is not finite")
        return value
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _storable(item) for key, item in value.items()}
    raise TypeError(f"a result holds {type(value).__name__}, which is not JSON")


def _changed(what: str) -> ToolError:
    return ToolError(code="changed", message=f"The approval no longer holds: {what}.")


def _difference(before: dict[str, str], now: dict[str, str]) -> str:
    names = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    return f"{', '.join(names)} changed since then"


def _timeout(tool: Tool, message: str) -> ToolError:
    retryable = tool.effect_class in (EffectClass.READ_ONLY, EffectClass.IDEMPOTENT_BY_KEY)
    return ToolError(code="timeout", message=f"{tool.name} timed out. {message}", retryable=retryable)


def _bug(tool: Tool, effect: str) -> ToolError:
    message = f"{tool.name} has a bug and could not go on. {effect}".rstrip()
    return ToolError(
        code="tool_bug", message=message, suggestion="Try another way.", detail=clean(traceback.format_exc())
    )
