"""Backup and restore from the command line: nothing is lost, and verify tells a restore from a cut tail."""

from pathlib import Path

from tests.support.command_line import CommandLine, Turn, office, write


def test_a_backup_is_put_back_and_the_history_is_well(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "v1")]), Turn("done")) as (cli, _):
        session = cli.run().value["session"]
        kept = tmp_path / "kept.db"
        assert cli.call("backup", "--out", str(kept), "--json").value == {"backup": str(kept)}
        card = cli.only_session()["open_proposals"][0]
        assert cli.call("decide", card, "reject", "--reason", "no").code == 0

        done = cli.call("restore", str(kept), "--json")

        assert done.code == 0, done.err
        assert session in done.value["set_back"]
        assert cli.only_session()["open_proposals"] == [card]
        assert cli.call("verify").code == 0
        assert "restored" in [event["kind"] for event in cli.trace("home")]
        assert cli.call("resume", session, "--decide", "none").code == 4
        (before,) = (cli.home / "backups").glob("before-restore-*.db")
        assert cli.call("restore", str(before)).code == 0
        assert cli.only_session()["open_proposals"] == []


def test_what_is_no_backup_or_would_be_overwritten_is_refused(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    torn = tmp_path / "torn.db"
    torn.write_bytes(b"SQLite format 3\0 and then nothing")

    assert cli.call("backup").code == 0
    assert len(list((cli.home / "backups").glob("pilothouse-*.db"))) == 1
    assert cli.call("backup", "--out", str(torn)).code == 2
    assert cli.call("backup", "--out", str(tmp_path / "nowhere" / "x.db")).code == 2
    junk = tmp_path / "junk.db"
    junk.write_bytes(b"junk " * 2000)
    for bad in (torn, junk):
        refused = cli.call("restore", str(bad))
        assert (refused.code, bad.name in refused.err) == (2, True)
    assert cli.call("restore", str(tmp_path / "missing.db")).code == 2
    assert cli.call("verify").code == 0
