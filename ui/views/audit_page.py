"""The audit: every card with who decided it, when, how long, what was seen, and proposed against executed."""

from collections.abc import Callable
from datetime import datetime, timedelta

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from agent_core.engine.facade import Records
from agent_core.model.audit import AuditEntry, AuditPage, AuditQuery, CalibrationReport
from agent_core.model.proposal import Verdict
from ui import formatting
from ui.commands import Commands
from ui.models.audit_table import (
    CALIBRATION_COLUMNS,
    COLUMNS,
    audit_cells,
    calibration_cells,
    changed_fields,
    headline,
    seen_words,
    story,
)
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.chip_button import ChipButton
from ui.widgets.containers import HfwScrollArea
from ui.widgets.field import Field
from ui.widgets.field_diff import FieldDiff
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Chip, Icon, Line
from ui.widgets.messages import EmptyState
from ui.widgets.nothing_here import NothingHere
from ui.widgets.segmented_tabs import SegmentedTabs
from ui.widgets.surface import HEAD_HEIGHT, Surface, column, row
from ui.widgets.table import CellTableModel, Table

SETTLE_MS = 200
PAGE = 500
_REFUSALS = [Verdict.REJECT, Verdict.SEND_BACK, Verdict.ABANDON, Verdict.DECLINE, Verdict.STOP]


class AuditDetail(Surface):
    """One card: its story, and what ran against what was proposed."""

    session_wanted = Signal(str)
    record_wanted = Signal(str)
    rule_wanted = Signal(str)
    regret_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("bar_bottom", parent)
        self.setObjectName("audit.detail")
        self.entry: AuditEntry | None = None
        self._title = ElidedLabel("", "key_value")
        self._seen = ElidedLabel("", "secondary", "text3", align=Qt.AlignmentFlag.AlignRight)
        self._body = HfwScrollArea("Decisions of the card")
        outer = column(self, 8, (22, 12, 18, 10))
        head = row(None, 10)
        head.addWidget(self._title, 1)
        head.addWidget(self._seen, 1)
        outer.addLayout(head)
        outer.addWidget(self._body, 1)
        foot = row(None, 8)
        self._buttons: dict[str, Button] = {}
        for name, words, icon, signal in (
            ("open", "Open session", "external-link", self.session_wanted),
            ("record", "Export record…", "download", self.record_wanted),
            ("rule", "Make a rule…", "shield-check", self.rule_wanted),
            ("regret", "Regret…", "triangle-alert", self.regret_wanted),
        ):
            button = Button(words, "ghost", icon=icon, height=28, flush=name == "open")
            button.setObjectName(f"audit.{name}")
            button.clicked.connect(lambda _checked=False, signal=signal, name=name: self._emit(signal, name))
            foot.addWidget(button)
            self._buttons[name] = button
        foot.addStretch(1)
        outer.addLayout(foot)
        self.setMinimumHeight(px(190))

    def _emit(self, signal: object, name: str) -> None:
        if self.entry is not None:
            carried = self.entry.session if name == "open" else self.entry.proposal
            signal.emit(carried)  # type: ignore[attr-defined]

    def show_entry(self, entry: AuditEntry) -> None:
        """Show one card."""
        self.entry = entry
        self._title.setText(headline(entry))
        self._seen.setText(seen_words(entry))
        ruled = entry.suggests_rule
        self._buttons["rule"].setEnabled(ruled)
        self._buttons["rule"].setToolTip("" if ruled else "A rule is made from a decision about a call.")
        self._buttons["regret"].setEnabled(entry.verdict is not None)
        content = Surface("panel")
        layout = column(content, 6, (0, 0, 12, 4))
        changes = changed_fields(entry)
        if changes:
            layout.addWidget(Label("Proposed against executed", "section_head", "text2"))
            box = Surface("inset")
            column(box, 0, (1, 1, 1, 1)).addWidget(FieldDiff(changes))
            layout.addWidget(box)
        elif entry.executed is not None:
            layout.addWidget(Label("With exactly the arguments that were proposed.", "secondary", "text3"))
        for icon, words in story(entry):
            holder = QWidget()
            line = row(holder, 8)
            line.addWidget(Icon(icon, "text3", 14, beside="secondary"), 0, Qt.AlignmentFlag.AlignTop)
            line.addWidget(Label(words, "secondary", "text2", wrap=True), 1)
            layout.addWidget(holder)
        layout.addStretch(1)
        self._body.set_content(content)


class AuditPageView(Surface):
    """Cards, and how people decide. `export_wanted` (form, query) and `record_wanted` ask where to write."""

    session_wanted = Signal(str)
    export_wanted = Signal(str, object)
    record_wanted = Signal(str)
    regret_wanted = Signal(str)
    rule_wanted = Signal(str)
    """Id of a decided card that a standing rule is to be made from."""

    def __init__(
        self,
        commands: Commands,
        records: Records | None,
        now: Callable[[], datetime],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("raised", parent)
        self.setObjectName("audit")
        self._commands, self._records, self._now = commands, records, now
        self._found: list[AuditEntry] = []
        self._chain = Chip("", "plain", "badge-check")
        self.search = Field(placeholder="person, action, tool, reason, card…", icon="search", key="/", height=32)
        self.search.setObjectName("audit.search")
        self.week = ChipButton("Last 7 days", checked_icon="x")
        self.refused = ChipButton("Refused", checked_icon="x")
        self.regretted = ChipButton("Regretted", checked_icon="x")
        self.tabs = SegmentedTabs(("Cards", "How people decide"), name="Audit")
        self.model = CellTableModel(COLUMNS)
        self.table = Table(self.model, name="Audit", row_height=34)
        self.table.setObjectName("audit.table")
        self.people = CellTableModel(CALIBRATION_COLUMNS)
        self.people_table = Table(self.people, name="How people decide", row_height=34)
        self._period = Label("in the last 30 days", "secondary", "text3")
        nothing = EmptyState("Nothing to audit yet", "Cards and decisions appear here.", icon="scroll-text")
        self._empty = NothingHere(nothing, "No card matches")
        self.detail = AuditDetail()
        self._pages = QStackedWidget()
        self.setFocusProxy(self.table)
        self._build()
        self._connect()

    def _build(self) -> None:
        layout = column(self, 12, (0, 0, 0, 0))
        head = row(None, 10, (22, 16, 18, 0))
        head.addWidget(Label("Audit log", "page_title"))
        head.addWidget(self._chain)
        head.addStretch(1)
        for form in ("csv", "jsonl"):
            button = Button(f"Export {form.upper()}…", "default", icon="download", height=30)
            button.setObjectName(f"audit.export.{form}")
            button.clicked.connect(lambda _checked=False, form=form: self.export_wanted.emit(form, self.query()))
            head.addWidget(button)
        head.addStrut(px(HEAD_HEIGHT))
        layout.addLayout(head)
        filters = row(None, 8, (22, 0, 18, 0))
        filters.addWidget(self.tabs)
        filters.addWidget(self.search, 1)
        for name, chip in (("week", self.week), ("refused", self.refused), ("regretted", self.regretted)):
            chip.setObjectName(f"audit.filter.{name}")
            filters.addWidget(chip)
        filters.addWidget(self._period, 1)
        self._period.hide()
        layout.addLayout(filters)
        cards = QWidget()
        stacked = column(cards, 0)
        stacked.addWidget(self.table, 1)
        stacked.addWidget(self._empty, 1)
        stacked.addWidget(self.detail)
        self._pages.addWidget(cards)
        self._pages.addWidget(self.people_table)
        below = column(None, 0)
        below.addWidget(Line())
        below.addWidget(self._pages, 1)
        layout.addLayout(below, 1)

    def _connect(self) -> None:
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self.refresh)
        self.search.textChanged.connect(lambda _text: self._settle.start())
        self.search.returnPressed.connect(self.table.setFocus)
        for chip in (self.week, self.refused, self.regretted):
            chip.toggled.connect(lambda _on: self.refresh())
        self._empty.action.connect(lambda _name: self._clear())
        self.tabs.currentChanged.connect(self._show_tab)
        self.table.selectionModel().currentRowChanged.connect(self._row_chosen)
        self.detail.session_wanted.connect(self.session_wanted)
        self.detail.record_wanted.connect(self.record_wanted)
        self.detail.rule_wanted.connect(self.rule_wanted)
        self.detail.regret_wanted.connect(self.regret_wanted)

    def showEvent(self, event: QShowEvent) -> None:
        """Come up to date."""
        super().showEvent(event)
        self.refresh()

    def query(self) -> AuditQuery:
        """What the search field and the chips ask for."""
        return AuditQuery(
            text=self.search.text().strip(),
            verdicts=_REFUSALS if self.refused.isChecked() else [],
            since=self._now() - timedelta(days=7) if self.week.isChecked() else None,
            regretted=self.regretted.isChecked(),
            limit=PAGE,
        )

    def refresh(self) -> None:
        """Read again."""
        if self._records is None:
            return
        self._commands.spawn(self._records.audit(self.query()), then=self.show_page)
        if self.tabs.currentIndex() == 1:
            self._commands.spawn(self._records.calibration(), then=self.show_calibration)

    def _clear(self) -> None:
        self.search.clear()
        for chip in (self.week, self.refused, self.regretted):
            chip.setChecked(False)
        self.refresh()

    def _show_tab(self, index: int) -> None:
        """The filters are for cards alone: how people decide is told of all of them."""
        self._pages.setCurrentIndex(index)
        for part in (self.search, self.week, self.refused, self.regretted):
            part.setVisible(index == 0)
        self._period.setVisible(index == 1)
        self.refresh()

    def show_page(self, page: AuditPage) -> None:
        """Show what was found; the chosen card stays chosen."""
        chosen = self.detail.entry.proposal if self.detail.entry is not None else ""
        self._found = page.entries
        now = self._now()
        self.model.set_rows([audit_cells(entry, now) for entry in page.entries])
        self._show_chain(page)
        self.table.lead(self, self.search, found=bool(page.entries))
        self._empty.tell(found=bool(page.entries), filtered=self.query() != AuditQuery(limit=PAGE))
        self.detail.setVisible(bool(page.entries))
        ids = [entry.proposal for entry in page.entries]
        if ids:
            place = ids.index(chosen) if chosen in ids else 0
            self.table.selectRow(place)
            self.detail.show_entry(page.entries[place])

    def _show_chain(self, page: AuditPage) -> None:
        if page.broken:
            self._chain.setText(f"{formatting.plural(len(page.broken), 'session')} altered")
            self._chain.set_tone("dang", "octagon-alert")
            return
        verified = formatting.clock_time(self._now().astimezone())
        self._chain.setText(f"Chain and signatures verified at {verified}, {formatting.plural(page.total, 'card')}")
        self._chain.set_tone("plain", "badge-check")

    def show_calibration(self, report: CalibrationReport) -> None:
        """How operators decided, and agents were decided about, in the last 30 days."""
        people = [calibration_cells(one, "person") for one in report.operators]
        self.people.set_rows([*people, *(calibration_cells(one, "agent") for one in report.agents)])

    def _row_chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if 0 <= current.row() < len(self._found):
            self.detail.show_entry(self._found[current.row()])
