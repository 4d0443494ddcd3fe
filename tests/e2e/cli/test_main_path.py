"""From one command to a finished job: approvals, edits, refusals, suspension and resume, each from its own process."""

from pathlib import Path

from tests.support.command_line import Turn, office, write

READ_AND_WRITE = (
    Turn("Looking.", [("files_list", {"path": "."}), ("files_read", {"path": "a.txt"})]),
    Turn("Writing.", [write("out.txt", "sum=3\n")]),
    Turn("All done: sum is 3."),
)


def test_a_run_with_an_approval_does_its_job(tmp_path: Path) -> None:
    with office(tmp_path, *READ_AND_WRITE) as (cli, service):
        (cli.work / "a.txt").write_text("1\n2\n")
        done = cli.run([{"tool": "files_write", "verdict": "approve"}])

        assert done.code == 0, done.err
        assert (cli.work / "out.txt").read_text() == "sum=3\n"
        assert done.value["stop_reason"] == "completed"
        assert "sum is 3" in done.value["output"]
        assert done.value["spend"]["steps"] == done.value["spend"]["tool_calls"] == 3
        assert float(done.value["spend"]["cost_usd"]) > 0
        assert [block["tool_use_id"] for block in service.results(1)] == ["toolu_0_0", "toolu_0_1"]
        kinds = [event["kind"] for event in cli.trace(done.value["session"])]
        assert kinds[0] == "session_opened"
        assert kinds[-1] == "run_stopped"
        assert {"proposal_opened", "decision_made", "call_started", "call_finished"} <= set(kinds)
        assert cli.call("verify", done.value["session"]).code == 0
        assert cli.call("show", done.value["session"], "--json").value == done.value


def test_a_fork_begins_with_the_history_of_another_session(tmp_path: Path) -> None:
    with office(tmp_path, *READ_AND_WRITE) as (cli, service):
        source = cli.run([{"tool": "files_write", "verdict": "approve"}]).value["session"]
        sent = len(service.requests)

        for step, words in (("7", "after the steps 0 to 3, not after 7"), ("-1", "not after -1")):
            refused = cli.call("fork", source, "--step", step, "--decide", "none", "--json")
            assert refused.code == 2
            assert words in refused.value["error"]["message"]
        made = cli.call("fork", source, "--step", "1", "--goal", "write it again", "--decide", "none", "--json")

        assert (made.code, made.value["status"]) == (4, "awaiting_decision")
        assert made.value["session"] != source
        assert (made.value["spend"]["steps"], made.value["spend"]["tool_calls"]) == (1, 0)
        assert len(service.requests) == sent + 1
        opened, begun, started = cli.trace(made.value["session"])[:3]
        assert (opened["data"]["goal"], begun["kind"], started["kind"]) == (
            "write it again",
            "session_forked",
            "run_started",
        )
        assert (begun["data"]["source"], begun["data"]["step"]) == (source, 1)
        assert "out.txt" in begun["data"]["note"]
        assert cli.call("verify").code == 0


def test_a_suspended_run_goes_on_with_a_decision_from_another_process(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "v1")]), Turn("done")) as (cli, service):
        done = cli.run()
        assert (done.code, done.value["status"]) == (4, "awaiting_decision")
        (proposal,) = done.value["open_proposals"]
        assert not (cli.work / "out.txt").exists()

        (card,) = cli.call("proposals", "--json").value["proposals"]
        assert card["proposal"] == proposal
        assert card["why"]["why"] == "asked"
        told = cli.call("proposals").out
        assert f"pilothouse decide {proposal} with one of:" in told
        assert all(f"    {verdict}" in told for verdict in (*card["verdicts"], "postpone"))
        for verdict in ("maybe", "", "Yes", "extend"):
            refused = cli.call("decide", proposal, verdict, "--json")
            assert (refused.code, "error" in refused.value) == (2, True)

        waiting = cli.call("resume", done.value["session"], "--decide", "none", "--json")
        assert waiting.code == 4
        assert len(service.requests) == 1

        receipt = cli.call("decide", proposal, "approve", "--by", "eva", "--json").value
        assert (receipt["by"], receipt["closed"]) == ("eva", True)
        assert not (cli.work / "out.txt").exists()
        assert [entry["outcome"] for entry in cli.call("audit", "--json").value["entries"]] == [""]
        late = cli.call("decide", proposal, "reject", "--reason", "late", "--json")
        assert late.code == 2
        assert "eva" in late.value["error"]["message"]

        resumed = cli.call("resume", done.value["session"], "--decide", "none", "--json")
        assert resumed.code == 0, resumed.err
        assert (cli.work / "out.txt").read_text() == "v1"
        assert len(service.requests) == 2
        kinds = [event["kind"] for event in cli.trace(done.value["session"])]
        assert kinds.count("call_started") == 1


def test_the_model_is_told_what_was_changed_and_why_it_was_refused(tmp_path: Path) -> None:
    turn = Turn(tools=[write("out.txt", "old"), write("bad.txt", "no")])
    with office(tmp_path, turn, Turn("understood")) as (cli, service):
        first, second = cli.run().value["open_proposals"]
        for bad in (
            '{"path": "../../etc/x", "content": "n"}',
            '{"path": 5, "content": "n"}',
            '{"content": "n"}',
            "{",
            "[]",
            "null",
            '{"path": "a", "content": NaN}',
        ):
            refused = cli.call("decide", first, "modify", "--args", bad, "--json")
            assert refused.code == 2, bad
        assert cli.call("decide", first, "modify", "--json").code == 2

        edit = '{"path": "out.txt", "content": "new"}'
        assert cli.call("decide", first, "modify", "--args", edit, "--reason", "newer", "--json").code == 0
        assert cli.call("decide", second, "reject", "--reason", "wrong target", "--json").code == 0
        done = cli.call("resume", cli.only_session()["session"], "--json")

        assert done.code == 0, done.err
        assert (cli.work / "out.txt").read_text() == "new"
        assert not (cli.work / "bad.txt").exists()
        changed, rejected = service.results()
        assert "new" in str(changed)
        assert "newer" in str(changed)
        assert "wrong target" in str(rejected)
        assert rejected["is_error"]


def test_a_decision_file_that_answers_nothing_leaves_the_card_open(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "x")])) as (cli, service):
        done = cli.run([{"tool": "files_delete", "verdict": "approve"}])

        assert done.code == 4
        assert len(done.value["open_proposals"]) == 1
        assert len(service.requests) == 1


def test_a_limit_ends_the_run_incomplete_with_what_there_is(tmp_path: Path) -> None:
    turns = [Turn("Looking.", [("files_list", {"path": "."})]), Turn("still looking")]
    with office(tmp_path, *turns) as (cli, _):
        cli.profile.write_text(cli.profile.read_text().replace("steps = 20", "steps = 1"))
        done = cli.run([{"touchpoint": "budget", "verdict": "stop"}])

        assert done.code == 3
        assert done.value["stop_reason"] == "step_limit"
        assert done.value["completed"] is False


def test_an_export_holds_every_event(tmp_path: Path) -> None:
    with office(tmp_path, Turn("hello")) as (cli, _):
        session = cli.run().value["session"]
        out = tmp_path / "session.jsonl"

        assert cli.call("export", session, "--format", "jsonl", "--out", str(out), "--json").code == 0
        assert len(out.read_text().splitlines()) == len(cli.trace(session))


def test_the_key_is_nowhere_but_in_the_request(tmp_path: Path) -> None:
    turn = Turn(tools=[("files_read", {"path": "secret.txt"})])
    with office(tmp_path, turn, Turn("read")) as (cli, service):
        (cli.work / "secret.txt").write_text(cli.env["ANTHROPIC_API_KEY"])
        done = cli.run()

        assert done.code == 0
        kept = b"".join(path.read_bytes() for path in cli.home.rglob("*") if path.is_file())
        assert cli.env["ANTHROPIC_API_KEY"].encode() not in kept
        assert cli.env["ANTHROPIC_API_KEY"] not in done.out + done.err
        assert cli.env["ANTHROPIC_API_KEY"] not in str(service.requests)


def test_a_goal_of_broken_characters_is_no_crash(tmp_path: Path) -> None:
    with office(tmp_path, Turn("fine")) as (cli, _):
        half_an_emoji = b"\xed\xa0\xbd".decode("utf-8", "surrogateescape")
        done = cli.run(goal=f"sort it {half_an_emoji}")

        assert done.code in (0, 2), done.err
        assert "Traceback" not in done.err


def test_only_listed_operators_may_decide(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "v1")]), Turn("done")) as (cli, _):
        (proposal,) = cli.run().value["open_proposals"]
        (cli.home / "settings.toml").write_text('[policies]\noperators = ["eva"]\n')

        refused = cli.call("decide", proposal, "approve", "--json")
        assert (refused.code, refused.value["error"]["code"]) == (2, "not_an_operator")
        assert cli.call("decide", proposal, "approve", "--by", "eva").code == 0


def test_standing_rules_join_the_profiles_own(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "v1"), write("secret.txt", "x")]), Turn("done")) as (
        cli,
        service,
    ):
        cli.home.mkdir(exist_ok=True)
        (cli.home / "settings.toml").write_text(
            '[[rules]]\ntool = "files_write"\nverdict = "allow"\n'
            '[[rules]]\ntool = "files_write"\nverdict = "deny"\nwhen = { path = "secret*" }\n'
        )
        done = cli.run()

        assert done.code == 0, done.err
        assert (cli.work / "out.txt").read_text() == "v1"
        assert not (cli.work / "secret.txt").exists()
        assert [block.get("is_error", False) for block in service.results()] == [False, True]


def test_a_deadline_that_passed_approves_nothing(tmp_path: Path) -> None:
    more = '[gate]\napprove_within = "1s"\n'
    with office(tmp_path, Turn(tools=[write("out.txt", "v1")]), Turn("done"), more=more) as (cli, service):
        done = cli.run()
        (proposal,) = done.value["open_proposals"]
        while cli.call("proposals", "--json").value["proposals"][0]["status"] == "open":
            pass

        assert cli.call("decide", proposal, "approve", "--json").code == 2
        resumed = cli.call("resume", done.value["session"], "--json")

        assert resumed.code == 0, resumed.err
        assert not (cli.work / "out.txt").exists()
        assert "expired" in str(service.results())
        assert cli.call("proposals", "--all", "--json").value["proposals"][0]["status"] == "expired"
