"""The command line: what there is to type. Each command imports what it needs when it is called, so help is quick."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.exceptions

from agent_core import __version__
from agent_core.model.errors import PilothouseError
from console.output import Output

BUG_EXIT = 5

app = typer.Typer(
    help="An operator console for human-in-the-loop agents. Without a command it opens the console.",
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Session = Annotated[str, typer.Argument(metavar="SESSION", help="Id of a session, or its short form.")]
DecideMode = Annotated[
    str | None,
    typer.Option(
        "--decide",
        metavar="ask|none|FILE",
        help="Ask here, suspend at the first card, or answer by a JSON file. Default: ask on a terminal, else none.",
    ),
]


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> int:
    """An operator console for human-in-the-loop agents. Without a command it opens the console."""
    if version:
        Output(False).line(f"pilothouse {__version__}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        from console.commands.window import open_window

        return open_window(os.environ)
    return 0


@app.command()
def demo(
    headless: Annotated[bool, typer.Option("--headless", help="Play it in the terminal.")] = False,
    decide: DecideMode = None,
    story: Annotated[str, typer.Option(metavar="NAME", help="Which story to play.")] = "demo",
    json: Json = False,
) -> int:
    """Play the offline demo: no key, no network, a sample workspace."""
    from console.commands.demo import play

    return play(os.environ, Output(json), headless=headless, decide=decide, story=story)


@app.command("run")
def run_session(
    agent: Annotated[str, typer.Option(metavar="PROFILE", help="Name or path of an agent profile.")],
    goal: Annotated[str, typer.Option(metavar="TEXT", help="What the agent is to do.")],
    workspace: Annotated[Path, typer.Option(metavar="DIR", help="The folder it works in.")],
    decide: DecideMode = None,
    json: Json = False,
) -> int:
    """Run a session in the terminal."""
    from console.commands.runs import start

    return start(os.environ, Output(json), agent=agent, goal=goal, workspace=workspace, decide=decide)


@app.command()
def resume(
    session: Session,
    decide: DecideMode = None,
    message: Annotated[str | None, typer.Option(metavar="TEXT", help="Tell the agent something first.")] = None,
    json: Json = False,
) -> int:
    """Go on with a session."""
    from console.commands.runs import resume as go_on

    return go_on(os.environ, Output(json), session=session, decide=decide, message=message)


@app.command()
def fork(
    session: Session,
    step: Annotated[
        int | None, typer.Option(metavar="N", help="The last step taken over; default the newest whole one; 0: none.")
    ] = None,
    goal: Annotated[str | None, typer.Option(metavar="TEXT", help="Another goal; default the same.")] = None,
    decide: DecideMode = None,
    json: Json = False,
) -> int:
    """Begin a session with the history of another one up to a step. The workspace is not rewound."""
    from console.commands.runs import fork as begin

    return begin(os.environ, Output(json), session=session, step=step, goal=goal, decide=decide)


@app.command()
def sessions(json: Json = False) -> int:
    """List sessions, newest first."""
    from console.commands.listing import list_sessions

    return list_sessions(os.environ, Output(json))


@app.command()
def show(session: Session, json: Json = False) -> int:
    """Show one session and its result."""
    from console.commands.listing import show_session

    return show_session(os.environ, Output(json), session)


@app.command()
def trace(session: Session, json: Json = False) -> int:
    """Show the events of a session; with --json one a line."""
    from console.commands.listing import show_trace

    return show_trace(os.environ, Output(json), session)


@app.command()
def proposals(
    every: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False,
    json: Json = False,
) -> int:
    """List open proposals, with every field of the card."""
    from console.commands.listing import list_proposals

    return list_proposals(os.environ, Output(json), every=every)


@app.command()
def decide(
    proposal: Annotated[str, typer.Argument(metavar="PROPOSAL", help="Id of an open proposal, or its short form.")],
    verdict: Annotated[
        str,
        typer.Argument(
            metavar="VERDICT", help="approve, modify, reject, …: `pilothouse proposals` lists those of a card."
        ),
    ],
    args: Annotated[
        str | None, typer.Option(metavar="JSON", help="New arguments or limits, and what else it takes.")
    ] = None,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why.")] = None,
    answer: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The answer to a question, or your question.")
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Who decides; default PILOTHOUSE_OPERATOR.")] = None,
    json: Json = False,
) -> int:
    """Record one decision. Whoever works the session carries it out."""
    from console.commands.decide import record

    return record(
        os.environ, Output(json), proposal=proposal, verdict=verdict, args=args, reason=reason, answer=answer, by=by
    )


@app.command()
def passphrase(
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Whose; default PILOTHOUSE_OPERATOR.")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Decide without one again.")] = False,
    json: Json = False,
) -> int:
    """Have an operator decide with a passphrase from now on."""
    from console.commands.passphrase import change

    return change(os.environ, Output(json), by=by, remove=remove)


@app.command()
def stop(
    session: Annotated[
        str | None, typer.Argument(metavar="SESSION", help="Id of a session, or its short form.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Stop everything until released.")] = False,
    force: Annotated[bool, typer.Option("--force", help="End the processes of its tools, too.")] = False,
    json: Json = False,
) -> int:
    """Stop a session at once, or all of them."""
    from console.commands.stopping import stop as stop_now

    return stop_now(os.environ, Output(json), session=session, every=every, force=force)


@app.command()
def release(json: Json = False) -> int:
    """Lift the halt that stop --all set."""
    from console.commands.stopping import release as release_now

    return release_now(os.environ, Output(json))


@app.command()
def lift(
    session: Session,
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="Name of a tool that is switched off for the run.")],
    json: Json = False,
) -> int:
    """Switch a tool on again that three refusals of the gate switched off."""
    from console.commands.stopping import lift as lift_now

    return lift_now(os.environ, Output(json), session=session, tool=tool)


@app.command()
def export(
    session: Session,
    form: Annotated[str, typer.Option("--format", metavar="jsonl|html|otel", help="The form of the file.")],
    out: Annotated[Path, typer.Option(metavar="PATH", help="The file to write.")],
    json: Json = False,
) -> int:
    """Write a session to a file."""
    from console.commands.audit import export as write

    return write(os.environ, Output(json), session=session, form=form, out=out)


@app.command()
def verify(
    session: Annotated[
        str | None, typer.Argument(metavar="SESSION", help="Id of a session, or its short form; default: all.")
    ] = None,
    json: Json = False,
) -> int:
    """Check the chain of events and the signatures of decisions."""
    from console.commands.audit import verify as check

    return check(os.environ, Output(json), session)


@app.command()
def backup(
    out: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The file to write; default: the home's backups.")
    ] = None,
    json: Json = False,
) -> int:
    """Back up the database; agents may go on meanwhile."""
    from console.commands.archive import backup as copy

    return copy(os.environ, Output(json), out=out)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")],
    json: Json = False,
) -> int:
    """Put a backup back; what is there now is backed up first."""
    from console.commands.archive import restore as put_back

    return put_back(os.environ, Output(json), source=file)


@app.command()
def audit(
    text: Annotated[str, typer.Option(metavar="TEXT", help="Only cards that say this.")] = "",
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Only cards that this operator decided.")] = None,
    session: Annotated[str | None, typer.Option(metavar="S", help="Only cards of this session.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a table for spreadsheets.")] = False,
    record: Annotated[str | None, typer.Option(metavar="PROPOSAL", help="Write one decision as an HTML page.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="PATH", help="The file to write.")] = None,
    json: Json = False,
) -> int:
    """List every card: who decided it, when, how, and what ran."""
    from console.commands.audit import audit as look

    return look(os.environ, Output(json), text=text, by=by, session=session, as_csv=as_csv, record=record, out=out)


@app.command()
def doctor(
    agent: Annotated[str | None, typer.Option(metavar="PROFILE", help="Check this agent profile, too.")] = None,
    json: Json = False,
) -> int:
    """Check the installation, or an agent profile."""
    from console.commands.doctor import examine

    return examine(os.environ, Output(json), agent)


@app.command()
def shot(
    view: Annotated[str, typer.Argument(metavar="VIEW", help="console, card, review, sessions, settings, …")],
    out: Annotated[Path, typer.Option(metavar="FILE.png", help="The picture to write.")],
    session: Annotated[str | None, typer.Option(metavar="S", help="The session to show.")] = None,
    kind: Annotated[str | None, typer.Option(metavar="K", help="The kind of card to show.")] = None,
    story: Annotated[str | None, typer.Option(metavar="NAME", help="Draw this demo story, not the home.")] = None,
    theme: Annotated[str, typer.Option(metavar="light|dark", help="The theme.")] = "light",
    size: Annotated[str, typer.Option(metavar="WxH", help="The size in pixels.")] = "1440x900",
    json: Json = False,
) -> int:
    """Draw a view offscreen."""
    from console.commands.shot import draw

    return draw(
        os.environ, Output(json), view=view, out=out, session=session, kind=kind, story=story, theme=theme, size=size
    )


def run(arguments: Sequence[str]) -> int:
    """Run one command line; gives the exit code. Every error is one line, and never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    output = Output("--json" in arguments)
    try:
        code: Any = typer.main.get_command(app).main(list(arguments), prog_name="pilothouse", standalone_mode=False)
    except PilothouseError as error:
        return output.error(error)
    except typer.exceptions.TyperException as error:
        output.failure("usage", _lowered(error.format_message()))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        output.warning("pilothouse: interrupted")
        return 130
    except Exception as error:  # noqa: BLE001 - a person never sees a traceback; it goes to the log
        return report_bug(error, output)
    return code if isinstance(code, int) else 0


def report_bug(error: Exception, output: Output) -> int:
    """Say in one line that the fault is ours, keep the traceback in the home's log, and give the exit code."""
    from console.faults import one_line, record, redact_for

    where = record(error, os.environ)
    details = f"; details are in {where}" if where else ""
    said = redact_for(os.environ)(one_line(error))
    output.failure("bug", f"this is a fault of Pilothouse, not yours: {said}{details}")
    return BUG_EXIT


def _lowered(message: str) -> str:
    bare, guess, options = message.strip().rstrip(".").partition(" (Possible options: ")
    bare += f"; did you mean {options.removesuffix(')')}?" if guess else ""
    return f"{bare[:1].lower()}{bare[1:]}; see pilothouse --help"
