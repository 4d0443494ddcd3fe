"""`sessions`, `show`, `trace` and `proposals`: what there is, for people and for scripts. Nothing is changed."""

from collections.abc import Mapping, Sequence

from agent_core.engine.cards import card_json, open_card_json
from agent_core.engine.exporting import event_json
from agent_core.engine.harness import Harness
from agent_core.engine.summary import session_json
from agent_core.model.intents import SessionQuery, SessionSummary
from console.card_text import card_lines, decide_lines
from console.engine_room import run
from console.output import Output
from console.progress import lines_for
from ui.formatting import money, plural
from ui.hostile import visible_line

PAGE = 500


def list_sessions(environ: Mapping[str, str], output: Output) -> int:
    """Every session, newest first."""

    async def work(harness: Harness) -> int:
        rows = await _all_sessions(harness)
        if missing := await harness.reader.missing():
            output.warning(_missing_line(missing))
        if output.as_json:
            output.value({"sessions": [session_json(row) for row in rows]})
        for row in rows:
            output.line(_session_line(row))
        if not rows and not missing:
            output.line("No sessions yet.")
        return 0

    return run(environ, work)


def show_session(environ: Mapping[str, str], output: Output, session: str) -> int:
    """One session and its result."""

    async def work(harness: Harness) -> int:
        row = await harness.reader.summary(await harness.reader.find(session))
        result, _ = await harness.reader.result(row.session)
        if output.as_json:
            output.value(result)
        output.line(_session_line(row))
        output.line(f"goal: {row.goal}")
        if result["output"] is not None:
            output.line(str(result["output"]))
        for gap in _texts(result["gaps"]):
            output.line(f"missing: {gap}")
        for card in row.open_proposals:
            output.line(f"waits for a decision: {card}")
        return 0

    return run(environ, work)


def show_trace(environ: Mapping[str, str], output: Output, session: str) -> int:
    """The events of a session, in order; `home` has those of the home itself: halts, keys, rules, restores."""

    async def work(harness: Harness) -> int:
        found = await harness.reader.find(session)
        last = 0
        while page := await harness.reader.events(found, after=last, limit=PAGE):
            for event in page:
                if output.as_json:
                    output.value(event_json(event))
                for line in lines_for(event):
                    output.line(line)
            last = page[-1].seq
        return 0

    return run(environ, work)


def list_proposals(environ: Mapping[str, str], output: Output, *, every: bool) -> int:
    """Open cards in the order of the queue; with `every` the closed ones after them."""

    async def work(harness: Harness) -> int:
        entries = await harness.desk.open_proposals()
        cards = [open_card_json(entry) for entry in entries]
        closed = await _closed(harness, {entry.proposal.proposal for entry in entries}) if every else []
        if output.as_json:
            output.value({"proposals": cards + closed})
            return 0
        now = harness.house.clock.now()
        for entry in entries:
            output.line(f"{entry.proposal.proposal} · session {entry.proposal.session} · {visible_line(entry.agent)}")
            for line in (*card_lines(entry.proposal, now), *decide_lines(entry.proposal)):
                output.line(line)
            output.line("")
        for card in closed:
            output.line(f"{card['proposal']} · {card['status']}: {card['summary']}")
        if not entries:
            output.line("Nothing waits for a decision.")
        return 0

    return run(environ, work)


async def _all_sessions(harness: Harness) -> list[SessionSummary]:
    rows: list[SessionSummary] = []
    while page := await harness.reader.sessions(SessionQuery(offset=len(rows), limit=PAGE)):
        rows.extend(page)
    return rows


async def _closed(harness: Harness, still_open: set[str]) -> list[dict[str, object]]:
    found = []
    for row in await _all_sessions(harness):
        state = await harness.reader.state(row.session)
        for name, card in state.proposals.items():
            if name not in still_open:
                found.append(card_json(card.proposal, card.status.value))
    return found


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _missing_line(missing: Sequence[str]) -> str:
    named = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
    return (
        f"pilothouse: {plural(len(missing), 'session')} recorded in this home cannot be found in its database: {named}"
        "; `pilothouse verify` lists each, `pilothouse restore FILE` puts a backup back"
    )


def _session_line(row: SessionSummary) -> str:
    demo = " · demo" if row.demo else ""
    waits = f" · {plural(len(row.open_proposals), 'open card')}" if row.open_proposals else ""
    ended = f" ({row.stop_reason.replace('_', ' ')})" if row.stop_reason else ""
    status = row.status.value.replace("_", " ")
    cost = money(row.spend.cost_usd) if row.spend.cost_usd is not None else "cost unknown"
    text = f"{row.session}  {status}{ended} · {row.agent} · step {row.step} · {cost}{waits}{demo} · {row.goal}"
    return visible_line(text)
