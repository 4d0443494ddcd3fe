"""ImagePair: a picture before and after, side by side, each with its size in pixels and bytes and its hash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui import formatting
from ui.theme import px, theme
from ui.tokens import RADIUS_CHIP
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.messages import Note
from ui.widgets.paint import CENTER, draw_text, full_rect, painter_for, rounded_path
from ui.widgets.picture_reader import Decoded, Decoding
from ui.widgets.surface import clear, column, row

_SQUARE: Final = 8
_SQUARES: Final = (QColor(0xD2, 0xD2, 0xD2), QColor(0xA6, 0xA6, 0xA6))
"""The ground of clear pictures, the same in every theme: both black and white drawing stands out against it."""


@dataclass(frozen=True, slots=True)
class PictureBytes:
    """One side: what its bytes are, how many, their hash, and for an image that may be drawn the bytes in base64."""

    form: str
    size: int
    sha256: str
    data: str | None = None

    @property
    def is_image(self) -> bool:
        """Whether there is something to look at."""
        return self.form.endswith("image")


class ImagePair(QWidget):
    """Two pictures, or one that stays what it is. `seen_to_end` fires once both are settled and in view."""

    seen_to_end = Signal()

    def __init__(
        self, before: PictureBytes | None, after: PictureBytes | None, *, height: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._seen = False
        same = before is not None and after is not None and before.sha256 == after.sha256
        sides = [("Stays as it is", after)] if same else [("Before", before), ("After", after)]
        self.sides = [PictureSide(title, shown, height) for title, shown in sides]
        line = row(self, 12, (11, 9, 11, 11))
        for side in self.sides:
            line.addWidget(side, 1, Qt.AlignmentFlag.AlignTop)
            side.settled.connect(self._note_seen)
        self._name_it()

    @property
    def is_seen_to_end(self) -> bool:
        """Whether everything there is to see has been on screen."""
        return self._seen

    def _name_it(self) -> None:
        self.setAccessibleName("; ".join(side.words() for side in self.sides))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Painting is when something comes into view."""
        super().paintEvent(event)
        self._note_seen()

    def _note_seen(self) -> None:
        self._name_it()
        if self._seen or not self.isVisible() or any(side.is_waiting for side in self.sides):
            return
        on_screen = self.visibleRegion().boundingRect()
        if not on_screen.isEmpty() and on_screen.bottom() + 2 >= self.rect().bottom():
            self._seen = True
            self.seen_to_end.emit()


class PictureSide(QWidget):
    """One of the two: its title, what it is, the picture or why there is none, and the hash."""

    settled = Signal()

    def __init__(self, title: str, shown: PictureBytes | None, height: int) -> None:
        super().__init__()
        self._title, self._shown, self._height = title, shown, height
        self.is_waiting = False
        self.decoded: Decoded | None = None
        self._facts = ElidedLabel("", "meta", "text3")
        self._place = column(None, 0)
        self._build()

    def _build(self) -> None:
        layout = column(self, 4)
        layout.addWidget(Label(self._title, "secondary_medium", "text2"))
        layout.addLayout(self._place)
        layout.addWidget(self._facts)
        shown = self._shown
        if shown is None:
            self._put(Canvas(None, "No file", px(self._height)))
            return
        digest = ElidedLabel(f"SHA-256 {shown.sha256}", "mono", "text3", mode=Qt.TextElideMode.ElideMiddle)
        digest.setAccessibleName(f"SHA-256 of {self._title.lower()}: {shown.sha256}")
        layout.addWidget(digest)
        if not shown.is_image:
            self._settle(None, f"Not an image: {shown.form}")
        elif shown.data is None:
            self._settle(Decoded(None, why=f"{formatting.byte_size(shown.size)} are too much for a card"))
        else:
            self._decode(shown.data, shown)

    def _decode(self, data: str, shown: PictureBytes) -> None:
        self.is_waiting = True
        self._put(Canvas(None, "Opening the picture…", px(self._height)))
        self._tell_facts()
        task = Decoding(data, shown.form, shown.sha256)
        task.signals.ready.connect(self._settle, Qt.ConnectionType.QueuedConnection)
        QThreadPool.globalInstance().start(task)

    def _settle(self, decoded: Decoded | None, instead: str = "") -> None:
        self.is_waiting, self.decoded = False, decoded
        if decoded is not None and decoded.image is not None:
            self._put(Canvas(QPixmap.fromImage(decoded.image), "", px(self._height)))
        elif decoded is not None:
            self._put(Note(f"Cannot be drawn: {decoded.why}.", "attn", icon="eye-off"))
        else:
            self._put(Canvas(None, instead, px(self._height)))
        self._tell_facts()
        self.settled.emit()

    def _put(self, widget: QWidget) -> None:
        clear(self._place)
        self._place.addWidget(widget)

    def _tell_facts(self) -> None:
        self._facts.setText(" · ".join(self._known()))

    def _known(self) -> list[str]:
        shown, decoded = self._shown, self.decoded
        if shown is None:
            return []
        pixels = [f"{decoded.width:,} × {decoded.height:,}"] if decoded is not None and decoded.width else []
        return [shown.form.removesuffix(" image"), *pixels, formatting.byte_size(shown.size)]

    def words(self) -> str:
        """The side as a screen reader says it."""
        if self._shown is None:
            return f"{self._title}: no file"
        why = f", cannot be drawn: {self.decoded.why}" if self.decoded is not None and self.decoded.why else ""
        return f"{self._title}: {', '.join(self._known()).replace('×', 'by')}{why}"


class Canvas(QWidget):
    """The picture on a chequered ground, made smaller where it has to be, never larger; or words in its place."""

    def __init__(self, picture: QPixmap | None, words: str, height: int) -> None:
        super().__init__()
        self._picture, self._words, self._height = picture, words, height
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().follow(self.update)

    def sizeHint(self) -> QSize:
        """The same height for both sides."""
        return QSize(px(120), self._height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground, then picture or words."""
        painter = painter_for(self)
        area = full_rect(self)
        painter.setClipPath(rounded_path(area, px(RADIUS_CHIP)))
        painter.fillRect(area, theme().color("bg_sunken"))
        if self._picture is None:
            draw_text(painter, area, self._words, "secondary", "text3", CENTER)
        else:
            self._paint_picture(painter, area, self._picture)
        painter.end()

    def _paint_picture(self, painter: QPainter, area: QRectF, picture: QPixmap) -> None:
        share = min(1.0, area.width() / picture.width(), area.height() / picture.height())
        width, height = max(1.0, picture.width() * share), max(1.0, picture.height() * share)
        target = QRectF(area.center().x() - width / 2, area.center().y() - height / 2, width, height)
        _chequer(painter, target)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(target, picture, QRectF(picture.rect()))


def _chequer(painter: QPainter, area: QRectF) -> None:
    """What shows through where a picture is clear."""
    ground, tint = _SQUARES
    painter.fillRect(area, ground)
    size = px(_SQUARE)
    painter.save()
    painter.setClipRect(area, Qt.ClipOperation.IntersectClip)
    for line in range(int(area.height() / size) + 1):
        for place in range(line % 2, int(area.width() / size) + 1, 2):
            painter.fillRect(QRectF(area.x() + place * size, area.y() + line * size, size, size), tint)
    painter.restore()
