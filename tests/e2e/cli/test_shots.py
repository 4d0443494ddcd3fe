"""Pictures of a home: what is drawn is the home as it stands."""

import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QImage

from agent_core.config.home import Home
from agent_core.model.proposal import Verdict
from agent_core.store.journal import Journal
from agent_core.store.keys import OperatorKeys
from agent_core.store.verify import Verifier
from console.shots import copy_of
from tests.unit.store import samples


def taken(*arguments: str, home: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "console", "shot", *arguments]
    return subprocess.run(
        command, env={**os.environ, "PILOTHOUSE_HOME": str(home)}, capture_output=True, text=True, check=False
    )


def test_a_story_without_such_a_card_is_one_sentence(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "card.png"
    done = taken("card", "--kind", "exception", "--story", "office", "--out", str(out), home=home)

    assert (done.returncode, done.stdout, out.exists()) == (2, "", False)
    assert done.stderr.splitlines() == ["pilothouse: The story has no card of the kind exception; desk has one of each"]


def test_a_kind_of_card_is_drawn_without_naming_a_story(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "card.png"
    done = taken("card", "--kind", "exception", "--out", str(out), home=home)

    assert (done.returncode, done.stderr) == (0, "")
    assert out.read_bytes().startswith(b"\x89PNG")


def test_a_dialog_is_drawn_without_a_word(home: Path, tmp_path: Path) -> None:
    done = taken("new-run", "--out", str(tmp_path / "dialog.png"), home=home)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_session_that_is_not_there_is_refused(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "card.png"
    done = taken("card", "--session", "s-nope", "--out", str(out), home=home)

    assert (done.returncode, out.exists()) == (2, False)
    assert "no session s-nope" in done.stderr


def test_the_first_run_is_drawn_whatever_story_is_named(home: Path, tmp_path: Path) -> None:
    plain, with_story = tmp_path / "plain.png", tmp_path / "story.png"
    for out, more in ((plain, ()), (with_story, ("--story", "office"))):
        done = taken("first-run", *more, "--out", str(out), home=home)
        assert (done.returncode, done.stderr) == (0, "")

    # All but the line at the foot, which names the folder that was drawn.
    assert QImage(str(plain)).copy(0, 0, 1440, 800) == QImage(str(with_story)).copy(0, 0, 1440, 800)


async def test_decisions_keep_their_proof_in_the_copy_that_is_drawn(home: Path, tmp_path: Path) -> None:
    place = Home.at(home)
    journal = Journal.open(place)
    keys = OperatorKeys(journal, samples.MemorySecrets(), samples.FixedClock())
    key = await keys.of("anna")
    made = key.sign(samples.decision(Verdict.APPROVE))
    journal.append_now(
        "s-1", [samples.opened(), samples.asked("p-1"), samples.decided(made)], summary=samples.summary("s-1")
    )
    journal.close()

    copied = Journal.open(copy_of(place, tmp_path / "copy"))
    verifier = Verifier(copied, OperatorKeys(copied, samples.MemorySecrets(), samples.FixedClock()))

    assert [finding.reason for finding in verifier.all_sessions() if not finding.ok] == []
    copied.close()
