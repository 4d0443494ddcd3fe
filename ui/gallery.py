"""Every widget of the kit on one sheet, for review: `python -m ui.gallery --theme dark --out kit.png`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

from PySide6.QtWidgets import QApplication, QBoxLayout, QWidget

from ui.theme import ThemeMode, theme
from ui.widgets.button import Button
from ui.widgets.checks import CheckBox, ChoiceCard, RadioButton, Toggle
from ui.widgets.chip_button import ChipButton
from ui.widgets.combo_box import ComboBox
from ui.widgets.context_bar import ContextMeter, ContextSlot, ContextState, ContextTick
from ui.widgets.cost_data import CostState, StepCost
from ui.widgets.cost_graph import CostGraph
from ui.widgets.field import Field, FormField, TextArea
from ui.widgets.field_diff import FieldChange, FieldDiff
from ui.widgets.gauge import ConfidenceBar, Gauge, GaugeState
from ui.widgets.guard import InputGuard
from ui.widgets.guarded_button import GuardedButton
from ui.widgets.hold_button import HoldButton
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.lock_hint import LockHint
from ui.widgets.marks import Badge, Chip, Icon, KeyHint, Ring
from ui.widgets.messages import Banner, EmptyAction, EmptyState, Note, SectionHead
from ui.widgets.segmented_tabs import SegmentedTabs
from ui.widgets.skeleton import Skeleton
from ui.widgets.surface import Surface, column, row
from ui.widgets.table import Cell, Column
from ui.widgets.table_diff import TableDiff
from ui.widgets.text_diff import TextDiff
from ui.widgets.undo_bar import UndoBar


def _line(*widgets: QWidget | None, spacing: float = 8) -> QBoxLayout:
    layout = row(spacing=spacing)
    for widget in widgets:
        if widget is None:
            layout.addStretch(1)
        else:
            layout.addWidget(widget)
    return layout


def _text() -> QBoxLayout:
    body = column(spacing=6)
    for role in ("hero", "review_title", "page_title", "session_title", "card_title", "panel_head", "key_value"):
        body.addWidget(Label(f"{role}: Create credit note for €412.00", role))
    for color in ("text", "text2", "text3", "text_dis", "accent", "attn", "dang", "unk", "ok"):
        body.addWidget(Label(f"{color}: 24,308.00 in ERP live", "secondary", color))
    body.addWidget(Label("<b>Plain</b> & safe\u202egnp.exe\u200b tail", "mono"))
    long = "The supplier confirmed 2 missing units on 21 Nov. Goods receipt GR-5521 shows 118 of 120. The credit note"
    body.addWidget(Label(long + " closes the difference before period end.", "body", "text2", wrap=True))
    body.addWidget(ElidedLabel(long, "secondary", "text3"))
    return body


def _marks() -> QBoxLayout:
    body = column(spacing=8)
    body.addLayout(
        _line(
            Chip("Waiting for you", "attn", "hand"),
            Chip("Irreversible", "dang", "octagon-alert"),
            Chip("Retry is locked", "unk", "lock"),
            Chip("valid", "ok", "check"),
            Chip("Wrong target", "accent", "check"),
            None,
        )
    )
    body.addLayout(
        _line(
            Chip("Leaves the company", "neutral", "send"),
            Chip("read-only", "plain"),
            Chip("retry 2 of 3", "plain", "rotate-ccw"),
            Chip("INV-19811", "accent", mono=True),
            None,
        )
    )
    body.addLayout(
        _line(
            Badge("4"), Badge("12"), Badge("1", "unk"), KeyHint("J"), KeyHint("K"), KeyHint("Ctrl K"),
            Ring(0.42), Ring(0.12, "attn"), Ring(0.78, size=18), Icon("shield-check"), Icon("octagon-alert", "dang"),
            Icon("brain", "text3", 18), Icon("check", "text3", 12), None,
        )
    )  # fmt: skip
    return body


def _buttons() -> QBoxLayout:
    body = column(spacing=8)
    body.addLayout(
        _line(
            Button("New run", "primary", icon="plus", key="Ctrl N"), Button("Pause all", icon="pause"),
            Button("Fork…", icon="git-fork", menu=True), Button("Cancel", "ghost", key="Esc"),
            Button("Raw call", "link"), Button("", "ghost", icon="ellipsis", tip="More actions", height=30), None,
        )
    )  # fmt: skip
    body.addLayout(
        _line(Button("4 decisions", "attn", icon="inbox"), Button("Delete…", "danger", icon="trash-2"), None)
    )
    is_open, locked = InputGuard(lock_seconds=0.0), InputGuard(lock_seconds=1e9)
    for guard in (is_open, locked):
        buttons = [
            GuardedButton("Approve…", guard, "outline", icon="check", key="Ctrl ↵"),
            GuardedButton("Modify…", guard, icon="pencil", key="M"),
            GuardedButton("Reject…", guard, icon="x", key="R"),
        ]
        for button in buttons:
            button.set_expanding()
        body.addLayout(_line(*buttons))
    narrow = [GuardedButton("Create credit note", is_open, "outline", icon="check", key="Ctrl ↵") for _ in range(3)]
    for width, button in zip((220, 190, 140), narrow, strict=True):
        button.setFixedWidth(width)
    body.addLayout(_line(*narrow, None))
    hold = HoldButton("Send 38 e-mails", is_open, icon="send")
    off = HoldButton("Send 38 e-mails", is_open, icon="send")
    off.setEnabled(False)
    body.addLayout(_line(hold, off, None))
    small = [Button("Ask", "ghost", icon="message-circle-question-mark", height=26, flush=True)]
    small += [Button("Escalate", "ghost", icon="arrow-up-right", height=26)]
    body.addLayout(_line(*small, None, Label("one more step to confirm", "meta", "text3")))
    return body


def context_example() -> ContextState:
    """Figures like those of a run half way through."""
    slots = [("System", 6), ("Tools", 8), ("Notes", 9), ("History", 61), ("Results", 40)]
    ticks = (ContextTick("clear", 100_000), ContextTick("compact", 150_000), ContextTick("hand-off", 180_000))
    return ContextState([ContextSlot(n, t * 1_000) for n, t in slots], 200_000, 16_000, ticks, 1_000_000)


def _gauges() -> QBoxLayout:
    body = column(spacing=10)
    body.addLayout(
        _line(
            Gauge("Steps", GaugeState("15", "40", 0.375, 0.5)),
            Gauge("Tokens", GaugeState("312k", "600k", 0.52, 0.7)),
            Gauge("Cost", GaugeState("$0.31", "$0.50", 0.62, 0.82)),
            Gauge("Time", GaugeState("13:20", "15:00", 0.888)),
            Gauge("Cost", GaugeState("$0.50", "$0.50", 1.0)),
            spacing=22,
        )
    )
    body.addWidget(ContextMeter(context_example()))
    slots = [ContextSlot("History", 190_000), ContextSlot("Results", 40_000)]
    body.addWidget(ContextMeter(ContextState(slots, 200_000, 16_000), labels=False))
    body.addWidget(ConfidenceBar(0.91, 0.85))
    body.addWidget(ConfidenceBar(0.54, 0.80))
    return body


def _fields() -> QBoxLayout:
    body = column(spacing=8)
    search = Field(placeholder="Search sessions, actions, settings…", icon="search", key="Ctrl K", quiet=True)
    typed = Field("38", name="Number of recipients")
    typed.set_trailing_icon("check")
    bad = Field("-3", name="Steps")
    bad.set_problem("Steps must be at least 1")
    secret = Field("sk-ant-secret", name="API key")
    secret.set_secret()
    body.addLayout(_line(search, typed))
    body.addLayout(_line(Field("€398.00", mono=True, note="was €412.00", name="amount"), secret))
    body.addLayout(_line(FormField("Steps", bad), FormField("Tokens", Field("600k"), hint="typ. 290k")))
    body.addWidget(TextArea("Reconcile the October invoices of all suppliers in group A.", name="Goal"))
    return body


def _choices() -> QBoxLayout:
    body = column(spacing=8)
    on, off, radio = CheckBox("Let the agent try another way"), CheckBox("Remember for J. Ott"), RadioButton("Custom")
    toggle, plain = Toggle("Sounds"), Toggle("Reduced motion")
    for button in (on, radio, toggle):
        button.setChecked(True)
    body.addLayout(_line(on, off, None, spacing=18))
    reasons = [ChipButton(t) for t in ("Wrong data", "Not now", "Against policy")]
    chosen, kept = ChipButton("Wrong target", checked=True), ChipButton("Last 7 days", checked_icon="x", checked=True)
    body.addLayout(_line(*reasons, chosen, kept, None, spacing=6))
    body.addLayout(_line(toggle, plain, radio, None, spacing=18))
    cards = [
        ChoiceCard("Nordwind Technik GmbH", "Hamburg · 14 orders · last 11 Mar 2025 · V-2207"),
        ChoiceCard("+ $0.80"),
    ]
    cards += [ChoiceCard("Plan-execute", "plan shown before it starts", icon="workflow")]
    cards[0].setChecked(True)
    body.addLayout(_line(*cards))
    body.addLayout(
        _line(
            ComboBox(("ap-reconciler 1.4.2", "dunning-agent 2.0.1"), name="Agent profile", icon="bot"),
            SegmentedTabs(("Trace", "Plan", "Files", "Messages")),
            None,
        )
    )
    return body


def _messages() -> QBoxLayout:
    body = column(spacing=10)
    for tone in ("attn", "dang"):
        banner = Banner()
        banner.show_message(
            "Anthropic API unreachable since 09:41.",
            "3 runs paused safely, retry in 0:24.",
            tone=tone,
            actions=("Retry now", "Details"),
        )
        body.addWidget(banner)
    unknown = "The call timed out after 30 s with no reply. A second try could pay 14 suppliers twice, so retry is off."
    body.addWidget(Note(unknown, "unk", title="The bank may or may not have executed it", icon="circle-question-mark"))
    body.addWidget(Note("No decision by 10:02: the run skips this item and lists it.", icon="hourglass"))
    body.addWidget(SectionHead("Why the agent proposes this", hint="model’s words", right="5 of 6 pass"))
    undo = UndoBar()
    undo.start("Approved", 6)
    body.addWidget(undo)
    body.addWidget(LockHint(InputGuard(clock=_half_locked())))
    body.addWidget(Skeleton(3))
    actions = (EmptyAction("New run", "primary", "plus", "Ctrl N"), EmptyAction("Start demo", "default", "play"))
    body.addWidget(
        EmptyState("No runs yet", "Start one, or watch the demo agent first.", icon="inbox", actions=actions)
    )
    return body


def _half_locked() -> Callable[[], float]:
    times = iter([0.0, *[0.4] * 100_000])
    return lambda: next(times)


FIELD_CHANGES: Final = (
    FieldChange("added", "Credit note", "", "€412.00"),
    FieldChange("changed", "Open balance", "24,720.00", "24,308.00"),
    FieldChange("changed", "Invoice status", "Open", "Part-credited"),
    FieldChange("removed", "recipient", "ostwind@example.com"),
    FieldChange("changed", "memo", "Short delivery, two units missing from the pallet of 21 November.",
                "Short delivery, two units missing from the pallet of 21 November, confirmed by the supplier."),
)  # fmt: skip


def _diffs() -> QBoxLayout:
    body = column(spacing=10)
    inset = Surface("inset")
    column(inset, margins=(1, 4, 1, 4)).addWidget(FieldDiff(FIELD_CHANGES))
    body.addWidget(inset)
    before = [f"line {n} of the letter stays as it is" for n in range(1, 40)]
    after = [*before]
    after[19:21] = ["line 20 of the letter changes here", "line 21 of a letter stays as it was", "and one more comes"]
    text = TextDiff()
    text.setMinimumHeight(260)
    text.set_texts("\n".join(before), "\n".join(after))
    framed = Surface("inset")
    column(framed, margins=(1, 1, 1, 1)).addWidget(text)
    body.addWidget(framed)
    columns = (
        Column("Customer", stretch=1, role="secondary_medium", color="text"), Column("Invoice", 96, role="mono"),
        Column("Amount", 96, right=True), Column("Check", 130),
    )  # fmt: skip
    table = TableDiff(columns, name="Recipients")
    fine = Cell("ok", "text3", icon="check")
    table.set_rows(
        [
            ("Alpina Foods", "INV-19811", "€8,904.00", fine),
            (
                "Ostwind Logistik",
                "INV-19877",
                "€4,120.00",
                Cell("too soon", "attn", "secondary_medium", "triangle-alert"),
            ),
            ("Cordis Medical", "INV-19840", "€2,310.55", Cell("non-idempotent", chip="plain")),
        ],
        flagged=(1,),
    )
    table.fit_rows()
    boxed = Surface("inset")
    column(boxed, margins=(1, 1, 1, 1)).addWidget(table)
    body.addWidget(boxed)
    return body


def cost_example(count: int = 15) -> CostState:
    """Figures like those of a run half way through."""
    steps = [
        StepCost(
            n,
            0.0002 * n,
            0.021 if n == 1 else 0.002 + 0.001 * (n * 7 % 5),
            0.002 + 0.0004 * (n % 4),
            0.003 + 0.001 * (n % 5),
        )
        for n in range(1, count + 1)
    ]
    total = CostState(steps).total
    return CostState(steps, max(0.5, total * 1.6), max(0.41, total * 1.25), round(count * 1.3), 0.92)


def _costs() -> QBoxLayout:
    body = column(spacing=10)
    for state in (cost_example(), cost_example(900), CostState((), 0.5)):
        graph = CostGraph(state)
        graph.build_plot()
        body.addWidget(graph)
    folded = CostGraph(cost_example())
    folded.set_collapsed(True)
    body.addWidget(folded)
    return body


SECTIONS: Final[tuple[tuple[str, Callable[[], QBoxLayout]], ...]] = (
    ("Text", _text),
    ("Marks", _marks),
    ("Buttons", _buttons),
    ("Gauges", _gauges),
    ("Fields", _fields),
    ("Choices", _choices),
    ("Messages", _messages),
    ("Diffs", _diffs),
    ("Costs", _costs),
)


def build_sheet(width: int = 1240) -> QWidget:
    """All sections in two columns."""
    sheet = Surface("app")
    columns = row(sheet, spacing=12, margins=(16, 16, 16, 16))
    sides = [column(spacing=12), column(spacing=12)]
    for index, (title, build) in enumerate(SECTIONS):
        card = Surface("card")
        body = column(card, spacing=12, margins=(16, 14, 16, 16))
        body.addWidget(Label(title, "section_head", "text2"))
        body.addLayout(build())
        sides[index % 2].addWidget(card)
    for side in sides:
        side.addStretch(1)
        columns.addLayout(side, 1)
    sheet.setFixedWidth(width)
    return sheet


def main() -> None:
    """Render the sheet to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--scale", type=int, default=100)
    parser.add_argument("--out", default="kit.png")
    wanted = parser.parse_args()
    app = QApplication([])
    theme().install(app)
    theme().set_mode(ThemeMode(wanted.theme))
    theme().set_scale(wanted.scale)
    sheet = build_sheet(round(1240 * wanted.scale / 100))
    sheet.show()
    layout = sheet.layout()
    if layout is not None:
        sheet.setFixedHeight(layout.totalHeightForWidth(sheet.width()))
    sheet.grab().save(wanted.out)


if __name__ == "__main__":
    main()
