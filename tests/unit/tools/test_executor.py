"""The executor: the one way by which a tool runs, and only as it was judged."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.action import EffectClass, GateVerdict, Reversibility, ToolError
from agent_core.model.proposal import WhatChanges
from agent_core.tools.authorised import Authorised, Stamp
from agent_core.tools.base import (
    Arguments,
    Outcome,
    Preview,
    Privileges,
    ProbeAnswer,
    Resolved,
    Tool,
    ToolContext,
    ToolFailure,
)
from agent_core.tools.base import (
    given as as_given,
)
from agent_core.tools.executor import Executor, OutcomeUnknown
from agent_core.tools.registry import TOOLS, Registry
from tests.unit.tools.workbench import Workbench, digest


class Word(Arguments):
    word: str = ""


class Scripted(Tool[Word]):
    """A tool whose run is whatever the test says."""

    name = "scripted"
    description = "Does what the test says."
    arguments = Word
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges()
    timeout = 0.05

    def __init__(
        self,
        run: Callable[[ToolContext], Any],
        effect: EffectClass = EffectClass.NON_IDEMPOTENT,
        happened: ProbeAnswer | None = None,
    ) -> None:
        self.does = run
        self.happened = happened
        self.effect_class = effect  # type: ignore[misc]

    def resolve(self, arguments: Word, context: ToolContext) -> Resolved:
        return Resolved(arguments=as_given(arguments), seen={})

    def preview(self, arguments: Word, context: ToolContext) -> Preview:
        return Preview(summary="Do it", what_changes=WhatChanges(headline="Something"))

    def run(self, arguments: Word, context: ToolContext) -> Outcome:
        found = self.does(context)
        return found if isinstance(found, Outcome) else Outcome(result=found, summary="Done")

    def probe(self, arguments: Word, context: ToolContext) -> ProbeAnswer | None:
        return self.happened


def scripted(tmp_path: Path, run: Callable[[ToolContext], Any], **how: Any) -> Workbench:
    return Workbench(tmp_path, tools=[Scripted(run, **how)])


def boom(context: ToolContext) -> Any:
    raise IndexError("list index out of range")


# --------------------------------------------------------------------------------------- one choke point

CALLS: dict[str, dict[str, Any]] = {
    "files_list": {"path": "."},
    "files_read": {"path": "a.md"},
    "files_search": {"pattern": "a"},
    "files_write": {"path": "a.md", "content": "new"},
    "files_edit": {"path": "a.md", "old": "text", "new": "x"},
    "files_move": {"source": "a.md", "target": "b.md"},
    "files_delete": {"path": "a.md"},
    "notes_read": {},
    "notes_write": {"key": "a", "text": "b"},
    "ask_operator": {"question": "?"},
    "finish": {"output": "x", "completed": True},
    "email_send": {"to": "a@b.example", "subject": "s", "body": "b"},
}


@pytest.mark.parametrize("name", sorted(CALLS))
async def test_without_the_stamp_every_tool_fails(bench: Workbench, name: str) -> None:
    file = bench.write("a.md", "text")
    bench.stamp = Stamp()  # another one than the executor's own

    error = await bench.error(name, **CALLS[name])

    assert error.code == "unauthorised"
    assert file.read_text() == "text"
    assert not (bench.folder / "outbox").exists()


def test_every_tool_is_in_that_test() -> None:
    assert sorted(CALLS) == sorted(tool.name for tool in TOOLS)


@pytest.mark.parametrize("name", sorted(CALLS))
async def test_with_the_stamp_every_tool_runs(bench: Workbench, name: str) -> None:
    bench.write("a.md", "text")

    assert isinstance(await bench.answer(name, **CALLS[name]), Outcome)


def test_there_is_one_stamp(bench: Workbench) -> None:
    with pytest.raises(RuntimeError):
        bench.executor.stamp()


def test_a_denied_call_and_one_that_nobody_approved_get_no_authorisation() -> None:
    call: dict[str, Any] = {
        "tool": "x", "tool_version": "1", "arguments": {}, "session": "s", "call_id": "c", "rules": [], "seen": {},
        "digest": "d", "idempotency_key": "k",
    }  # fmt: skip
    stamp = Stamp()

    with pytest.raises(ValueError, match="denied"):
        stamp.authorise(**call, verdict=GateVerdict.DENY, decision="d-1")
    for nobody in (None, ""):
        with pytest.raises(ValueError, match="nobody approved"):
            stamp.authorise(**call, verdict=GateVerdict.ASK, decision=nobody)
    approved = stamp.authorise(**call, verdict=GateVerdict.ASK, decision="d-1")
    assert stamp.made(approved)
    assert stamp.made(stamp.once_more(approved))
    with pytest.raises(ValueError, match="never authorised"):
        Stamp().once_more(approved)


CHANGES: dict[str, Any] = {
    "tool": "files_delete",
    "tool_version": "2",
    "arguments": {"path": "a.md", "content": "evil"},
    "session": "s-2",
    "call_id": "c-9",
    "verdict": GateVerdict.ASK,
    "rules": ["allow everything"],
    "seen": {},
    "digest": "0" * 64,
    "idempotency_key": "other",
    "decision": "d-1",
    "attempt": 2,
    "seal": "",
}


@pytest.mark.parametrize("field", sorted(CHANGES))
async def test_an_authorisation_that_was_changed_runs_nothing(bench: Workbench, field: str) -> None:
    file = bench.write("a.md", "text")
    examined = await bench.examine("files_write", path="a.md", content="new")
    assert examined.resolved is not None
    call = bench.authorise("files_write", examined.resolved.seen, path="a.md", content="new")
    forged = msgspec.structs.replace(call, **{field: CHANGES[field]})
    answer = await bench.executor.execute(forged, bench.context())

    assert isinstance(answer, ToolError)
    assert answer.code == "unauthorised"
    assert file.read_text() == "text"


def test_every_field_of_an_authorisation_is_in_that_test() -> None:
    assert sorted(CHANGES) == sorted(Authorised.__struct_fields__)


async def test_an_authorisation_is_used_once(bench: Workbench) -> None:
    file = bench.write("a.md", "text")
    examined = await bench.examine("files_edit", path="a.md", old="te", new="tete")
    assert examined.resolved is not None
    call = bench.authorise("files_edit", examined.resolved.seen, path="a.md", old="te", new="tete")
    first = await bench.executor.execute(call, bench.context())
    file.write_text("text")
    again = await bench.executor.execute(call, bench.context())

    assert isinstance(first, Outcome)
    assert isinstance(again, ToolError)
    assert again.code == "unauthorised"
    assert file.read_text() == "text"


async def test_a_digest_that_does_not_fit_the_call_is_a_change(bench: Workbench) -> None:
    file = bench.write("a.md", "text")
    examined = await bench.examine("files_delete", path="a.md")
    assert examined.resolved is not None
    call = bench.authorise("files_delete", examined.resolved.seen, path="a.md")
    members = {name: getattr(call, name) for name in call.__struct_fields__ if name != "seal"}
    answer = await bench.executor.execute(
        bench.stamp.authorise(**{**members, "digest": digest(arguments={})}), bench.context()
    )

    assert isinstance(answer, ToolError)
    assert answer.code == "changed"
    assert file.exists()


async def test_what_is_there_now_must_be_what_was_judged(tmp_path: Path) -> None:
    bench = scripted(tmp_path, lambda context: "ran")
    answer = await bench.executor.execute(bench.authorise("scripted", {"ledger": "before"}), bench.context())

    assert isinstance(answer, ToolError)
    assert answer.code == "changed"
    assert "ledger" in answer.message


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("files_write", {"path": "a.md", "content": "new"}),
        ("files_edit", {"path": "a.md", "old": "text", "new": "x"}),
        ("files_move", {"source": "a.md", "target": "b.md"}),
        ("files_delete", {"path": "a.md"}),
    ],
)
def test_each_tool_holds_what_it_opens_against_what_was_judged(
    bench: Workbench, name: str, arguments: dict[str, Any]
) -> None:
    file = bench.write("a.md", "text")
    tool = bench.registry.find(name)
    with pytest.raises(ToolFailure) as failure:
        tool.run(bench.registry.validate(tool, arguments), bench.context(expected={"a.md": "another"}))

    assert failure.value.error.code == "changed"
    assert file.read_text() == "text"


async def test_a_tool_of_another_version_or_out_of_the_manifest_is_a_change(tmp_path: Path) -> None:
    ran: list[str] = []
    bench = scripted(tmp_path, lambda context: ran.append("ran"))
    call = bench.authorise("scripted", {})
    call = bench.stamp.authorise(
        **{name: getattr(call, name) for name in call.__struct_fields__ if name not in ("seal", "tool_version")},
        tool_version="0",
    )
    old = await bench.executor.execute(call, bench.context())
    gone = Executor(Registry([]), digest)
    lost = gone.stamp().authorise(**{name: getattr(call, name) for name in call.__struct_fields__ if name != "seal"})
    missing = await gone.execute(lost, bench.context())

    assert isinstance(old, ToolError)
    assert isinstance(missing, ToolError)
    assert (old.code, missing.code, ran) == ("changed", "changed", [])


async def test_arguments_are_validated_again_before_they_run(bench: Workbench) -> None:
    call = bench.authorise("files_read", {}, path="a.md", limit="5")
    answer = await bench.executor.execute(call, bench.context())

    assert isinstance(answer, ToolError)
    assert answer.code == "invalid"


async def test_walls_are_checked_again_when_the_call_runs(bench: Workbench) -> None:
    bench.write("a/x.md", "secret")
    examined = await bench.examine("files_read", path="a/x.md")
    assert examined.error is None
    bench.denied = [bench.root / "a"]
    answer = await bench.executor.execute(bench.authorise("files_read", {}, path="a/x.md"), bench.context())

    assert isinstance(answer, ToolError)
    assert answer.code == "denied"


# ------------------------------------------------------------------------------------------ honest answers


async def test_a_bug_is_reported_as_one_with_its_traceback_for_the_trace_only(tmp_path: Path) -> None:
    bench = scripted(tmp_path, boom, effect=EffectClass.READ_ONLY)
    error = await bench.error("scripted")

    assert error.code == "tool_bug"
    assert error.retryable is False
    assert "IndexError" in (error.detail or "")
    assert "IndexError" not in error.message


@pytest.mark.parametrize(
    ("happened", "unknown", "words"),
    [
        (None, True, "may have taken effect"),
        (ProbeAnswer(happened=None, detail="?"), True, "may have taken effect"),
        (ProbeAnswer(happened=True, detail="It is there."), False, "It took effect: It is there."),
        (ProbeAnswer(happened=False, detail="It is not."), False, "It changed nothing: It is not."),
    ],
)
async def test_a_bug_in_the_middle_of_an_effect_does_not_claim_to_know(
    tmp_path: Path, happened: ProbeAnswer | None, unknown: bool, words: str
) -> None:
    answer = await scripted(tmp_path, boom, happened=happened).answer("scripted")

    if unknown:
        assert isinstance(answer, OutcomeUnknown)
        assert words in answer.why
    else:
        assert isinstance(answer, ToolError)
        assert words in answer.message


async def test_a_call_that_sees_its_time_is_up_has_changed_nothing(tmp_path: Path) -> None:
    def patient(context: ToolContext) -> None:
        context.cancelled.wait()
        context.check_cancelled()

    error = await scripted(tmp_path, patient).error("scripted")

    assert error.code == "timeout"
    assert "before it changed anything" in error.message
    assert error.retryable is False


async def test_a_call_that_ends_late_has_its_result(tmp_path: Path) -> None:
    outcome = await scripted(tmp_path, lambda context: context.cancelled.wait() and "late").run("scripted")

    assert outcome.result == "late"


@pytest.mark.parametrize(
    ("effect", "retryable"),
    [(EffectClass.READ_ONLY, True), (EffectClass.IDEMPOTENT_BY_KEY, True), (EffectClass.NON_IDEMPOTENT, None)],
)
async def test_a_call_that_never_ends_is_unknown_where_running_it_again_would_matter(
    tmp_path: Path, effect: EffectClass, retryable: bool | None
) -> None:
    forever = threading.Event()
    bench = Workbench(tmp_path, [Scripted(lambda context: forever.wait(30), effect=effect)], grace=0.05)
    answer = await bench.answer("scripted")
    forever.set()

    if retryable is None:
        assert isinstance(answer, OutcomeUnknown)
        assert "may have taken effect" in answer.why
    else:
        assert isinstance(answer, ToolError)
        assert (answer.code, answer.retryable) == ("timeout", retryable)


async def test_cancelling_the_task_asks_the_tool_to_end(tmp_path: Path) -> None:
    started, ended = threading.Event(), threading.Event()

    def patient(context: ToolContext) -> None:
        started.set()
        context.cancelled.wait()
        ended.set()

    bench = scripted(tmp_path, patient)
    task = asyncio.create_task(bench.answer("scripted"))
    await asyncio.to_thread(started.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await asyncio.to_thread(ended.wait, 5)


async def test_the_loop_never_waits_for_a_tool(tmp_path: Path) -> None:
    release = threading.Event()
    task = asyncio.create_task(scripted(tmp_path, lambda context: release.wait()).answer("scripted"))
    await asyncio.sleep(0)
    release.set()  # reached although the tool blocks its thread

    assert isinstance(await task, Outcome)


# ------------------------------------------------------------------------------------------------ results


async def test_results_are_cleaned(tmp_path: Path) -> None:
    dirty = {"a\ud83d": ["x\0y", "ok 👍🏽"], "tuple": (1, None, 2.5)}
    outcome = await scripted(tmp_path, lambda context: Outcome(result=dirty, summary="half \ude00")).run("scripted")

    assert outcome.result == {"a\ufffd": ["x\ufffdy", "ok 👍🏽"], "tuple": [1, None, 2.5]}
    assert outcome.summary == "half \ufffd"


@pytest.mark.parametrize("result", [object(), {1: 2}, float("nan"), float("inf"), 2**63, {"a": [b"bytes"]}])
async def test_a_result_that_cannot_be_stored_is_a_bug_of_the_tool(tmp_path: Path, result: Any) -> None:
    bench = scripted(tmp_path, lambda context: Outcome(result=result, summary=""), effect=EffectClass.READ_ONLY)

    assert (await bench.error("scripted")).code == "tool_bug"


async def test_text_from_outside_is_marked_as_such(tmp_path: Path) -> None:
    bench = scripted(tmp_path, lambda context: Outcome(result="<system>", summary="", untrusted=True))
    outcome = await bench.run("scripted")

    assert [source.untrusted for source in outcome.sources] == [True]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
async def test_every_answer_can_be_journaled(tmp_path_factory: pytest.TempPathFactory, result: Any) -> None:
    bench = scripted(
        tmp_path_factory.mktemp("bench"),
        lambda context: Outcome(result=result, summary=""),
        effect=EffectClass.READ_ONLY,
    )
    answer = await bench.answer("scripted")

    msgspec.json.decode(msgspec.json.encode(answer))


# ------------------------------------------------------------------------------------------- examination


async def test_examining_changes_nothing(bench: Workbench) -> None:
    file = bench.write("a.md", "text")
    for name, arguments in CALLS.items():
        examined = await bench.examine(name, **arguments)
        assert examined.preview is not None, examined.error

    assert file.read_text() == "text"
    assert sorted(path.name for path in bench.folder.iterdir()) == ["home", "workspace"]


async def test_examining_gives_the_error_that_the_call_would_get(bench: Workbench) -> None:
    assert (await bench.examine("files_read", path="../x")).error == await bench.error("files_read", path="../x")
    assert (await bench.examine("files_delete", path="nowhere")).error is not None
    invalid = await bench.examine("files_read")
    assert invalid.error is not None
    assert (invalid.arguments, invalid.resolved, invalid.error.code) == (None, None, "invalid")


async def test_a_denied_call_is_not_looked_at_any_further(bench: Workbench) -> None:
    examined = await bench.examine("files_write", path="../x", content="y")

    assert examined.preview is None
    assert examined.resolved is not None
    assert examined.resolved.denied == examined.error
    assert examined.error is not None
    assert examined.error.code == "denied"
