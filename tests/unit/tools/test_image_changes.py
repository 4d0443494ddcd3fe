"""Images on cards: told by their bytes, shown before and after, moved and deleted with the others first told apart."""

import base64
import hashlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.proposal import Change, FileChange, ImageChange, Picture, TextChange
from agent_core.tools.base import Preview
from agent_core.tools.shared.previews.file_change import file_diff
from agent_core.tools.shared.previews.images import LARGEST_KEPT, image_changes
from tests.support.sample_images import SVG, png
from tests.unit.tools.workbench import Workbench, file_part


def image_part(parts: list[Change]) -> ImageChange:
    return next(part for part in parts if isinstance(part, ImageChange))


def parts_of(preview: Preview) -> list[Change]:
    return preview.what_changes.parts


def the_bytes(picture: Picture | None) -> bytes:
    assert picture is not None
    assert picture.data is not None
    return base64.b64decode(picture.data)


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (png(2, 2), "PNG image"),
        (b"\xff\xd8\xff\xe0" + b"\0" * 20, "JPEG image"),
        (b"GIF89a" + b"\0" * 20, "GIF image"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "WebP image"),
        (b"BM\x40\0\0\0\0\0\0\0\x36\0\0\0", "BMP image"),
    ],
)
def test_an_image_is_told_by_its_bytes_whatever_its_name(data: bytes, form: str) -> None:
    (change,) = image_changes("notes.txt", data, None)
    assert isinstance(change, ImageChange)
    assert change.before is not None
    assert (change.before.form, change.after) == (form, None)


def test_a_text_that_is_named_like_an_image_is_a_text() -> None:
    assert [type(part) for part in file_diff("logo.png", b"one\n", b"two\n").parts] == [TextChange]


def test_a_drawing_of_text_is_shown_as_its_text() -> None:
    diff = file_diff("logo.svg", SVG.encode(), SVG.replace("alert(1)", "alert(2)").encode())
    assert [type(part) for part in diff.parts] == [TextChange]


def test_an_image_that_becomes_text_shows_both() -> None:
    old = png(3, 2)
    image, text = file_diff("logo.png", old, b"gone\n").parts
    assert isinstance(image, ImageChange)
    assert isinstance(text, TextChange)
    assert the_bytes(image.before) == old
    assert image.after is not None
    assert (image.after.form, image.after.data) == ("text", None)
    assert text.after == "gone\n"


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_a_card_names_the_exact_bytes_of_either_side(before: bytes, after: bytes) -> None:
    before = b"\x89PNG" + before
    part = image_part(list(image_changes("a", before, after)))
    for picture, data in ((part.before, before), (part.after, after)):
        assert picture is not None
        assert (picture.size, picture.sha256) == (len(data), hashlib.sha256(data).hexdigest())
        assert picture.data is None or base64.b64decode(picture.data) == data


def test_a_large_image_is_named_and_not_carried() -> None:
    data = b"\x89PNG" + os.urandom(LARGEST_KEPT)
    part = image_part(list(image_changes("a.png", data, None)))
    assert part.before is not None
    assert (part.before.data, part.before.size) == (None, len(data))


async def test_an_image_that_goes_is_shown_as_the_approval_saw_it(bench: Workbench) -> None:
    data = png(12, 8)
    bench.write("logo", data)
    examined = await bench.examine("files_delete", path="logo")
    assert examined.preview is not None
    assert examined.resolved is not None
    image = image_part(parts_of(examined.preview))
    assert the_bytes(image.before) == data
    assert image.before is not None
    assert image.before.sha256 == examined.resolved.seen["logo"]
    assert image.after is None


async def test_an_image_that_moves_is_the_same_on_either_side(bench: Workbench) -> None:
    bench.write("a.bin", png(4, 4))
    image = image_part(parts_of(await bench.preview("files_move", source="a.bin", target="b.bin")))
    assert image.path == "b.bin"
    assert image.before == image.after


async def test_a_write_over_an_image_sees_what_an_earlier_call_would_leave(bench: Workbench) -> None:
    bench.write("a.png", png(4, 4, 10))
    planned = png(5, 5, 200)
    overlay = {bench.root.resolve() / "a.png": planned}
    image = image_part(parts_of(await bench.preview("files_write", overlay, path="a.png", content="x")))
    assert the_bytes(image.before) == planned


async def test_odd_files_of_a_folder_come_first_and_say_why(bench: Workbench) -> None:
    for name in ("a.txt", "b.txt", "z.txt", "x/.git/HEAD"):
        file = bench.write(f"old/{name}", "text")
        os.utime(file, (1_000_000_000, 1_000_000_000))
    os.utime(bench.root / "old" / "z.txt")
    part = file_part(await bench.preview("files_delete", path="old"))
    assert isinstance(part, FileChange)
    assert part.names[:2] == ["old/z.txt (4 bytes)", "old/x/.git/HEAD (4 bytes)"]
    assert [flag.why for flag in part.flagged] == ["changed within 24 hours", "version-control history"]
    assert part.names[2:] == ["old/a.txt (4 bytes)", "old/b.txt (4 bytes)"]
    moved = file_part(await bench.preview("files_move", source="old", target="new"))
    assert (moved.names, moved.size, moved.files) == (part.names, 16, 4)
