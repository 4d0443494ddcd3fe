"""The doctor names what is wrong here, and what a profile may do."""

import subprocess
from pathlib import Path

import msgspec

from agent_core.config.home import Home
from agent_core.store.processes import Processes
from tests.support.command_line import CommandLine


def checks(cli: CommandLine) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in cli.call("doctor", "--json").value["checks"]}


def test_a_sound_installation_is_ok_and_says_what_is_missing(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    done = cli.call("doctor", "--json")

    assert (done.code, done.value["ok"]) == (0, True), done.err
    found = checks(cli)
    assert found["keyring"]["health"] == "note"
    assert "session only" in found["keyring"]["advice"]
    assert found["operator"]["detail"] == "bar"
    assert found["window system"]["health"] == "note"
    assert all(check["advice"] for check in found.values() if check["health"] != "ok")
    lines = cli.call("doctor").out.splitlines()
    assert all(line.startswith(("ok", "note", " " * 7)) for line in lines)


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

    assert "release" in checks(cli)["halt"]["advice"]
    assert checks(cli)["write lock"]["detail"] == "free"


def test_a_profile_is_shown_with_what_each_tool_may_do_and_why(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    agent = cli.call("doctor", "--agent", str(cli.profile), "--json").value["agent"]

    tools = {tool["name"]: tool for tool in agent["tools"]}
    assert agent["name"] == "lab"
    assert tools["files_write"]["because"] == "writes"
    assert tools["files_write"]["effect_class"] == "idempotent_by_key"
    assert {"privileges", "limits", "reversibility"} <= set(tools["files_write"])


def test_a_key_that_others_can_read_and_a_program_that_was_left_behind_are_told(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    assert cli.call("doctor").code == 0
    key = cli.home / "keys" / "1234.key"
    key.write_text("ab")
    key.chmod(0o644)
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as stray:
        record = msgspec.structs.replace(
            Processes(Home.at(cli.home)).record(stray.pid, "s-1", "sleep"), owner=1, owner_started="0"
        )
        (cli.home / "processes" / record.name).write_bytes(msgspec.json.encode(record))
        found = checks(cli)
        stray.kill()

    assert found["operator key"]["health"] == "fault"
    assert "chmod 600" in found["operator key"]["advice"]
    assert f"{stray.pid} (sleep)" in found["processes"]["detail"]
