"""Provider faults: visible retries, bounds, and runs that pause and recover by themselves."""

import pytest

from agent_core.model import events as ev
from agent_core.policy.retry import PROVIDER_ATTEMPTS
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import RecordingProvider, call, eventually, turn
from tests.support.virtual_clock import VirtualClock

READ = turn(call("files_list", path="."))
OVERLOAD = {"status": 529, "type": "overloaded_error"}


async def test_an_overload_is_tried_again_visibly_and_counts_as_one_step(make_lab: MakeLab) -> None:
    lab = make_lab(turn(text="fine", faults=[OVERLOAD, OVERLOAD]))
    harness = await lab.open()
    session = await lab.start(harness)

    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["spend"]["steps"]) == ("completed", 1)
    failed = [e.data for e in await lab.events(harness, session, ev.ModelFailed)]
    assert [(f.fault, f.attempt, f.retry_at is not None) for f in failed if isinstance(f, ev.ModelFailed)] == [
        ("overloaded", 1, True),
        ("overloaded", 2, True),
    ]
    assert (await lab.state(harness, session)).run.spend.cost_bound_usd == 0, "refused requests cost nothing"


@pytest.mark.parametrize("fault", [{"drop_after": 3}, {"garbage": True}])
async def test_half_a_response_leaves_no_call_and_is_asked_for_again(
    make_lab: MakeLab, fault: dict[str, object]
) -> None:
    lab = make_lab({**READ, "faults": [fault]}, turn(text="done"))
    harness = await lab.open()
    session = await lab.start(harness)

    assert (await lab.kinds(harness, session)).count("call_started") == 1
    spend = (await lab.state(harness, session)).run.spend
    assert spend.lost_tokens > 0
    assert spend.cost_bound_usd > 0


async def test_ten_minutes_of_overload_pause_within_the_bound_and_recover_by_themselves(make_lab: MakeLab) -> None:
    lab = make_lab(turn(text="fine", faults=[OVERLOAD] * 60), clock=VirtualClock(passes=130.0))
    harness = await lab.open()
    session = await lab.start(harness)

    async def recovered() -> bool:
        if lab.clock.slept[-1] > 130:
            lab.clock.advance(601)
        return (await lab.result(harness, session))["status"] == "ended"

    await eventually(recovered)
    paused = [e.data for e in await lab.events(harness, session, ev.RunPaused)]
    assert {p.reason for p in paused if isinstance(p, ev.RunPaused)} == {"provider_overloaded"}
    resumed = [e.data for e in await lab.events(harness, session, ev.RunResumed)]
    assert {r.by for r in resumed if isinstance(r, ev.RunResumed)} == {"system"}
    first = await lab.kinds(harness, session)
    assert first[: first.index("run_paused")].count("model_requested") <= PROVIDER_ATTEMPTS


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ({"status": 401, "type": "authentication_error"}, "provider_failed"),
        ({"status": 404, "type": "not_found_error"}, "provider_failed"),
        ({"status": 400, "type": "invalid_request_error"}, "provider_failed"),
        ({"status": 413, "type": "request_too_large"}, "context_full"),
    ],
)
async def test_a_permanent_fault_ends_the_run_by_name_without_a_second_try(
    make_lab: MakeLab, fault: dict[str, object], reason: str
) -> None:
    lab = make_lab(turn(text="never", faults=[fault] * 5))
    harness = await lab.open()
    session = await lab.start(harness)

    result = await lab.result(harness, session)
    assert result["stop_reason"] == reason
    assert not any(gap.startswith("The model's service failed. ") for gap in result["gaps"]), "what failed says so"
    assert len(lab.model.requests) == 1


async def test_a_request_that_is_too_large_for_the_service_says_what_most_of_it_is(make_lab: MakeLab) -> None:
    lab = make_lab(turn(text="never", faults=[{"status": 413, "type": "request_too_large"}]))
    harness = await lab.open()
    session = await lab.start(harness, "read " + "a long goal " * 900)

    (gap,) = (await lab.result(harness, session))["gaps"]
    assert "HTTP 413" in gap
    assert "Most of it is the conversation (" in gap


async def test_a_refusal_ends_the_run_refused(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("files_list", path="."), text="I will not.", stop_reason="refusal"))
    harness = await lab.open()
    session = await lab.start(harness)

    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["output"]) == ("refused", "I will not.")
    assert "call_judged" not in await lab.kinds(harness, session)


async def test_an_unknown_finish_reason_asks_the_operator(make_lab: MakeLab) -> None:
    lab = make_lab(turn(text="hm", stop_reason="cosmic_ray"), turn(text="done"))
    harness = await lab.open()
    session = await lab.start(harness)
    card = await lab.card(harness)
    assert "cosmic_ray" in card.summary

    await lab.decide(harness, card.proposal, "fixed")

    assert (await lab.result(harness, session))["output"] == "done"


async def test_an_answer_that_was_cut_at_its_length_goes_on(make_lab: MakeLab) -> None:
    lab = make_lab(turn(text="first half", stop_reason="max_tokens"), turn(text="second half"))
    harness = await lab.open()
    session = await lab.start(harness)

    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["output"], result["spend"]["steps"]) == ("completed", "second half", 2)


class SlowToWarm(RecordingProvider):
    """Takes a while until it can send, as a service whose library is imported first."""

    async def warm(self) -> None:
        """Takes three seconds of the run's clock, once."""
        if not self.requests:
            self.clock.advance(3.0, loop=False)


async def test_getting_ready_to_send_counts_neither_as_the_request_nor_as_active_time(make_lab: MakeLab) -> None:
    lab = make_lab()
    slow = SlowToWarm([turn(text="fine")], lab.clock)
    harness = await lab.open(provider_for=lambda _: slow)
    session = await lab.start(harness)

    (answer,) = await lab.events(harness, session, ev.ModelResponded)
    assert isinstance(answer.data, ev.ModelResponded)
    assert answer.data.duration_ms < 1000
    assert (await lab.result(harness, session))["spend"]["active_seconds"] < 1
