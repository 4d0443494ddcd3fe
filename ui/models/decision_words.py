"""What a decision says beside its reason: whether what was taken over is done, a reference, who, until when. Pure."""

from collections.abc import Mapping
from datetime import datetime

from agent_core.model.proposal import Verdict
from ui import formatting

_DONE = {True: "done outside", False: "not done"}


def particulars(verdict: Verdict, details: Mapping[str, object]) -> list[str]:
    """In short phrases, as a list of facts has them; empty where there is nothing to say."""
    found: list[str] = []
    done = details.get("done")
    if verdict is Verdict.TAKE_OVER and isinstance(done, bool):
        found.append(_DONE[done])
    if reference := details.get("reference"):
        found.append(f"reference: {reference}")
    if verdict is Verdict.ESCALATE and (to := details.get("to")):
        found.append(f"to {to}")
    if verdict is Verdict.POSTPONE and (until := _instant(details.get("until"))):
        found.append(f"until {formatting.clock_time(until.astimezone(), seconds=False)}")
    if verdict is Verdict.REJECT and details.get("then") == "stop":
        found.append("the run stops")
    return found


def _instant(value: object) -> datetime | None:
    try:
        return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        return None
