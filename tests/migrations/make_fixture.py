"""Write the fixture of the newest schema: `python -m tests.migrations.make_fixture`, once, when a schema is released.

Fixtures of released schemas are never written again: they are what is out there.
"""

import sqlite3
import sys
import tempfile
from contextlib import closing
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from agent_core.config.home import Home
from agent_core.model.budget import Spend
from agent_core.model.events import AlertRaised, OperatorKeyAdded, RunPaused
from agent_core.model.ids import HOME_SESSION
from agent_core.model.proposal import Verdict
from agent_core.model.run import SessionStatus
from agent_core.store.journal import Journal
from agent_core.store.migrate import SCHEMA
from agent_core.store.signatures import OperatorKey
from tests.unit.store import samples

FIXTURES = Path(__file__).parent / "fixtures"
SESSIONS = 50


def fill(journal: Journal) -> None:
    """Fifty small sessions: ended, waiting, paused; one with a long text, decisions signed."""
    key = OperatorKey.from_hex("anna", "42" * 32)
    added = OperatorKeyAdded(operator="anna", key_id=key.key_id, public_key=key.public_hex, place="file")
    journal.append_now(HOME_SESSION, [samples.draft(added, run=None, step=0)])
    for number in range(SESSIONS):
        session, card = f"s-{number:02d}", f"p-{number:02d}"
        drafts = [samples.opened(f"Goal {number}"), samples.responded("0.01"), samples.asked(card, session)]
        status = (SessionStatus.ENDED, SessionStatus.AWAITING_DECISION, SessionStatus.PAUSED)[number % 3]
        if status is SessionStatus.ENDED:
            made = key.sign(samples.decision(Verdict.APPROVE, of=card, name=f"d-{number:02d}"))
            drafts.append(samples.decided(made))
        if status is SessionStatus.PAUSED:
            drafts.append(samples.draft(RunPaused(reason="operator", by="anna")))
        if number % 3 == 1:
            drafts.append(samples.draft(AlertRaised(alert="step_limit", message="The run reached its limit.")))
        if number == 7:
            drafts.append(samples.said("long " * 4000))
        row = samples.summary(
            session,
            goal=f"Goal {number}",
            status=status,
            started_at=samples.NOON + timedelta(minutes=number),
            open_proposals=[] if status is SessionStatus.ENDED else [card],
            spend=Spend(steps=1, cost_usd=Decimal("0.01")),
        )
        journal.append_now(session, drafts, summary=row)


def main() -> None:
    """Write `NNNN.sql`; refuses to replace one."""
    target = FIXTURES / f"{SCHEMA:04d}.sql"
    if target.exists():
        sys.exit(f"{target} exists; fixtures of released schemas are never written again")
    with tempfile.TemporaryDirectory() as folder:
        home = Home.at(Path(folder))
        journal = Journal.open(home)
        fill(journal)
        journal.close()
        with closing(sqlite3.connect(home.database)) as connection:
            text = "\n".join(connection.iterdump())
    target.write_text(f"{text}\nPRAGMA user_version = {SCHEMA};\n", encoding="utf-8")


if __name__ == "__main__":
    main()
