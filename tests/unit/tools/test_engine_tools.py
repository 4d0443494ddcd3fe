"""notes_*, ask_operator and finish: no effect outside the journal."""

from agent_core.model.action import EffectClass
from tests.unit.tools.workbench import Workbench, snapshot


async def test_notes_are_read_whole_or_by_key(bench: Workbench) -> None:
    bench.notes = {"plan": "1. read", "done": ""}

    assert (await bench.run("notes_read")).result == {"notes": bench.notes}
    assert (await bench.run("notes_read", key="plan")).result == {"key": "plan", "found": True, "text": "1. read"}


async def test_an_empty_note_and_a_missing_one_never_look_alike(bench: Workbench) -> None:
    bench.notes = {"done": ""}

    assert (await bench.run("notes_read", key="done")).result == {"key": "done", "found": True, "text": ""}
    assert (await bench.run("notes_read", key="other")).result == {"key": "other", "found": False, "keys": ["done"]}


async def test_engine_tools_hand_the_engine_what_it_needs(bench: Workbench) -> None:
    note = await bench.run("notes_write", key="plan", text="x")
    asked = await bench.run("ask_operator", question="Which one?", options=["A", "B"])
    ended = await bench.run("finish", output="Done.", completed=False, gaps=["no ledger"])

    assert note.result == {"key": "plan"}
    assert asked.result == {"question": "Which one?", "options": ["A", "B"]}
    assert ended.result == {"output": "Done.", "completed": False, "gaps": ["no ledger"]}
    assert ended.summary == "Finished with 1 gap"
    assert snapshot(bench.folder) == {"home": None, "workspace": None}


async def test_a_long_question_is_whole_in_its_card(bench: Workbench) -> None:
    question = "Which of these? " * 100
    preview = await bench.preview("ask_operator", question=question)

    assert len(preview.summary) <= 121
    assert question in str(preview.what_changes.parts)


def test_their_class_is_engine(bench: Workbench) -> None:
    engine = [tool.name for tool in bench.registry if tool.effect_class is EffectClass.ENGINE]

    assert engine == ["notes_write", "ask_operator", "finish"]
