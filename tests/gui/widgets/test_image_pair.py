"""Pictures before and after: drawn off the GUI thread within limits, or said why not, with size and hash."""

from __future__ import annotations

import base64
import hashlib

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from tests.support.sample_images import SVG, bomb, png
from ui.widgets.image_pair import ImagePair, PictureBytes
from ui.widgets.label import ElidedLabel
from ui.widgets.messages import Note
from ui.widgets.picture_reader import decode


def side(data: bytes, form: str = "PNG image") -> PictureBytes:
    return PictureBytes(form, len(data), hashlib.sha256(data).hexdigest(), base64.b64encode(data).decode())


def written(image: QImage, form: str) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(buffer, form)
    return bytes(buffer.data().data())


@pytest.mark.parametrize(
    ("data", "form", "why"),
    [
        (bomb(), "PNG image", "it would unpack to more pixels than are safe"),
        (png(4, 4, claimed=(2_000_000_000, 2_000_000_000)), "PNG image", ""),
        (png(40, 40)[:60], "PNG image", "it is broken"),
        (b"\x89PNG", "PNG image", "it is broken"),
        (SVG.encode(), "PNG image", "it is broken"),
        (SVG.encode(), "SVG image", "a SVG image is not drawn here"),
        (b"II*\0" + b"\0" * 40, "TIFF image", "a TIFF image is not drawn here"),
        (b"GIF89a" + b"\xff" * 40, "GIF image", ""),
    ],
)
def test_what_is_broken_or_harmful_is_not_drawn(data: bytes, form: str, why: str) -> None:
    shown = side(data, form)
    found = decode(shown.data or "", form, shown.sha256)
    assert found.image is None
    assert found.why
    assert why in found.why


def test_bytes_that_are_not_those_of_the_hash_are_not_drawn() -> None:
    good = side(png(4, 4))
    assert decode(good.data or "", good.form, "ab" * 32).image is None


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WebP", "BMP"])
def test_each_form_is_drawn_by_its_own_decoder_only(form: str) -> None:
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    if form == "GIF":
        data = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
    else:
        data = written(image, form)
    shown = side(data, f"{form} image")
    found = decode(shown.data or "", shown.form, shown.sha256)
    assert found.image is not None
    assert (found.width, found.height) == ((1, 1) if form == "GIF" else (30, 20))


def test_both_sides_say_pixels_bytes_and_hash(qtbot: QtBot) -> None:
    old, new = side(png(30, 20)), side(png(60, 40, 200))
    pair = ImagePair(old, new, height=120)
    qtbot.addWidget(pair)
    pair.resize(500, 220)
    with qtbot.waitSignal(pair.seen_to_end):
        pair.show()
    assert "Before: PNG, 30 by 20" in pair.accessibleName()
    assert "After: PNG, 60 by 40" in pair.accessibleName()
    words = [label.raw_text() for label in pair.findChildren(ElidedLabel)]
    assert f"SHA-256 {old.sha256}" in words
    assert f"SHA-256 {new.sha256}" in words
    assert all(picture.decoded is not None and picture.decoded.image is not None for picture in pair.sides)


def test_a_picture_that_cannot_be_drawn_is_said_so_and_counts_as_looked_at(qtbot: QtBot) -> None:
    pair = ImagePair(side(bomb()), None, height=120)
    qtbot.addWidget(pair)
    pair.resize(500, 260)
    with qtbot.waitSignal(pair.seen_to_end):
        pair.show()
    assert pair.findChildren(Note)
    assert "cannot be drawn: it would unpack to more pixels than are safe" in pair.accessibleName()
    assert "8,000 by 8,000" in pair.accessibleName()
    assert "After: no file" in pair.accessibleName()


def test_a_picture_that_only_moves_is_drawn_once(qtbot: QtBot) -> None:
    same = side(png(8, 8))
    pair = ImagePair(same, same, height=120)
    qtbot.addWidget(pair)
    assert [picture.words().partition(":")[0] for picture in pair.sides] == ["Stays as it is"]


def test_pictures_below_the_fold_are_not_seen_before_they_are_scrolled_to(qtbot: QtBot) -> None:
    pair = ImagePair(side(png(30, 20)), side(png(30, 20, 9)), height=400)
    area = QScrollArea()
    area.setWidget(pair)
    area.setWidgetResizable(True)
    qtbot.addWidget(area)
    area.resize(500, 200)
    area.show()
    qtbot.waitUntil(lambda: not any(picture.is_waiting for picture in pair.sides))
    assert not pair.is_seen_to_end
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    qtbot.waitUntil(lambda: pair.is_seen_to_end)
