"""The window: puts the views together, gives them the commands, and knows nothing of what they show."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QSettings, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QKeyEvent, QKeySequence, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from ui.actions import ACTIONS, Action, Scope
from ui.deaf import Deaf
from ui.layout_rules import LayoutRule, graph_height, is_low, layout_for
from ui.theme import px, theme
from ui.widgets.containers import Splitter
from ui.widgets.messages import Banner, Toast
from ui.widgets.surface import column, row

MINIMUM = QSize(1100, 640)
"""At any scale: larger letters get a narrower layout, not a window that no screen holds."""
MIDDLE = 290
"""Least width of the session column, in px at 100 %."""


class MainWindow(QMainWindow):
    """Frame of the console. Pages and regions are put in with `add_page` and `set_regions`; actions by id with `on`."""

    closing = Signal()
    """The person wants to quit: `begin_closing` is called, agents are paused, then `finish_closing` is called."""
    seen = Signal()
    """It was painted for the first time."""
    resized_to = Signal(object, bool, int)
    """The layout rule, whether the window is low, and the height of the graph."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("window")
        self._title = title
        self._may_close = self._seen = False
        self._deaf = Deaf(self)
        self._rule: LayoutRule | None = None
        self.actions_by_id = {
            action.id: self._make_action(action)
            for action in ACTIONS
            if action.scope in (Scope.WINDOW, Scope.LEFT_OVER)
        }
        self.banner = Banner()
        self.banner.setObjectName("banner")
        self.pages = QStackedWidget()
        self._names: dict[str, QWidget] = {}
        self._regions: list[QWidget] = []
        self.toast: Toast | None = None
        self.show_count(0)

    def _make_action(self, action: Action) -> QAction:
        made = QAction(action.words, self)
        made.setObjectName(f"action.{action.id}")
        if action.scope is Scope.WINDOW:
            made.setShortcuts([QKeySequence(keys) for keys in action.keys])
        made.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        self.addAction(made)
        return made

    def on(self, action: str, act: Callable[[], object]) -> None:
        """Do this when the action is triggered."""
        self.actions_by_id[action].triggered.connect(lambda _checked=False: act())

    def build(self, top: QWidget, rail: QWidget, status: QWidget) -> None:
        """Put the frame together."""
        root = QWidget()
        root.setObjectName("root")
        root.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        layout = column(root, 0)
        layout.addWidget(top)
        layout.addWidget(self.banner)
        middle = row(None, 0)
        middle.addWidget(rail)
        middle.addWidget(self.pages, 1)
        layout.addLayout(middle, 1)
        layout.addWidget(status)
        self.setCentralWidget(root)
        self.setMinimumSize(MINIMUM)
        self.toast = Toast(root)
        self.toast.setObjectName("toast")
        theme().follow(self._tell_size)

    def add_page(self, name: str, page: QWidget) -> None:
        """A page of the rail."""
        self._names[name] = page
        self.pages.addWidget(page)

    def show_page(self, name: str) -> None:
        """Show a page. The focus goes to what leads on it, else to where it was there, else nowhere."""
        page, root = self._names[name], self.centralWidget()
        if page is self.pages.currentWidget() or root is None:
            return
        left = page.focusWidget()
        root.setFocus(Qt.FocusReason.OtherFocusReason)  # Qt would go on to whatever is first on the page
        self.pages.setCurrentWidget(page)
        (page.focusProxy() or left or root).setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def page(self) -> str:
        """Name of the page that is shown."""
        return next((name for name, page in self._names.items() if page is self.pages.currentWidget()), "")

    def set_regions(self, regions: Iterable[QWidget]) -> None:
        """What F6 goes through, in order."""
        self._regions = list(regions)

    def go_to_region(self, step: int) -> None:
        """Move the focus to the next (1) or the previous (-1) region that is shown."""
        shown = [region for region in self._regions if region.isVisible()]
        if not shown:
            return
        focus = self.focusWidget()
        here = next(
            (i for i, region in enumerate(shown) if focus and (region is focus or region.isAncestorOf(focus))), -1
        )
        shown[(here + step) % len(shown)].setFocus(Qt.FocusReason.TabFocusReason)

    def show_count(self, waiting: int) -> None:
        """Put the number of decisions into the title."""
        self.setWindowTitle(f"({waiting}) {self._title}" if waiting else self._title)

    def say(self, text: str, icon: str = "check") -> None:
        """A toast: results and refusals, nothing that needs an answer."""
        if self.toast is not None:
            self.toast.show_text(text, icon)

    def showEvent(self, event: QShowEvent) -> None:
        """Nothing has the focus at first: Tab goes in from the start."""
        super().showEvent(event)
        root = self.centralWidget()
        if root is not None:
            root.setFocus(Qt.FocusReason.OtherFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Say once that there is something to be seen."""
        super().paintEvent(event)
        if not self._seen:
            self._seen = True
            self.seen.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell the views what fits."""
        super().resizeEvent(event)
        self._tell_size()

    def _tell_size(self) -> None:
        rule = layout_for(round(self.width() / max(0.01, px(100) / 100)))
        self._rule = rule
        height = round(self.height() / max(0.01, px(100) / 100))
        self.resized_to.emit(rule, is_low(height), graph_height(height))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that nothing with the focus has taken."""
        pressed = QKeySequence(event.keyCombination())
        for action in ACTIONS:
            if action.scope is Scope.LEFT_OVER and pressed in map(QKeySequence, action.keys):
                self.actions_by_id[action.id].trigger()
                return
        super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closing waits until the agents are paused."""
        if self._may_close:
            event.accept()
            return
        event.ignore()
        self.closing.emit()

    def begin_closing(self) -> None:
        """The agents come to rest: mouse and keys reach nothing any more."""
        self._deaf.begin()

    def finish_closing(self) -> None:
        """Everything is saved and at rest: close now."""
        self._may_close = True
        self._deaf.end()
        self.close()


class ConsolePage(QWidget):
    """Three columns: sessions, the session, decisions. The middle can be swapped for a full review."""

    def __init__(self, sessions: QWidget, session: QWidget, decisions: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("console")
        self.sessions, self.decisions = sessions, decisions
        self.middle = QStackedWidget()
        self.middle.addWidget(session)
        self._session = session
        self._hidden_by_review = False
        self._narrow = self._alone = False
        self.splitter = Splitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(0)  # the columns beside the middle bring their own lines
        for part in (sessions, self.middle, decisions):
            self.splitter.addWidget(part)
        self.splitter.setStretchFactor(1, 1)
        column(self, 0).addWidget(self.splitter)

    def put_decisions(self, panel: QWidget) -> None:
        """The panel of decisions, in the room that was kept for it."""
        sizes = self.splitter.sizes()
        panel.setMinimumWidth(self.decisions.minimumWidth())
        self.splitter.replaceWidget(self.splitter.indexOf(self.decisions), panel)
        self.decisions.deleteLater()
        self.decisions = panel
        panel.setVisible(not self._alone)
        self.splitter.setSizes(sizes)

    def show_alone(self, alone: bool) -> None:
        """The middle without the columns beside it, where they have nothing to show yet; or all three again."""
        if alone is not self._alone:
            self._alone = alone
            self.sessions.setVisible(not alone and not self._narrow)
            self.decisions.setVisible(not alone)

    def set_review(self, review: QWidget) -> None:
        """The page for a full review."""
        self.middle.addWidget(review)

    def show_review(self, review: QWidget | None, *, hides_sessions: bool = False) -> None:
        """Show the review over trace and decisions, or (None) the session again."""
        self.middle.setCurrentWidget(review or self._session)
        self.decisions.setVisible(review is None)
        if hides_sessions and review is not None and not self._narrow:
            self.sessions.hide()
            self._hidden_by_review = True
        elif self._hidden_by_review:
            self.sessions.show()
            self._hidden_by_review = False

    @property
    def reviewing(self) -> bool:
        """Whether a review is shown."""
        return self.middle.currentWidget() is not self._session

    def fit(self, rule: LayoutRule) -> None:
        """Column widths of a layout rule, unless the person moved them."""
        if rule.narrow is not self._narrow:
            self._narrow = rule.narrow
            self.sessions.setVisible(not rule.narrow and not self._alone)
        self.sessions.setMinimumWidth(px(180))
        self.decisions.setMinimumWidth(px(340))
        self.middle.setMinimumWidth(px(MIDDLE))
        saved = QSettings().value(f"columns/{rule.sessions}")
        if isinstance(saved, list) and len(saved) == 3:
            self.splitter.setSizes([int(width) for width in saved])
            return
        rest = max(px(MIDDLE), self.width() - px(rule.sessions) - px(rule.decisions))
        self.splitter.setSizes([px(rule.sessions), rest, px(rule.decisions)])
