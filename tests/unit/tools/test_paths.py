"""Every spelling of a place comes to one canonical form or to one clear refusal."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.tools.base import ToolFailure
from agent_core.tools.shared.paths import Place, Workspace, check_spelling, folded, spelled_on_disk

NAMES = ["a", "b", "reports", "x.md", "café", "..a", "a b", "...", "-f", "$5"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with links that stay inside, that leave, that dangle and that go round."""
    root = tmp_path / "workspace"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "x.md").write_text("x")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("s")
    (root / "in").symlink_to("a/b")
    (root / "out").symlink_to("../outside")
    (root / "absolute").symlink_to(tmp_path / "outside")
    (root / "chain").symlink_to("out")
    (root / "round").symlink_to("round")
    (root / "dangling").symlink_to("../nowhere")
    return root


def refusal(workspace: Workspace, spelled: str) -> str:
    with pytest.raises(ToolFailure) as failure:
        workspace.place(spelled)
    error = failure.value.error
    assert error.message
    assert "\n" not in error.message
    return error.code


@pytest.mark.parametrize(
    ("spelled", "canonical"),
    [
        (".", "."),
        ("a/x.md", "a/x.md"),
        ("./a//x.md", "a/x.md"),
        ("a/./b/../x.md", "a/x.md"),
        ("in", "a/b"),
        ("in/../x.md", "a/x.md"),
        ("in/new.txt", "a/b/new.txt"),
        ("new/deep/file", "new/deep/file"),
        ("a/", "a"),
        ("..a/x", "..a/x"),
        ("$5 off.txt", "$5 off.txt"),
        ("~$lock.docx.tmp/..", "."),
    ],
)
def test_a_path_that_stays_inside_has_one_canonical_form(root: Path, spelled: str, canonical: str) -> None:
    assert Workspace(root).place(spelled).text == canonical


@pytest.mark.parametrize(
    "spelled",
    [
        "..",
        "../outside/secret",
        "a/../../outside/secret",
        "a/b/../../../outside",
        "/etc/passwd",
        "//etc/passwd",
        "~",
        "~/x",
        "~root/x",
        "$HOME/x",
        "${HOME}/x",
        "a/$SECRET",
        "%APPDATA%/x",
        "out",
        "out/secret",
        "absolute/secret",
        "chain/secret",
        "dangling",
        "in/../../../outside",
        "round/../out/secret",
        "round/../in",
    ],
)
def test_a_path_that_leaves_is_denied(root: Path, spelled: str) -> None:
    assert refusal(Workspace(root), spelled) == "denied"


@pytest.mark.parametrize("spelled", ["", "  ", "a\0", "\0", "a/\0/b"])
def test_what_is_no_path_is_invalid(root: Path, spelled: str) -> None:
    assert refusal(Workspace(root), spelled) == "invalid"


def test_an_absolute_path_into_the_workspace_is_denied_too(root: Path) -> None:
    assert refusal(Workspace(root), str(root / "a" / "x.md")) == "denied"


@pytest.mark.parametrize(
    "spelled",
    [
        "own/agents/x.toml",
        "./own/agents/x.toml",
        "own//agents/x.toml",
        "a/../own/agents/x.toml",
        "own/./agents/../agents/x.toml",
        "a/b/../../own/x",
        "own",
        "own/",
        "OWN/agents/x.toml",
        "Own/x",
        "link/agents/x.toml",
        "a/up/own/x",
        "own/new.toml",
        "ow\u200bn/x",
        "ｏｗｎ/x",
        "own./x",
    ],
)
def test_every_spelling_of_a_denied_folder_is_denied(root: Path, spelled: str) -> None:
    (root / "own" / "agents").mkdir(parents=True)
    (root / "own" / "agents" / "x.toml").write_text("")
    (root / "link").symlink_to("own")
    (root / "a" / "up").symlink_to("..")

    assert refusal(Workspace(root, [root / "own"]), spelled) == "denied"


def test_a_denied_folder_is_known_in_either_unicode_form(root: Path) -> None:
    (root / "café").mkdir()
    workspace = Workspace(root, [root / "café"])

    assert refusal(workspace, unicodedata.normalize("NFD", "café/x")) == "denied"
    assert refusal(workspace, unicodedata.normalize("NFC", "CAFÉ/x")) == "denied"


def test_a_denied_folder_that_is_not_there_yet_is_denied(root: Path) -> None:
    assert refusal(Workspace(root, [root / "later"]), "later/x") == "denied"


def test_a_denied_link_is_denied_by_its_own_name(root: Path, tmp_path: Path) -> None:
    (root / "settings").symlink_to(tmp_path / "outside")

    assert refusal(Workspace(root, [root / "settings"]), "settings") == "denied"


def test_a_denied_file_is_known_by_its_identity_under_another_name(root: Path) -> None:
    profile = root.parent / "profile.toml"
    profile.write_text("")
    os.link(profile, root / "innocent.toml")

    assert refusal(Workspace(root, [profile]), "innocent.toml") == "denied"


@pytest.mark.parametrize("spelled", [".pilothouse/x", "a/.Pilothouse", ".pilothouse-1a2b.tmp", ".PILOTHOUSE"])
def test_our_own_names_are_denied_in_every_folder(root: Path, spelled: str) -> None:
    assert refusal(Workspace(root), spelled) == "denied"


def test_a_workspace_inside_a_denied_folder_is_closed_as_a_whole(root: Path) -> None:
    assert refusal(Workspace(root, [root.parent]), "a/x.md") == "denied"


def test_a_folder_that_holds_something_denied_can_be_read_but_not_taken_away(root: Path) -> None:
    (root / "a" / "own").mkdir()
    workspace = Workspace(root, [root / "a" / "own"])
    place = workspace.place("a")

    with pytest.raises(ToolFailure) as failure:
        workspace.check_tree(place)
    assert failure.value.error.code == "denied"


def test_a_link_at_the_end_can_be_meant_itself(root: Path) -> None:
    workspace = Workspace(root)

    assert workspace.place("out", follow=False) == Place(("out",))
    assert workspace.place("out/", follow=False) == Place(("out",))
    with pytest.raises(ToolFailure):
        workspace.place("out/secret", follow=False)


def test_a_missing_workspace_says_so(tmp_path: Path) -> None:
    with pytest.raises(ToolFailure) as failure:
        Workspace(tmp_path / "nowhere")
    assert failure.value.error.code == "no_workspace"


@pytest.mark.parametrize(
    "spelled", ["C:\\x", "c:x", "\\x", "a\\..\\CON", "nul", "com1.txt", "a.txt:stream", "trailing.", "trailing /x"]
)
def test_names_that_windows_reads_as_something_else_are_refused_there(spelled: str) -> None:
    with pytest.raises(ToolFailure):
        check_spelling(spelled, windows=True)


def test_a_case_blind_disk_gives_the_spelling_of_the_disk() -> None:
    disk = {Path("/w"): ["Secrets", "other"], Path("/w/Secrets"): ["Key.txt"]}
    found = spelled_on_disk(Path("/w"), ("SECRETS", "key.TXT"), lambda folder: disk.get(folder, []))

    assert found == ("Secrets", "Key.txt")
    assert spelled_on_disk(Path("/w"), ("new", "x"), lambda folder: disk.get(folder, [])) == ("new", "x")


@given(st.text(max_size=20))
def test_folding_is_stable_and_forgets_case_and_form(name: str) -> None:
    assert folded(folded(name)) == folded(name)
    assert folded(unicodedata.normalize("NFD", name)) == folded(unicodedata.normalize("NFC", name))


PARTS = st.sampled_from(["a", "b", "in", "out", "chain", "round", "..", ".", "", "new", "x.md", "own", "OWN", "link"])


@given(st.lists(PARTS, min_size=1, max_size=8).map("/".join))
def test_no_spelling_reaches_a_place_outside_or_a_denied_one(
    tmp_path_factory: pytest.TempPathFactory, spelled: str
) -> None:
    base = tmp_path_factory.getbasetemp() / "spellings"
    root = base / "workspace"
    if not base.exists():
        (root / "a" / "b").mkdir(parents=True)
        (root / "own").mkdir()
        (base / "outside").mkdir()
        (root / "in").symlink_to("a/b")
        (root / "out").symlink_to("../outside")
        (root / "chain").symlink_to("a/../out")
        (root / "round").symlink_to("round")
        (root / "link").symlink_to("own")
        (root / "a" / "x.md").symlink_to("../../outside/x")
    workspace = Workspace(root, [root / "own"])

    place = _place(workspace, spelled)
    real = Path(os.path.realpath(root / spelled))
    if place is None:
        round_and_round = os.path.realpath(real) != str(real)
        assert (
            round_and_round
            or not real.is_relative_to(root)
            or real.is_relative_to(root / "own")
            or _refused_anyway(spelled)
        )
        return
    assert real.is_relative_to(root)
    assert workspace.path(place) == real
    assert not real.is_relative_to(root / "own")
    assert workspace.place(place.text) == place


def _place(workspace: Workspace, spelled: str) -> Place | None:
    try:
        return workspace.place(spelled)
    except ToolFailure:
        return None


def _refused_anyway(spelled: str) -> bool:
    return spelled == "" or spelled.startswith("/") or "OWN" in spelled
