"""The theme service: which palette is on, at which text scale, and everything that is cached because of it.

`theme()` is the one instance. Widgets read colours, fonts and metrics from it while painting and call
`theme().follow(self.restyle)` once, which also runs `restyle` now; no widget names a colour value itself.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from agent_core.config.look import Look
from ui import icons
from ui.fonts import load_fonts, make_font
from ui.stylesheet import build_stylesheet
from ui.tokens import DARK, LIGHT, SCALE_MAX, SCALE_MIN, TYPE_SCALE, ColorName, Palette, Role, high_contrast

_PALETTE_ROLES: Final[tuple[tuple[QPalette.ColorRole, ColorName], ...]] = (
    (QPalette.ColorRole.Window, "bg_app"),
    (QPalette.ColorRole.Base, "bg_raised"),
    (QPalette.ColorRole.AlternateBase, "bg_panel"),
    (QPalette.ColorRole.Button, "bg_raised"),
    (QPalette.ColorRole.WindowText, "text"),
    (QPalette.ColorRole.Text, "text"),
    (QPalette.ColorRole.ButtonText, "text"),
    (QPalette.ColorRole.BrightText, "on_accent"),
    (QPalette.ColorRole.PlaceholderText, "text3"),
    (QPalette.ColorRole.Highlight, "accent"),
    (QPalette.ColorRole.HighlightedText, "on_accent"),
    (QPalette.ColorRole.Link, "accent"),
    (QPalette.ColorRole.LinkVisited, "accent"),
    (QPalette.ColorRole.ToolTipBase, "bg_raised"),
    (QPalette.ColorRole.ToolTipText, "text"),
    (QPalette.ColorRole.Light, "bg_raised"),
    (QPalette.ColorRole.Midlight, "line"),
    (QPalette.ColorRole.Mid, "line_mid"),
    (QPalette.ColorRole.Dark, "line_strong"),
    (QPalette.ColorRole.Accent, "accent"),
)
_TEXT_ROLES: Final = (
    QPalette.ColorRole.WindowText,
    QPalette.ColorRole.Text,
    QPalette.ColorRole.ButtonText,
    QPalette.ColorRole.HighlightedText,
)


class ThemeMode(Enum):
    """What the operator chose in Settings."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Theme(QObject):
    """Palette, text scale and motion; `changed` fires after the stylesheet is on and every cache is cleared."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mode = ThemeMode.SYSTEM
        self._scale = 100
        self._reduced_motion = False
        self._forced_contrast: bool | None = None
        self._palette: Palette = LIGHT
        self._installed = False
        self._colors: dict[ColorName, QColor] = {}
        self._fonts: dict[Role, QFont] = {}
        self._metrics: dict[Role, QFontMetricsF] = {}

    # ---------------------------------------------------------------- settings

    @property
    def mode(self) -> ThemeMode:
        """The chosen mode; `palette.name` says what it came to."""
        return self._mode

    @property
    def palette(self) -> Palette:
        """The palette in force."""
        return self._palette

    @property
    def scale(self) -> int:
        """Text scale in percent, 90 to 150."""
        return self._scale

    @property
    def reduced_motion(self) -> bool:
        """Whether nothing may blink, slide or sweep."""
        return self._reduced_motion

    def set_mode(self, mode: ThemeMode) -> None:
        """Choose system, light or dark."""
        if mode is not self._mode:
            self._mode = mode
            self._refresh()

    def set_scale(self, percent: int) -> None:
        """Choose the text scale; held to 90 to 150 percent."""
        scale = min(SCALE_MAX, max(SCALE_MIN, percent))
        if scale != self._scale:
            self._scale = scale
            self._refresh()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Switch blinking and sweeping off or on."""
        if reduced != self._reduced_motion:
            self._reduced_motion = reduced
            self._refresh()

    def set_high_contrast(self, forced: bool | None) -> None:
        """Force high contrast on or off; None follows the desktop."""
        if forced is not self._forced_contrast:
            self._forced_contrast = forced
            self._refresh()

    def wear(self, look: Look) -> None:
        """Take a whole look on."""
        self.set_mode(ThemeMode(look.theme))
        self.set_scale(look.scale)
        self.set_reduced_motion(look.reduced_motion)
        self.set_high_contrast(True if look.high_contrast else None)

    # ---------------------------------------------------------------- what widgets read

    def color(self, name: ColorName, alpha: int = 255) -> QColor:
        """Colour `name` of the palette in force; `alpha` 0 to 255."""
        color = self._colors.get(name)
        if color is None:
            color = self._colors[name] = QColor(self._palette[name])
        if alpha == 255:
            return color
        faded = QColor(color)
        faded.setAlpha(alpha)
        return faded

    def font(self, role: Role) -> QFont:
        """The font of a named text style at the operator's scale."""
        font = self._fonts.get(role)
        if font is None:
            font = self._fonts[role] = make_font(TYPE_SCALE[role], self._scale / 100)
        return font

    def metrics(self, role: Role) -> QFontMetricsF:
        """Cached metrics of `font(role)`."""
        metrics = self._metrics.get(role)
        if metrics is None:
            metrics = self._metrics[role] = QFontMetricsF(self.font(role))
        return metrics

    def px(self, size: float) -> int:
        """A length in px at 100 %, at the operator's scale."""
        return round(size * self._scale / 100)

    def follow(self, restyle: Callable[[], object]) -> None:
        """Run `restyle` now and after every change. Bound methods of widgets are released with the widget."""
        self.changed.connect(restyle)
        restyle()

    # ---------------------------------------------------------------- application

    def install(self, app: QApplication) -> None:
        """Put Fusion, fonts, palette and stylesheet on `app`, and follow the desktop from now on."""
        load_fonts()
        app.setStyle(QStyleFactory.create("Fusion"))
        if not self._installed:
            self._installed = True
            app.styleHints().colorSchemeChanged.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        self._palette = self._resolve()
        self._colors.clear()
        self._fonts.clear()
        self._metrics.clear()
        icons.clear_icon_cache()
        app = QApplication.instance()
        if self._installed and isinstance(app, QApplication):
            app.setFont(self.font("body"))
            app.setPalette(self._application_palette())
            app.setStyleSheet(build_stylesheet(self._palette, self.px))
        self.changed.emit()

    def _resolve(self) -> Palette:
        dark = _desktop_is_dark() if self._mode is ThemeMode.SYSTEM else self._mode is ThemeMode.DARK
        palette = DARK if dark else LIGHT
        wanted = _desktop_wants_contrast() if self._forced_contrast is None else self._forced_contrast
        return high_contrast(palette) if wanted else palette

    def _application_palette(self) -> QPalette:
        palette = QPalette()
        for role, name in _PALETTE_ROLES:
            palette.setColor(role, self.color(name))
        for role in _TEXT_ROLES:
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.color("text_dis"))
        return palette


def _desktop_is_dark() -> bool:
    if QGuiApplication.instance() is None:
        return False
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


def _desktop_wants_contrast() -> bool:
    if QGuiApplication.instance() is None:
        return False
    hints = QGuiApplication.styleHints()
    reader = getattr(hints, "accessibility", None)  # Qt 6.10 and later
    if reader is None:
        return False
    accessibility = reader()  # both objects stay referenced: the chained call reads a deleted one
    return bool(accessibility.contrastPreference() == Qt.ContrastPreference.HighContrast)


@cache
def theme() -> Theme:
    """The theme of this process."""
    return Theme()


def px(size: float) -> int:
    """Short for `theme().px(size)`."""
    return theme().px(size)
