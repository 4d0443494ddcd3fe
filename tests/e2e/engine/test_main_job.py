"""The main job: a goal, parallel reads, an approval, an answer."""

from decimal import Decimal

from agent_core.model import events as ev
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, turn
from tests.support.history_rules import raw_problems

READ_BOTH = turn(call("files_list", path="."), call("files_read", path="a.txt"), text="Looking.")
WRITE = turn(call("files_write", path="out.txt", content="sum=3\n"), text="Writing.")
DONE = turn(text="All done: sum is 3.")


async def test_a_run_reads_asks_writes_and_ends_completed(make_lab: MakeLab) -> None:
    lab = make_lab(READ_BOTH, WRITE, DONE)
    (lab.workspace / "a.txt").write_text("1\n2\n")
    harness = await lab.open()
    session = await lab.start(harness, "sum a.txt into out.txt")
    assert not (lab.workspace / "out.txt").exists()
    card = await lab.card(harness)

    await lab.decide(harness, card.proposal, "approve")

    result = await lab.result(harness, session)
    assert (lab.workspace / "out.txt").read_text() == "sum=3\n"
    assert (result["stop_reason"], result["completed"], result["output"]) == ("completed", True, "All done: sum is 3.")
    assert (result["spend"]["steps"], result["spend"]["tool_calls"]) == (3, 3)
    assert Decimal(result["spend"]["cost_usd"]) > 0
    assert len(lab.model.requests) == 3
    assert all(not raw_problems(request.messages) for request in lab.model.requests)
    assert all(finding.ok for finding in await harness.reader.verify())


async def test_all_calls_are_judged_before_the_first_runs_and_all_cards_open_together(make_lab: MakeLab) -> None:
    asked = turn(
        call("files_write", path="a.txt", content="a"),
        call("files_list", path="."),
        call("files_write", path="b.txt", content="b"),
    )
    lab = make_lab(asked, DONE)
    harness = await lab.open()
    session = await lab.start(harness)

    kinds = await lab.kinds(harness, session)
    assert kinds.index("call_started") > max(place for place, kind in enumerate(kinds) if kind == "call_judged")
    assert kinds.count("proposal_opened") == 2
    assert kinds.count("call_finished") == 1, "an undecided call holds back none after it"


async def test_results_go_back_in_the_order_of_the_calls_whatever_was_decided_first(make_lab: MakeLab) -> None:
    asked = turn(call("files_write", path="a.txt", content="a"), call("files_write", path="b.txt", content="b"))
    lab = make_lab(asked, DONE)
    harness = await lab.open()
    await lab.start(harness)
    first, second = await lab.cards(harness)

    await lab.decide(harness, second.proposal, "approve")
    assert len(lab.model.requests) == 1, "the response is answered when all calls have a result"
    await lab.decide(harness, first.proposal, "reject", reason="wrong file")

    results = lab.model.results()
    assert [result["tool_use_id"] for result in results] == ["toolu_0_0", "toolu_0_1"]
    assert results[0]["is_error"]
    assert "wrong file" in results[0]["content"]
    assert (lab.workspace / "b.txt").exists()
    assert not (lab.workspace / "a.txt").exists()


async def test_three_calls_of_one_tool_get_three_cards_and_only_the_approved_one_runs(make_lab: MakeLab) -> None:
    asked = turn(*(call("files_write", path=f"{name}.txt", content=name) for name in "abc"))
    lab = make_lab(asked, DONE)
    harness = await lab.open()
    await lab.start(harness)
    cards = await lab.cards(harness)
    assert len({card.proposal for card in cards}) == 3

    await lab.decide(harness, cards[1].proposal, "approve")

    assert [path.name for path in lab.workspace.iterdir()] == [cards[1].arguments["path"]]


async def test_the_same_tool_use_id_twice_becomes_two_calls(make_lab: MakeLab) -> None:
    twice = turn(call("files_read", path="a.txt"), call("files_read", path="b.txt"))
    lab = make_lab(twice, DONE)
    harness = await lab.open()
    session = await lab.start(harness)

    started = [event.data for event in await lab.events(harness, session, ev.CallFinished)]
    assert len({data.call_id for data in started if isinstance(data, ev.CallFinished)}) == 2


async def test_finish_ends_the_run_after_the_other_calls_of_its_response(make_lab: MakeLab) -> None:
    asked = turn(call("finish", output="half", completed=False, gaps=["no b"]), call("files_list", path="."))
    lab = make_lab(asked)
    lab.write_profile(tools=("files_list", "finish"))
    harness = await lab.open()
    session = await lab.start(harness)

    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["completed"], result["gaps"]) == ("completed", False, ["no b"])
    assert result["confidence"] == "low"
    finished = [event.data.tool for event in await lab.events(harness, session, ev.CallFinished)]
    assert finished == ["files_list", "finish"]


async def test_an_unknown_tool_is_answered_with_what_there_is(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("files_wrte", path="a", content="b")), DONE)
    harness = await lab.open()
    await lab.start(harness)

    (result,) = lab.model.results()
    assert result["is_error"]
    assert "files_write" in result["content"]


async def test_notes_are_kept_and_read_back(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("notes_write", key="plan", text="first a")), turn(call("notes_read", key="plan")), DONE)
    harness = await lab.open()
    session = await lab.start(harness)

    assert (await lab.state(harness, session)).run.notes == {"plan": "first a"}
    assert "first a" in lab.model.results()[0]["content"]


async def test_a_read_after_a_write_of_the_same_response_sees_what_was_written(make_lab: MakeLab) -> None:
    asked = turn(call("files_write", path="a.txt", content="new"), call("files_read", path="a.txt"))
    lab = make_lab(asked, DONE)
    lab.write_profile('[[rules]]\ntool = "files_write"\nwhen = { path = "*.txt" }\nverdict = "allow"\n')
    (lab.workspace / "a.txt").write_text("old")
    harness = await lab.open()
    await lab.start(harness, "write new to a.txt")

    assert "new" in lab.model.results()[1]["content"]


async def test_a_preview_of_a_later_call_stands_on_what_the_earlier_ones_would_leave(make_lab: MakeLab) -> None:
    asked = turn(
        call("files_write", path="a.txt", content="one\n"), call("files_edit", path="a.txt", old="one", new="two")
    )
    lab = make_lab(asked, DONE)
    harness = await lab.open()
    await lab.start(harness)

    cards = await lab.cards(harness)
    assert [card.tool for card in cards] == ["files_write", "files_edit"]
