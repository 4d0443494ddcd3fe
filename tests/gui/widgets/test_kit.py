"""Every widget: plain text, accessible names, sizes, themes and the few behaviours of its own."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QAccessible, QImage, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from agent_core.config.look import Look
from tests.gui.widgets.conftest import VirtualClock
from ui.gallery import build_sheet, context_example
from ui.icons import icon_names, icon_pixmap
from ui.theme import Theme, ThemeMode, theme
from ui.tokens import DARK
from ui.widgets.button import Button
from ui.widgets.checks import CheckBox, ChoiceCard, RadioButton, Toggle
from ui.widgets.chip_button import ChipButton
from ui.widgets.combo_box import ComboBox
from ui.widgets.containers import HfwScrollArea
from ui.widgets.context_bar import ContextBar, ContextMeter, ContextSlot, ContextState
from ui.widgets.field import Field, FormField, TextArea
from ui.widgets.gauge import ConfidenceBar, Gauge, GaugeState
from ui.widgets.label import ElidedLabel, Label, flow_text
from ui.widgets.marks import Badge, Chip, Icon, KeyHint, Ring
from ui.widgets.messages import Banner, EmptyAction, EmptyState, Toast
from ui.widgets.paint import text_layout, text_width
from ui.widgets.segmented_tabs import SegmentedTabs
from ui.widgets.skeleton import Skeleton
from ui.widgets.surface import Surface, row
from ui.widgets.tooltip import plain_tooltip
from ui.widgets.undo_bar import UndoBar

HOSTILE = "<img src=x onerror=1><b>pay</b> safe\u202egnp.exe & more"
LEFT = Qt.MouseButton.LeftButton


def name_of(widget: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def role_of(widget: QWidget) -> QAccessible.Role:
    return QAccessible.queryAccessibleInterface(widget).role()


def differs(first: QImage, second: QImage) -> bool:
    return first != second


# ------------------------------------------------------------------------------------------------ plain text


@pytest.mark.parametrize("make", [
    lambda: Label(HOSTILE), lambda: Label(HOSTILE, wrap=True), lambda: Label(HOSTILE, selectable=True),
    lambda: ElidedLabel(HOSTILE), lambda: Chip(HOSTILE), lambda: Badge(HOSTILE), lambda: KeyHint(HOSTILE),
])  # fmt: skip
def test_labels_are_plain_and_hide_nothing(qtbot: QtBot, make: Callable[[], Label]) -> None:
    label = make()
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert "\\u202e" in label.text()
    assert "\u202e" not in label.text()
    assert "<b>pay</b>" in label.text()


def test_a_label_keeps_the_text_as_it_was_given(qtbot: QtBot) -> None:
    for label in (Label(HOSTILE), ElidedLabel(HOSTILE)):
        qtbot.addWidget(label)
        assert label.raw_text() == HOSTILE


def test_tooltips_show_markup_as_text() -> None:
    tip = plain_tooltip(HOSTILE)
    assert "&lt;b&gt;pay&lt;/b&gt;" in tip
    assert "<img" not in tip
    assert plain_tooltip("") == ""
    assert len(plain_tooltip("x" * 1_000_000)) < 3_000


@pytest.mark.parametrize("make", [
    lambda: Label("x"), lambda: ElidedLabel("x"), lambda: Button("x"), lambda: Chip("x"), lambda: Field("x"),
    lambda: Gauge("x"), lambda: CheckBox("x"), lambda: Toggle("x"), lambda: RadioButton("x"), lambda: ComboBox(("x",)),
])  # fmt: skip
def test_every_tooltip_is_plain(qtbot: QtBot, make: Callable[[], QWidget]) -> None:
    widget = make()
    qtbot.addWidget(widget)
    widget.setToolTip(HOSTILE)
    if not isinstance(widget, ElidedLabel):
        assert "<img" not in widget.toolTip()
        assert "&lt;img" in widget.toolTip()


def test_an_ampersand_on_a_button_is_no_shortcut(qtbot: QtBot) -> None:
    button = Button("Brandt & Sohn")
    qtbot.addWidget(button)
    assert button.shortcut().isEmpty()
    assert name_of(button) == "Brandt & Sohn"


# ------------------------------------------------------------------------------------------------ names and roles


@pytest.mark.parametrize(("make", "name", "role"), [
    (lambda: Gauge("Cost", GaugeState("$0.31", "$0.50", 0.62, 0.82)), "Cost $0.31 of $0.50, 62 percent, projected 82",
     QAccessible.Role.ProgressBar),
    (lambda: Gauge("Time", GaugeState("13:20", "15:00", 0.888)), "Time 13:20 of 15:00, 89 percent, near the limit",
     QAccessible.Role.ProgressBar),
    (lambda: ConfidenceBar(0.54, 0.8), "Confidence 0.54, needs 0.80, below the threshold",
     QAccessible.Role.ProgressBar),
    (lambda: ContextBar(context_example()), "Context 124k of 200k ceiling, 62 %", QAccessible.Role.ProgressBar),
    (lambda: Button("", "ghost", icon="ellipsis", tip="More"), "More", QAccessible.Role.PushButton),
    (lambda: Field(placeholder="Search"), "Search", QAccessible.Role.EditableText),
    (lambda: TextArea(name="Goal"), "Goal", QAccessible.Role.EditableText),
    (lambda: Toggle("Sounds"), "Sounds", QAccessible.Role.CheckBox),
    (lambda: RadioButton("Custom"), "Custom", QAccessible.Role.RadioButton),
    (lambda: ChoiceCard("Nordwind", "Hamburg"), "Nordwind", QAccessible.Role.RadioButton),
    (lambda: Badge("2", name_for_readers="2 open decisions"), "2 open decisions", QAccessible.Role.StaticText),
    (lambda: Ring(0.42), "42 percent of the time left", QAccessible.Role.StaticText),
    (lambda: Label("Why"), "Why", QAccessible.Role.StaticText),
])  # fmt: skip
def test_screen_readers_hear(qtbot: QtBot, make: Callable[[], QWidget], name: str, role: QAccessible.Role) -> None:
    widget = make()
    qtbot.addWidget(widget)
    assert name_of(widget) == name
    assert role_of(widget) == role


# ------------------------------------------------------------------------------------------------ text and buttons


def test_wrapped_text_asks_for_exactly_its_lines(qtbot: QtBot) -> None:
    label = Label("word " * 40, "body", wrap=True)
    qtbot.addWidget(label)
    narrow, wide = label.heightForWidth(150), label.heightForWidth(600)
    line = theme().metrics("body").height() * 1.3
    assert narrow > wide
    assert wide % line < 2 or line - wide % line < 2
    assert label.minimumSizeHint().width() == 0


@pytest.mark.parametrize(
    ("text", "first_line"), [("word " * 400, "word " * 3), ("a word " + "x" * 2_000, "a word xxx")]
)
def test_lines_break_at_words_but_a_word_of_many_lines_fills_them_all(qtbot: QtBot, text: str, first_line: str) -> None:
    layout, _ = flow_text(text, "body", text_width(first_line, "body") + 1)
    first = layout.lineAt(0)
    assert text[first.textStart() : first.textStart() + first.textLength()] == first_line


def test_whether_a_word_is_endless_is_found_as_fast_in_long_words_as_in_short_ones(qtbot: QtBot) -> None:
    def seconds(text: str) -> float:
        began = time.perf_counter()
        text_layout(text, "body")
        return time.perf_counter() - began

    short, long = "word " * 40_000, ("x" * 999 + " ") * 200

    assert min(seconds(long) for _ in range(3)) < 20 * min(seconds(short) for _ in range(3))


def test_an_elided_label_says_the_whole_in_its_tooltip_only_when_shortened(qtbot: QtBot) -> None:
    label = ElidedLabel("Reconcile October invoices of group A")
    qtbot.addWidget(label)
    label.resize(60, 20)
    label.show()
    assert label.is_elided()
    assert "group A" in label.toolTip()
    label.resize(600, 20)
    assert not label.is_elided()
    assert label.toolTip() == ""


def test_a_narrow_button_gives_up_icon_then_key_and_never_its_verb(qtbot: QtBot) -> None:
    button = Button("Create credit note", icon="check", key="Ctrl ↵")
    qtbot.addWidget(button)
    full = button.sizeHint().width()
    least = button.minimumSizeHint().width()
    kept = [(p.icon, p.key) for p in (button._parts(w - 16) for w in (full, full - 20, least))]
    assert kept == [(True, True), (False, True), (False, False)]
    assert least < full - 50


def test_all_sizes_follow_the_text_scale(qtbot: QtBot, kit_theme: Theme) -> None:
    widgets = [Button("New run"), Chip("Waiting"), Gauge("Cost"), Field("x"), Toggle("Sounds"), Label("Text")]
    for widget in widgets:
        qtbot.addWidget(widget)
    before = [widget.sizeHint().height() for widget in widgets[:5]]
    kit_theme.set_scale(150)
    after = [widget.sizeHint().height() for widget in widgets[:5]]
    assert all(new >= old * 1.3 for old, new in zip(before, after, strict=True))
    kit_theme.set_scale(1_000)
    assert kit_theme.scale == 150


# ------------------------------------------------------------------------------------------------ theme


def test_a_theme_change_reaches_stylesheet_palette_and_paint(
    qtbot: QtBot, kit_theme: Theme, qapp: QApplication
) -> None:
    button = Button("New run", "primary")
    qtbot.addWidget(button)
    light = button.grab().toImage()
    with qtbot.waitSignal(kit_theme.changed):
        kit_theme.set_mode(ThemeMode.DARK)
    assert kit_theme.palette.name == "dark"
    assert "#212428" in qapp.styleSheet()
    assert qapp.palette().window().color().name().upper() == "#131517"
    assert differs(light, button.grab().toImage())


def test_a_look_with_high_contrast_is_worn_and_taken_off(kit_theme: Theme) -> None:
    usual = kit_theme.color("line_mid").name()

    kit_theme.wear(Look(high_contrast=True))
    assert kit_theme.color("line_mid") == kit_theme.color("line_strong")

    kit_theme.wear(Look())
    assert kit_theme.color("line_mid").name() == usual


def test_high_contrast_is_followed_and_can_be_forced(kit_theme: Theme) -> None:
    quiet = kit_theme.color("text3").name()
    kit_theme.set_high_contrast(True)
    assert kit_theme.color("text3").name() != quiet


def test_widgets_are_released_though_they_follow_the_theme(kit_theme: Theme) -> None:
    import gc
    import weakref

    label = Label("gone")
    seen = weakref.ref(label)
    del label
    gc.collect()
    assert seen() is None
    kit_theme.set_scale(110)


def test_every_bundled_icon_renders() -> None:
    for name in icon_names():
        for dpr in (1.0, 2.0):
            image = icon_pixmap(name, theme().color("text"), 16, dpr).toImage()
            assert image.width() == 16 * dpr
            assert any(image.pixelColor(x, y).alpha() for x in range(image.width()) for y in range(image.height()))


@pytest.mark.parametrize("mode", [ThemeMode.LIGHT, ThemeMode.DARK])
@pytest.mark.parametrize("scale", [90, 100, 150])
def test_the_whole_sheet_paints(qtbot: QtBot, kit_theme: Theme, mode: ThemeMode, scale: int) -> None:
    kit_theme.set_mode(mode)
    kit_theme.set_scale(scale)
    sheet = build_sheet(round(1240 * scale / 100))
    qtbot.addWidget(sheet)
    sheet.show()
    assert not sheet.grab().isNull()


# ------------------------------------------------------------------------------------------------ odd figures


@pytest.mark.parametrize("share", [math.nan, math.inf, -math.inf, -1, 0, 0.5, 1, 99, 1e300])
def test_no_figure_breaks_a_gauge(qtbot: QtBot, share: float) -> None:
    gauge = Gauge("Cost", GaugeState("?", "?", share, share))
    bar, ring = ConfidenceBar(share, share), Ring(share)
    for widget in (gauge, bar, ring):
        qtbot.addWidget(widget)
        widget.grab()
    assert 0 <= gauge.value() <= gauge.maximum()
    assert 0 <= ring.share <= 1


@pytest.mark.parametrize("state", [
    ContextState(), ContextState([ContextSlot("a", 0)], 0), ContextState([ContextSlot("a", -5)], 100),
    ContextState([ContextSlot(HOSTILE, 10**12)], 1), ContextState([ContextSlot("a", 1)] * 50, 50, 900),
])  # fmt: skip
def test_no_context_breaks_the_bar(qtbot: QtBot, state: ContextState) -> None:
    meter = ContextMeter(state)
    qtbot.addWidget(meter)
    meter.resize(500, 60)
    meter.grab()


def test_a_context_over_its_ceiling_says_so(qtbot: QtBot) -> None:
    bar = ContextBar(ContextState([ContextSlot("History", 230_000)], 200_000))
    qtbot.addWidget(bar)
    assert "over design ceiling, not planned" in name_of(bar)
    bar.set_state(ContextState([ContextSlot("History", 210_000)], 200_000))
    assert "over" not in name_of(bar)


def test_where_there_is_little_room_the_word_ceiling_goes_before_a_slot_of_the_context(qtbot: QtBot) -> None:
    slots = [ContextSlot(name, 2_600) for name in ("System", "Tools", "Notes", "History", "Results")]
    meter = ContextMeter(ContextState(slots, 200_000))
    qtbot.addWidget(meter)
    meter.resize(563, 60)
    meter.show()
    assert "/ 200k" in [label.text() for label in meter.findChildren(QLabel)]
    meter.resize(700, 60)
    assert "/ 200k ceiling" in [label.text() for label in meter.findChildren(QLabel)]


def test_a_context_that_is_not_known_yet_shows_no_figures(qtbot: QtBot) -> None:
    meter = ContextMeter()
    qtbot.addWidget(meter)
    meter.set_state(ContextState([], 0))
    texts = [label.text() for label in meter.findChildren(QLabel)]
    assert "–" in texts
    assert not any("0" in text for text in texts)
    assert name_of(meter.bar) == "Context not known yet"


def test_each_slot_has_its_tooltip(qtbot: QtBot) -> None:
    bar = ContextBar(
        ContextState([ContextSlot("Tools", 50, 80, "tool search", 0.9), ContextSlot("Notes", 50)], 200, 20)
    )
    qtbot.addWidget(bar)
    bar.resize(400, 20)
    assert bar.tip_at(10) == "Tools: 50 tokens of 80\ntool search\n90 % read from cache"
    assert bar.tip_at(150) == "Notes: 50 tokens"
    assert bar.tip_at(390).startswith("100 free")


# ------------------------------------------------------------------------------------------------ inputs


def test_a_problem_marks_the_field_and_shows_its_words(qtbot: QtBot) -> None:
    field = Field("-3", name="Steps")
    form = FormField("Steps", field, hint="typ. 22")
    qtbot.addWidget(form)
    form.show()
    field.set_problem("Steps must be at least 1")
    assert field.property("invalid") is True
    assert any(label.text() == "Steps must be at least 1" for label in form.findChildren(Label) if label.isVisible())
    field.set_problem("")
    assert any(label.text() == "typ. 22" for label in form.findChildren(Label) if label.isVisible())


def test_a_secret_field_hides_and_reveals(qtbot: QtBot) -> None:
    field = Field("sk-ant-1", name="key")
    field.set_secret()
    qtbot.addWidget(field)
    assert field.displayText() != "sk-ant-1"
    field.actions()[0].trigger()
    assert field.displayText() == "sk-ant-1"


def test_toggles_and_choices_take_clicks_and_space(qtbot: QtBot) -> None:
    for button in (Toggle("Sounds"), CheckBox("Again"), ChoiceCard("Nordwind", "Hamburg")):
        qtbot.addWidget(button)
        button.resize(button.sizeHint())
        button.show()
        QTest.mouseClick(button, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(button.width() - 3, button.height() // 2))
        assert button.isChecked()
    toggle = Toggle("Sounds")
    qtbot.addWidget(toggle)
    toggle.show()
    toggle.setFocus()
    QTest.keyClick(toggle, Qt.Key.Key_Space)
    assert toggle.isChecked()


def test_a_chip_is_chosen_by_click_and_space(qtbot: QtBot) -> None:
    chip = ChipButton("Brandt & Sohn")
    qtbot.addWidget(chip)
    chip.show()
    narrow = chip.sizeHint().width()
    QTest.mouseClick(chip, LEFT)
    assert chip.isChecked()
    assert chip.sizeHint().width() > narrow
    chip.setFocus()
    QTest.keyClick(chip, Qt.Key.Key_Space)
    assert not chip.isChecked()
    assert (name_of(chip), role_of(chip)) == ("Brandt & Sohn", QAccessible.Role.CheckBox)


def test_tabs_switch_by_click_and_arrow(qtbot: QtBot) -> None:
    tabs = SegmentedTabs(("Trace", "Plan", "Files"))
    qtbot.addWidget(tabs)
    tabs.show()
    QTest.mouseClick(tabs, LEFT, Qt.KeyboardModifier.NoModifier, tabs.tabRect(1).center())
    assert tabs.currentIndex() == 1
    tabs.setFocus()
    QTest.keyClick(tabs, Qt.Key.Key_Right)
    assert tabs.currentIndex() == 2


# ------------------------------------------------------------------------------------------------ messages


def test_undo_or_elapsed_but_never_both(qtbot: QtBot, clock: VirtualClock) -> None:
    bar = UndoBar(clock=clock)
    qtbot.addWidget(bar)
    heard: list[str] = []
    bar.undone.connect(lambda: heard.append("undone"))
    bar.elapsed.connect(lambda: heard.append("elapsed"))
    bar.start("Approved", 8)
    clock.advance(8)
    bar.undo()
    bar.refresh()
    bar.refresh()
    assert heard == ["elapsed"]
    bar.start("Approved", 8)
    clock.advance(2)
    QTest.mouseClick(bar.findChild(Button), LEFT)
    clock.advance(60)
    bar.refresh()
    assert heard == ["elapsed", "undone"]
    assert bar.seconds_left == 0


def test_a_banner_names_the_button_pressed(qtbot: QtBot) -> None:
    banner = Banner()
    qtbot.addWidget(banner)
    banner.resize(900, 44)
    banner.show_message("API key was refused", "All runs paused.", tone="dang", actions=("Open keys", "Details"))
    with qtbot.waitSignal(banner.action) as heard:
        QTest.mouseClick(banner.findChildren(Button)[0], LEFT)
    assert heard.args == ["Open keys"]


def test_an_empty_state_names_the_button_pressed(qtbot: QtBot) -> None:
    state = EmptyState("No runs yet", actions=(EmptyAction("New run", "primary"),))
    qtbot.addWidget(state)
    state.show()
    with qtbot.waitSignal(state.action) as heard:
        QTest.mouseClick(state.findChild(Button), LEFT)
    assert heard.args == ["New run"]


def test_a_toast_stays_bottom_left_and_takes_no_focus(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    window.show()
    toast = Toast(window)
    toast.show_text(HOSTILE)
    assert (toast.x(), toast.geometry().bottom() < 600) == (14, True)
    window.resize(800, 400)
    assert toast.geometry().bottom() < 400
    assert toast.focusPolicy() == Qt.FocusPolicy.NoFocus


def test_a_scroll_area_gives_wrapped_text_its_exact_height(qtbot: QtBot) -> None:
    content = QWidget()
    body = QVBoxLayout(content)
    label = Label("word " * 300, "body", wrap=True)
    body.addWidget(label)
    area = HfwScrollArea("Text", content)
    qtbot.addWidget(area)
    area.resize(300, 200)
    area.show()
    assert content.height() == body.totalHeightForWidth(area.viewport().width())
    assert label.height() == label.heightForWidth(label.width())
    label.setText("short")
    qtbot.waitUntil(lambda: content.height() == area.viewport().height())


def test_a_scroll_area_comes_to_rest(qtbot: QtBot) -> None:
    content = QWidget()
    QVBoxLayout(content).addWidget(Label("word " * 300, "body", wrap=True))
    area = HfwScrollArea("Text", content)
    qtbot.addWidget(area)
    area.resize(300, 200)
    area.show()
    for _ in range(10):
        QApplication.processEvents()
    asked: list[QEvent.Type] = []

    class Watch(QObject):
        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            asked.append(event.type())
            return False

    watch = Watch()
    content.installEventFilter(watch)
    for _ in range(10):
        QApplication.processEvents()
    assert QEvent.Type.LayoutRequest not in asked, "it lays itself out for ever"


def test_a_skeleton_says_that_it_loads(qtbot: QtBot) -> None:
    skeleton = Skeleton(4)
    qtbot.addWidget(skeleton)
    assert name_of(skeleton) == "Loading"
    assert skeleton.sizeHint() == QSize(200, 88)


def test_a_combo_box_leaves_the_wheel_to_the_page(qtbot: QtBot) -> None:
    combo = ComboBox(("a", "b"), name="Agent")
    qtbot.addWidget(combo)
    combo.show()
    assert combo.focusPolicy() == Qt.FocusPolicy.StrongFocus
    assert combo.accessibleName() == "Agent"


def test_an_icon_beside_wrapped_words_stands_level_with_their_first_line(qtbot: QtBot, kit_theme: Theme) -> None:
    words = Label("one line", "secondary", wrap=True)
    assert Icon("check", size=12, beside="secondary").sizeHint().height() == words.heightForWidth(400)
    assert Icon("check", size=12).sizeHint().height() == 12


def test_the_words_of_a_button_are_those_that_it_shows(qtbot: QtBot) -> None:
    button = Button("Set…")
    qtbot.addWidget(button)
    button.setText("Change…")
    assert (button.label(), name_of(button)) == ("Change…", "Change…")


def test_an_icon_is_silent_unless_named(qtbot: QtBot) -> None:
    silent, named = Icon("check"), Icon("octagon-alert", "dang", name_for_readers="failed")
    for icon in (silent, named):
        qtbot.addWidget(icon)
    assert name_of(silent) == ""
    assert name_of(named) == "failed"


def test_a_label_made_before_a_theme_change_shows_in_the_new_colour(qtbot: QtBot, kit_theme: Theme) -> None:
    panel = Surface("bar_top")
    label = Label("Pilothouse", "panel_head")
    row(panel).addWidget(label)
    qtbot.addWidget(panel)
    kit_theme.set_mode(ThemeMode.DARK)
    panel.show()
    assert label.palette().color(QPalette.ColorRole.WindowText).name().upper() == DARK["text"]
