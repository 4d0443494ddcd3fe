"""Half-filled forms: one an operator and card, over restarts, as long as the card is open."""

from pathlib import Path

from agent_core.config.home import Home
from agent_core.model.intents import HalfFilled
from agent_core.store.batch import Batch
from agent_core.store.half_filled import HalfFilledForms
from agent_core.store.journal import Journal
from tests.unit.store.samples import asked, decided, decision, opened

REASON = HalfFilled(verdict="reject", entries={"card.form.text": "wrong supp", "card.form.go_on": False})
EDIT = HalfFilled(verdict="modify", about="ab12", entries={"card.form.argument.path": "new.txt"}, open=False)


async def test_what_was_typed_is_there_again_after_a_restart(home: Path) -> None:
    place = Home.at(home)
    journal = Journal.open(place)
    await journal.append("s-1", [opened(), asked("p-1"), asked("p-2")])
    forms = HalfFilledForms(journal)
    await forms.keep("p-1", "ana", REASON)
    await forms.keep("p-2", "ana", REASON)
    await forms.keep("p-2", "ana", EDIT)
    await forms.keep("p-2", "ben", REASON)
    journal.close()

    journal = Journal.open(place)
    assert await HalfFilledForms(journal).of("ana") == {"p-1": REASON, "p-2": EDIT}
    assert await HalfFilledForms(journal).of("ben") == {"p-2": REASON}
    journal.close()


async def test_a_form_goes_when_it_is_let_go_or_its_card_is_closed(journal: Journal) -> None:
    await journal.append("s-1", [opened(), asked("p-1"), asked("p-2"), asked("p-3")])
    forms = HalfFilledForms(journal)
    for name in ("p-1", "p-2", "p-3"):
        await forms.keep(name, "ana", REASON)
    await forms.keep("p-1", "ana", None)
    await journal.append("s-1", [decided(decision(of="p-2"))])

    assert await forms.of("ana") == {"p-3": REASON}
    await forms.keep("p-3", "ana", EDIT)
    with journal.database.reading() as connection:
        assert connection.execute("SELECT proposal FROM half_filled").fetchall() == [("p-3",)]


async def test_a_form_that_cannot_be_read_any_more_hides_no_other(journal: Journal) -> None:
    await journal.append("s-1", [opened(), asked("p-1"), asked("p-2"), asked("p-3")])
    forms = HalfFilledForms(journal)
    for name in ("p-1", "p-2", "p-3"):
        await forms.keep(name, "ana", REASON)

    def spoil(batch: Batch) -> None:
        batch.connection.execute("UPDATE half_filled SET entries = '{\"a' WHERE proposal = 'p-1'")
        batch.connection.execute("UPDATE half_filled SET entries = '[1]' WHERE proposal = 'p-2'")

    await journal.writer.run(spoil)
    assert await forms.of("ana") == {"p-3": REASON}
