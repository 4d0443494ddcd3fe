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


def test_a_database_that_is_gone_damaged_or_not_ours_is_a_fault(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    assert checks(cli)["database"]["detail"] == "none yet"
    assert cli.call("stop", "--all").code == 0
    database = cli.home / "pilothouse.db"
    assert checks(cli)["database"]["health"] == "ok"
    whole = database.read_bytes()
    for path in cli.home.glob("pilothouse.db*"):
        path.unlink()

    gone = cli.call("doctor", "--json")
    assert gone.code == 5
    assert "is gone" in checks(cli)["database"]["detail"]
    database.write_bytes(b"hello " * 1000)
    assert "not a database" in checks(cli)["database"]["detail"]
    database.write_bytes(whole[: len(whole) // 2])
    assert checks(cli)["database"]["health"] == "fault"


def test_a_script_that_an_agent_names_and_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    scripted = cli.profile.read_text().replace('"claude-sonnet-4-5"', '"scripted:nowhere.json"')
    cli.profile.write_text(scripted.replace("cost_usd = 5.0", ""))

    done = cli.call("doctor", "--agent", str(cli.profile), "--json")

    assert done.code == 5
    found = {check["name"]: check for check in done.value["checks"]}
    assert (found["script"]["health"], "nowhere.json" in found["script"]["detail"]) == ("fault", True)


def test_the_key_and_the_price_that_an_agent_will_use_are_told(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    found = {c["name"]: c for c in cli.call("doctor", "--agent", str(cli.profile), "--json").value["checks"]}
    assert (found["model key"]["health"], found["price"]["health"]) == ("ok", "ok")

    del cli.env["ANTHROPIC_API_KEY"]
    cli.profile.write_text(
        cli.profile.read_text().replace("claude-sonnet-4-5", "nobodys-own").replace("cost_usd = 5.0", "")
    )
    done = cli.call("doctor", "--agent", str(cli.profile), "--json")
    found = {check["name"]: check for check in done.value["checks"]}

    assert done.code == 0
    assert (found["model key"]["health"], found["price"]["health"]) == ("note", "note")


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


def test_a_person_reads_limits_and_tools_in_the_words_of_the_console(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    cli.profile.write_text(f'pattern = "plan_execute"\n{cli.profile.read_text()}')

    told = cli.call("doctor", "--agent", str(cli.profile)).out

    assert "limits: steps 20, tool calls 50, tokens 500,000, cost $5.00, active time 15 min, cost with forks no" in told
    assert "files_write (idempotent by key, reversible): writes" in told
    assert "files_list (read-only, reversible): sees the folder" in told
    assert "plan_submit (engine, reversible): comes with the pattern plan_execute" in told
    assert "_usd" not in told


def test_what_a_profile_may_do_is_said_with_its_rules(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    rule = '\n[[rules]]\ntool = "files_write"\nwhen = { path = "reports/**" }\nverdict = "allow"\n'
    cli.profile.write_text(cli.profile.read_text() + rule)

    told = {
        line.split(":")[0].strip(): line for line in cli.call("doctor", "--agent", str(cli.profile)).out.splitlines()
    }

    assert "write files where path" in told["without asking"]
    assert "write files otherwise" in told["after asking"]
    assert "anything outside the workspace" in told["never"]


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
