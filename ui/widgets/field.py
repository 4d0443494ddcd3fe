"""Inputs: Field (one line), TextArea (several lines) and FormField (label, field, message)."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QIcon, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSizePolicy, QWidget

from ui.hostile import visible_line
from ui.icons import make_icon
from ui.theme import px, theme
from ui.tokens import HEIGHT_FIELD, ColorName, Role
from ui.widgets.label import Label
from ui.widgets.marks import Icon
from ui.widgets.paint import RIGHT, draw_icon, draw_text, painter_for, rounded_box, text_width
from ui.widgets.surface import column, row, set_style_property
from ui.widgets.tooltip import set_plain_tooltip


class Field(QLineEdit):
    """A one-line input with an icon on the left and, on the right, a note ("was €412.00"), key hint or icon.

    `set_problem` marks it invalid; FormField shows the words. `problem_changed` carries them, "" when all is well.
    """

    problem_changed = Signal(str)

    def __init__(
        self,
        text: str = "",
        *,
        placeholder: str = "",
        name: str = "",
        icon: str | None = None,
        note: str = "",
        key: str = "",
        mono: bool = False,
        quiet: bool = False,
        height: int = HEIGHT_FIELD,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._note = note
        self._key = key
        self._trailing: tuple[str, ColorName] | None = None
        self._role: Role = "mono_body" if mono else "body"
        self._height = height
        self._problem = ""
        self._reveal: QAction | None = None
        self.setProperty("field", True)
        self.setProperty("quiet", quiet)
        self.setPlaceholderText(visible_line(placeholder))
        self.setAccessibleName(name or placeholder)
        self.setText(text)
        theme().follow(self.restyle)

    # ---------------------------------------------------------------- contents

    def set_note(self, note: str) -> None:
        """Words at the right end, inside the field."""
        self._note = note
        self._set_margins()

    def set_trailing_icon(self, icon: str | None, color: ColorName = "text2") -> None:
        """An icon at the right end: the tick of a figure typed correctly."""
        self._trailing = (icon, color) if icon else None
        self._set_margins()

    def set_secret(self, secret: bool = True) -> None:
        """Hide what is typed, with an eye button to show it."""
        self.setEchoMode(QLineEdit.EchoMode.Password if secret else QLineEdit.EchoMode.Normal)
        if secret and self._reveal is None:
            self._reveal = self.addAction(self._eye(), QLineEdit.ActionPosition.TrailingPosition)
            self._reveal.setText("Show or hide")
            self._reveal.setToolTip("Show or hide")
            self._reveal.triggered.connect(self._toggle_secret)

    def set_problem(self, problem: str) -> None:
        """Mark the field invalid with the words that say why; "" clears it."""
        if problem == self._problem:
            return
        self._problem = problem
        set_style_property(self, "invalid", bool(problem))
        self.setAccessibleDescription(visible_line(problem))
        self._set_margins()
        self.problem_changed.emit(problem)

    @property
    def problem(self) -> str:
        """Why the field is invalid, or ""."""
        return self._problem

    def setToolTip(self, text: str) -> None:  # noqa: N802
        """A plain-text tooltip."""
        set_plain_tooltip(self, text)

    # ---------------------------------------------------------------- looks

    def restyle(self) -> None:
        """Font, margins and icons again after a theme change."""
        self.setFont(theme().font(self._role))
        self.setFixedHeight(px(self._height))
        if self._reveal is not None:
            self._reveal.setIcon(self._eye())
        self._set_margins()

    def _eye(self) -> QIcon:
        hidden = self.echoMode() == QLineEdit.EchoMode.Password
        return make_icon("eye-off" if hidden else "eye", theme().color("text3"), theme().color("text_dis"), px(16))

    def _toggle_secret(self) -> None:
        hidden = self.echoMode() == QLineEdit.EchoMode.Password
        self.setEchoMode(QLineEdit.EchoMode.Normal if hidden else QLineEdit.EchoMode.Password)
        if self._reveal is not None:
            self._reveal.setIcon(self._eye())

    def _trailing_icon(self) -> tuple[str, ColorName] | None:
        return ("circle-alert", "dang") if self._problem else self._trailing

    def _right_width(self) -> float:
        width = 0.0
        if self._note:
            width += text_width(self._note, "secondary") + px(8)
        if self._key:
            width += text_width(self._key, "key_hint") + px(18)
        return width + (px(22) if self._trailing_icon() else 0)

    def _set_margins(self) -> None:
        self.setTextMargins(px(24) if self._icon else 0, 0, math.ceil(self._right_width()), 0)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt draws frame and text; icon, note and key hint come on top."""
        super().paintEvent(event)
        painter = painter_for(self)
        height, right = self.height(), float(self.width() - px(10))
        if self._icon:
            draw_icon(painter, self._icon, "text3", px(11), (height - px(15)) / 2, px(15))
        trailing = self._trailing_icon()
        if trailing:
            right -= px(14)
            draw_icon(painter, trailing[0], trailing[1], right, (height - px(14)) / 2, px(14))
            right -= px(8)
        if self._key:
            width = text_width(self._key, "key_hint") + px(10)
            cap = QRectF(right + px(4) - width, (height - px(17)) / 2, width, px(17))
            rounded_box(painter, cap, px(3), theme().color("bg_raised"), theme().color("line_mid"))
            draw_text(painter, cap, self._key, "key_hint", "text3", Qt.AlignmentFlag.AlignCenter)
            right -= width + px(4)
        if self._note:
            draw_text(painter, QRectF(0, 0, right, height), self._note, "secondary", "text3", RIGHT)
        painter.end()


class TextArea(QPlainTextEdit):
    """A plain multi-line input. Tab moves on; Enter makes a line; Ctrl+Enter is left to the card."""

    def __init__(
        self,
        text: str = "",
        *,
        placeholder: str = "",
        name: str = "",
        lines: int = 3,
        mono: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._lines = lines
        self._role: Role = "mono_body" if mono else "body"
        self.setProperty("field", True)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(visible_line(placeholder))
        self.setAccessibleName(name or placeholder)
        self.setPlainText(text)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme().follow(self.restyle)

    def restyle(self) -> None:
        """Font and size again after a theme change."""
        self.setFont(theme().font(self._role))
        self.document().setDocumentMargin(px(4))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """The wished number of lines."""
        return QSize(px(240), math.ceil(theme().metrics(self._role).lineSpacing() * self._lines) + px(18))

    def minimumSizeHint(self) -> QSize:
        """One line."""
        return QSize(px(80), math.ceil(theme().metrics(self._role).lineSpacing()) + px(18))

    def exact_text(self) -> str:
        """The text character by character: `toPlainText` makes a plain space of a no-break space.

        Carriage returns are lost when a text is put in; Qt keeps lines apart as paragraphs.
        """
        return self.document().toRawText().replace("\u2029", "\n")


class FormField(QWidget):
    """A label above an input, and below it the reason why it is invalid, or a hint."""

    def __init__(self, label: str, field: QWidget, *, hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self._hint = hint
        head = Label(label, "section_head", "text2")
        head.setBuddy(field)
        if not field.accessibleName():
            field.setAccessibleName(label)
        self._icon = Icon("circle-alert", "dang", 12, beside="meta")
        self._message = Label("", "meta", "text3", wrap=True)
        body = column(self, spacing=5)
        body.addWidget(head)
        body.addWidget(field)
        foot = row(spacing=5)
        foot.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        foot.addWidget(self._message, 1)
        body.addLayout(foot)
        body.addStretch(1)
        self._problem = field.problem if isinstance(field, Field) else ""
        self.show_problem(self._problem)
        if isinstance(field, Field):
            field.problem_changed.connect(self.show_problem)

    def show_problem(self, problem: str) -> None:
        """Show why the input is invalid; "" shows the hint again."""
        self._problem = problem
        self._message.setText(problem or self._hint)
        self._message.set_color("dang" if problem else "text3")
        self._message.setVisible(bool(problem or self._hint))
        self._icon.setVisible(bool(problem))

    def set_hint(self, hint: str) -> None:
        """Change what stands below the input while it is valid."""
        self._hint = hint
        self.show_problem(self._problem)
