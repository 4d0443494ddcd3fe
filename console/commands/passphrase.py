"""`passphrase`: an operator decides with one from now on, or with none."""

from collections.abc import Mapping

from agent_core.config.operators import operator_name, who_decides
from agent_core.engine.harness import Harness
from agent_core.model.errors import InputError
from console.engine_room import run
from console.output import Output
from console.passphrase import DESCRIPTOR, ask


def change(environ: Mapping[str, str], output: Output, *, by: str | None, remove: bool) -> int:
    """Set or remove it; the old one is asked for first, where there is one."""
    who = operator_name(by, "--by") if by is not None else who_decides(environ)

    async def work(harness: Harness) -> int:
        locked = await harness.desk.is_locked(who)
        old = ask(environ, f"Passphrase of {who}: ") if locked else None
        new = None if remove else ask(environ, f"New passphrase of {who}: ")
        if new is not None and DESCRIPTOR not in environ and ask(environ, "Once more: ") != new:
            raise InputError("the two passphrases are not the same; nothing was changed")
        await harness.desk.protect(who, new, old)
        if output.as_json:
            output.value({"operator": who, "passphrase": new is not None})
        output.line(f"{who} decides {'without' if remove else 'with'} a passphrase from now on.")
        return 0

    return run(environ, work)
