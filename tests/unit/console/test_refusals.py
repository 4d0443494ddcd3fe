"""Wrong usage and input give one sentence and exit 2: never a traceback, never a box, and nothing has changed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from console.cli import report_bug, run
from console.output import Output
from tests.support.command_line import PROFILE, Done

Call = Callable[..., Done]


@pytest.fixture
def call(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    """Run a command line in this process."""
    monkeypatch.setenv("PILOTHOUSE_OPERATOR", "bar")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-0123456789abcdef")

    def call(*arguments: str) -> Done:
        code = run(arguments)
        said = capfd.readouterr()
        return Done(code, said.out, said.err)

    return call


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "agent.toml"
    path.write_text(PROFILE.format(more=""))
    return path


@pytest.fixture
def run_arguments(tmp_path: Path, profile: Path) -> dict[str, str]:
    """The options of a run that would start."""
    work = tmp_path / "work"
    work.mkdir()
    return {"--agent": str(profile), "--goal": "do it", "--workspace": str(work), "--decide": "none"}


def started(call: Call, options: dict[str, str], *more: str) -> Done:
    return call("run", *(part for option in options.items() for part in option), *more)


def assert_one_sentence(done: Done, words: str, *, code: int = 2) -> None:
    assert done.code == code, done.err
    (line,) = done.err.splitlines()
    assert line.startswith("pilothouse: ")
    assert words.lower() in line.lower()
    assert "Traceback" not in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "no such command 'nonsense'"),
        (["--nonsense"], "no such option: --nonsense"),
        (["run"], "missing option '--agent'"),
        (["run", "--agnt", "x"], "did you mean --agent"),
        (["show"], "missing argument 'SESSION'"),
        (["show", "nope"], "no session nope"),
        (["show", ""], 'no session ""'),
        (["decide", " ", "approve"], 'no proposal " "'),
        (["show", "../../etc/passwd"], "no session ../../etc/passwd"),
        (["trace", "nope"], "no session nope"),
        (["resume", "nope"], "no session nope"),
        (["verify", "nope"], "no session nope"),
        (["decide", "p-1"], "missing argument 'VERDICT'"),
        (["decide", "p-1", "approve"], "no proposal p-1"),
        (["decide", "p-1", "approve", "--args", "{"], "--args is not JSON"),
        (["decide", "p-1", "approve", "--by", " "], "--by must be a printable name"),
        (["stop"], "name one session, or say --all"),
        (["stop", "a", "--all"], "name one session, or say --all"),
        (["export", "nope", "--format", "xml", "--out", "x"], '--format cannot be "xml"'),
        (["export", "nope", "--format", "htm", "--out", "x"], "html"),
        (["export", "nope", "--format", "jsonl", "--out", "/no/such/folder/x"], "--out must name a file"),
        (["shot", "consol", "--out", "x.png"], 'did you mean "console"?'),
        (["shot", "console", "--out", "x.jpg"], "--out must name a .png file"),
        (["shot", "console", "--out", "x.png", "--size", "big"], "--size must be"),
        (["shot", "console", "--out", "x.png", "--theme", "drak"], 'did you mean "dark"?'),
        (["demo", "--story", "offic"], 'did you mean "office"?'),
        (["doctor", "--agent", "folder-clark"], 'did you mean "folder-clerk"?'),
        (["show", "a", "b"], "argument(s) (b); see"),
        (["sessions", "--jsn"], "did you mean --json?; see"),
        ([], "no window can be shown"),
        (["demo"], "use demo --headless"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_sentence(call: Call, arguments: list[str], words: str) -> None:
    assert_one_sentence(call(*arguments), words)


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["show", "nope"], ["decide", "p-1", "approve"], ["run"]], ids=" ".join
)
def test_with_json_the_error_is_an_object_on_stdout_too(call: Call, arguments: list[str]) -> None:
    done = call(*arguments, "--json")

    assert done.code == 2
    assert set(done.value["error"]) == {"code", "message"}
    assert done.value["error"]["message"] in done.err


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("steps = 20", "step = 20", 'agent.toml line 6: unknown key "step" in [limits]; did you mean "steps"?'),
        ("steps = 20", "steps = -1", "agent.toml line 6: steps in [limits] must be a whole number"),
        ("cost_usd = 5.0", "cost_usd = nan", "agent.toml line 7: cost_usd in [limits] must be"),
        ("cost_usd = 5.0", 'cost_usd = ""', "agent.toml line 7: cost_usd in [limits] must be"),
        ('"files_write"', '"file_write"', 'agent.toml line 16: unknown tool "file_write"; did you mean "files_write"?'),
        ('"files_write"', '"shell_run"', 'agent.toml line 16: the tool "shell_run" is not in this version'),
        ('name = "lab"', 'name = "lab', "agent.toml line 2: not valid TOML"),
        ('because = "writes"', "", 'the tool "files_write" needs a "because"'),
        ("claude-sonnet-4-5", "no-such-model", 'the price of "no-such-model" is not known'),
        ("claude-sonnet-4-5", "scripted:nope", 'the script "nope" cannot be read'),
        ("[limits]", 'pattern = "reflection"\n[limits]', 'the pattern "reflection" is not in this version'),
    ],
)
def test_an_invalid_profile_is_one_sentence_and_starts_nothing(
    call: Call, profile: Path, run_arguments: dict[str, str], old: str, new: str, words: str
) -> None:
    profile.write_text(PROFILE.format(more="").replace(old, new))

    assert_one_sentence(started(call, run_arguments), words)
    assert call("sessions", "--json").value == {"sessions": []}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"--goal": " "}, "--goal must say"),
        ({"--workspace": "/no/such/folder"}, "--workspace must be a folder that exists"),
        ({"--workspace": "HOME"}, "lies in the home of Pilothouse itself"),
        ({"--workspace": "HOME/agents"}, "lies in the home of Pilothouse itself"),
        ({"--agent": "nope"}, 'There is no agent profile "nope"'),
        ({"--agent": "/no/such.toml"}, "There is no agent profile at /no/such.toml"),
        ({"--decide": "no.json"}, "The decision file no.json cannot be read"),
        ({"--decide": "ask"}, "--decide ask needs a terminal"),
    ],
    ids=str,
)
def test_what_a_run_cannot_start_with_is_one_sentence(
    call: Call, home: Path, run_arguments: dict[str, str], changes: dict[str, str], words: str
) -> None:
    (home / "agents").mkdir(parents=True, exist_ok=True)
    changed = {option: value.replace("HOME", str(home)) for option, value in changes.items()}

    assert_one_sentence(started(call, {**run_arguments, **changed}), words)


@pytest.mark.parametrize("answers", ["{", "{}", '[{"verdict": "yes"}]', '[{"verdict": null}]', "[3]"])
def test_a_malformed_decision_file_starts_nothing(
    call: Call, tmp_path: Path, run_arguments: dict[str, str], answers: str
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(answers)

    done = started(call, {**run_arguments, "--decide": str(path)}, "--json")

    assert done.code == 2
    assert "bad.json" in json.loads(done.out)["error"]["message"]


def test_settings_that_cannot_be_read_start_nothing_and_are_kept(
    call: Call, home: Path, run_arguments: dict[str, str]
) -> None:
    (home / "settings.toml").write_text("[general\n")

    assert_one_sentence(started(call, run_arguments), "settings.toml line 1")
    assert (home / "settings.toml").read_text() == "[general\n"


@pytest.mark.parametrize(
    ("name", "value"),
    [("PILOTHOUSE_HOME", ""), ("PILOTHOUSE_HOME", __file__), ("PILOTHOUSE_OPERATOR", "system")],
)
def test_an_environment_that_cannot_be_meant_is_one_sentence(
    call: Call, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    assert_one_sentence(call("release"), name)


def test_a_fault_of_ours_is_one_sentence_too_and_its_traceback_is_in_the_log(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        raise ZeroDivisionError("our\nmistake")
    except ZeroDivisionError as error:
        code = report_bug(error, Output(as_json=True))

    said = capsys.readouterr()
    done = Done(code, said.out, said.err)
    assert_one_sentence(done, "this is a fault of Pilothouse, not yours: ZeroDivisionError: our mistake", code=5)
    assert done.value["error"]["code"] == "bug"
    assert "Traceback" in (home / "logs" / "pilothouse.log").read_text()
