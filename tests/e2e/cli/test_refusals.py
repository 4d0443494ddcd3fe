"""Wrong usage and input give one sentence and exit 2: never a traceback, never a box, and nothing has changed."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import PROFILE, CommandLine, Done


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    return CommandLine(tmp_path_factory.mktemp("desk"))


def assert_one_sentence(done: Done, words: str, *, code: int = 2) -> None:
    assert done.code == code, done.err
    (line,) = done.err.splitlines()
    assert line.startswith("pilothouse: ")
    assert words in line
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
        (["export", "nope", "--format", "html", "--out", "x"], "not in this version"),
        (["export", "nope", "--format", "jsonl", "--out", "/no/such/folder/x"], "--out must name a file"),
        (["shot", "consol", "--out", "x.png"], 'did you mean "console"?'),
        (["shot", "console", "--out", "x.jpg"], "--out must name a .png file"),
        (["shot", "console", "--out", "x.png", "--size", "big"], "--size must be"),
        (["shot", "console", "--out", "x.png", "--theme", "drak"], 'did you mean "dark"?'),
        (["demo", "--story", "offic"], 'did you mean "office"?'),
        (["doctor", "--agent", "folder-clark"], 'did you mean "folder-clerk"?'),
        ([], "no window can be shown"),
        (["demo"], "use demo --headless"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_sentence(cli: CommandLine, arguments: list[str], words: str) -> None:
    assert_one_sentence(cli.call(*arguments), words)


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["show", "nope"], ["decide", "p-1", "approve"], ["run"]], ids=" ".join
)
def test_with_json_the_error_is_an_object_on_stdout_too(cli: CommandLine, arguments: list[str]) -> None:
    done = cli.call(*arguments, "--json")

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
def test_an_invalid_profile_is_one_sentence(cli: CommandLine, old: str, new: str, words: str) -> None:
    cli.profile.write_text(PROFILE.format(more="").replace(old, new))

    done = cli.run()

    cli.profile.write_text(PROFILE.format(more=""))
    assert done.code == 2, done.err
    assert words.lower() in done.err.lower()
    assert len(done.err.splitlines()) == 1
    assert cli.call("sessions", "--json").value == {"sessions": []}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"--goal": " "}, "--goal must say"),
        ({"--workspace": "/no/such/folder"}, "--workspace must be a folder that exists"),
        ({"--workspace": "HOME"}, "is the home of Pilothouse itself"),
        ({"--agent": "nope"}, 'there is no agent profile "nope"'),
        ({"--agent": "/no/such.toml"}, "there is no agent profile at /no/such.toml"),
        ({"--decide": "no.json"}, "the decision file no.json cannot be read"),
        ({"--decide": "ask"}, "--decide ask needs a terminal"),
    ],
    ids=str,
)
def test_what_a_run_cannot_start_with_is_one_sentence(cli: CommandLine, changes: dict[str, str], words: str) -> None:
    arguments = cli.run_arguments()
    for option, value in changes.items():
        arguments[arguments.index(option) + 1] = str(cli.home) if value == "HOME" else value
    cli.home.mkdir(exist_ok=True)

    assert_one_sentence(cli.call(*arguments), words)


@pytest.mark.parametrize("answers", ["{", "{}", '[{"verdict": "yes"}]', '[{"verdict": null}]', "[3]"])
def test_a_malformed_decision_file_starts_nothing(cli: CommandLine, answers: str) -> None:
    path = cli.root / "bad.json"
    path.write_text(answers)

    done = cli.call(*cli.run_arguments(str(path)))

    assert done.code == 2
    assert "bad.json" in json.loads(done.out)["error"]["message"]


def test_settings_that_cannot_be_read_start_nothing_and_are_kept(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    cli.home.mkdir(exist_ok=True)
    (cli.home / "settings.toml").write_text("[general\n")

    done = cli.run()

    assert_one_sentence(done, "settings.toml line 1")
    assert (cli.home / "settings.toml").read_text() == "[general\n"


@pytest.mark.parametrize("named", ["", "FILE"])
def test_a_home_that_cannot_be_one_is_one_sentence(tmp_path: Path, named: str) -> None:
    cli = CommandLine(tmp_path)
    cli.env["PILOTHOUSE_HOME"] = str(cli.profile) if named else ""

    assert_one_sentence(cli.call("sessions"), "PILOTHOUSE_HOME")


def test_nobody_can_decide_as_the_system(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    cli.env["PILOTHOUSE_OPERATOR"] = "system"

    assert_one_sentence(cli.call("release"), 'PILOTHOUSE_OPERATOR cannot be "system"')
