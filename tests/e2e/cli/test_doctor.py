"""The doctor names what is wrong here, and what a profile may do."""

from pathlib import Path

from tests.support.command_line import CommandLine


def checks(cli: CommandLine) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in cli.call("doctor", "--json").value["checks"]}


def test_a_sound_installation_is_ok_and_says_what_is_missing(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    done = cli.call("doctor", "--json")

    assert (done.code, done.value["ok"]) == (0, True), done.err
    found = checks(cli)
    assert found["keyring"]["health"] == "note"
    assert "session only" in found["keyring"]["detail"]
    assert found["operator"]["detail"] == "bar"
    assert found["window system"]["health"] == "note"
    assert all(line.split()[0] in ("ok", "note") for line in cli.call("doctor").out.splitlines())


def test_a_fault_is_named_and_ends_with_five(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    cli.home.mkdir(exist_ok=True)
    (cli.home / "settings.toml").write_text("[general\n")

    done = cli.call("doctor")

    assert done.code == 5
    assert "fault  settings: settings.toml line 1" in done.out


def test_the_halt_and_the_holder_of_the_lock_are_told(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    assert cli.call("stop", "--all").code == 0

    assert "release" in checks(cli)["halt"]["detail"]
    assert checks(cli)["write lock"]["detail"] == "free"


def test_a_profile_is_shown_with_what_each_tool_may_do_and_why(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    agent = cli.call("doctor", "--agent", str(cli.profile), "--json").value["agent"]

    tools = {tool["name"]: tool for tool in agent["tools"]}
    assert agent["name"] == "lab"
    assert tools["files_write"]["because"] == "writes"
    assert tools["files_write"]["effect_class"] == "idempotent_by_key"
    assert {"privileges", "limits", "reversibility"} <= set(tools["files_write"])
