"""Fork: a new session with the history of this one up to a step, perhaps with another goal and other limits."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from agent_core.model.intents import ForkPlan
from ui.dialogs.new_run_parts import LimitField, ProblemLine
from ui.models.fork import ForkForm, fork_intent, point_words, problems, tree_words
from ui.models.gauges import GAUGE_ORDER, GAUGE_WORDS, no_limit_words
from ui.models.new_run import limit_texts
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.combo_box import ComboBox
from ui.widgets.field import Field, FormField, TextArea
from ui.widgets.label import Label
from ui.widgets.marks import Line
from ui.widgets.messages import Note, SectionHead
from ui.widgets.surface import Surface, column, row

WIDTH = 620
_WORKSPACE = (
    "The workspace is not rewound: the fork works on the files as they are now, and is told what was done there since "
    "that step."
)


class ForkDialog(QDialog):
    """`fork_wanted` carries a ForkSession. Nothing happens before the person confirms."""

    fork_wanted = Signal(object)
    LIMITS = GAUGE_ORDER
    """The limits that a fork has for itself."""

    def __init__(self, plan: ForkPlan, operator: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("fork")
        self.setWindowTitle("Fork this session")
        self._plan, self._operator = plan, operator
        self._points = plan.points[::-1]
        self.step = ComboBox(tuple(map(point_words, self._points)), name="Go on after", icon="git-fork")
        self.goal = TextArea(name="Goal", lines=3)
        self.goal.setPlainText(plan.goal)
        texts = limit_texts(plan.limits)
        self.limits = {
            name: Field(texts[name], name=GAUGE_WORDS[name], placeholder=no_limit_words(name)) for name in self.LIMITS
        }
        self._goal_form = FormField("Goal", self.goal)
        self._limits_problem = ProblemLine()
        self.cancel = Button("Cancel", "ghost", key="Esc", height=34)
        self.start = Button("Fork", "primary", icon="git-fork", key="Ctrl ↵", height=34)
        self._name()
        self._build()
        self._connect()
        self.refresh()

    def _name(self) -> None:
        named = {"step": self.step, "goal": self.goal, "cancel": self.cancel, "start": self.start}
        for name, widget in named.items():
            widget.setObjectName(f"fork.{name}")
        for limit, field in self.limits.items():
            field.setObjectName(f"fork.limits.{limit.value}")

    def _build(self) -> None:
        column(self, 0).addWidget(card := Surface("raised"))
        layout = column(card, 0)
        head = row(None, 8, (22, 14, 22, 12))
        head.addWidget(Label("Fork this session", "card_title"), 1)
        layout.addLayout(head)
        layout.addWidget(Line())
        self._fill(body := column(None, 14, (22, 16, 22, 18)))
        layout.addLayout(body)
        layout.addStretch(1)
        layout.addWidget(Line())
        layout.addLayout(self._foot())
        self.setMinimumWidth(px(WIDTH))

    def _fill(self, body: QVBoxLayout) -> None:
        picker = FormField("Go on after", self.step)
        body.addWidget(picker)
        if self._plan.why_not_later:
            body.addWidget(Label(f"{self._plan.why_not_later}.", "meta", "text3", wrap=True))
        body.addWidget(self._goal_form)
        head = SectionHead("Limits")
        body.addWidget(head)
        five = row(None, 10)
        for name, field in self.limits.items():
            form = LimitField(GAUGE_WORDS[name], field)
            form.set_hint("")
            five.addWidget(form, 1)
        body.addLayout(five)
        body.addWidget(self._limits_problem)
        body.addWidget(Label(tree_words(self._plan), "secondary", "text3", wrap=True))
        body.addWidget(Note(_WORKSPACE, icon="folder"))

    def _foot(self) -> QHBoxLayout:
        foot = row(None, 8, (22, 12, 16, 12))
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.start)
        return foot

    def _connect(self) -> None:
        self._settle = QTimer(self, interval=120, singleShot=True)
        self._settle.timeout.connect(self.refresh)
        self.goal.textChanged.connect(self._settle.start)
        for field in self.limits.values():
            field.textChanged.connect(lambda _text: self._settle.start())
        self.cancel.clicked.connect(self.reject)
        self.start.clicked.connect(self.give)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self.give)

    def form(self) -> ForkForm:
        """What the fields hold."""
        return ForkForm(
            step=self._points[max(0, self.step.currentIndex())].step,
            goal=self.goal.toPlainText(),
            limits={name: field.text() for name, field in self.limits.items()},
        )

    def refresh(self) -> None:
        """Say what is wrong with the fields."""
        found = problems(self.form())
        self._goal_form.show_problem(found.get("goal", ""))
        wrong = {name: found.get(f"limits.{name.value}", "") for name in self.limits}
        for name, problem in wrong.items():
            self.limits[name].set_problem(problem)
        self._limits_problem.show_problem(" ".join(problem for problem in wrong.values() if problem))
        self.start.setEnabled(not found)

    def give(self) -> None:
        """Hand the wish over, once nothing is wrong with it."""
        self.refresh()
        form = self.form()
        if not problems(form):
            self.fork_wanted.emit(fork_intent(self._plan, form, self._operator))
            self.accept()

    def showEvent(self, event: QShowEvent) -> None:
        """The picker has the focus."""
        super().showEvent(event)
        self.step.setFocus()

    def done(self, result: int) -> None:
        """Gone once it is closed."""
        super().done(result)
        self.deleteLater()
