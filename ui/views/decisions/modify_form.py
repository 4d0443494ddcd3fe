"""Modify: the arguments as fields, checked while typing against schema, gate and preview, with the new diff at hand."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from PySide6.QtWidgets import QWidget

from agent_core.model.intents import Trial
from agent_core.model.proposal import Proposal
from ui.models.schema_form import schema_fields
from ui.theme import px
from ui.tokens import ToneName
from ui.views.decisions.argument_field import ArgumentField, ItemsEditor, read_fields
from ui.views.decisions.change_part import ChangePart, scroll_to_unseen
from ui.views.decisions.changes import draw_change
from ui.views.decisions.decision_form import Filled
from ui.views.decisions.tried_form import TriedForm, TryOut
from ui.widgets.button import Button
from ui.widgets.containers import HfwScrollArea
from ui.widgets.field import Field
from ui.widgets.label import Label
from ui.widgets.surface import Surface, clear, column, row

_LEAST_HEIGHT = 96
_LISTS = "lists"
_LONGEST_LIST = 200
"""Objects of a list that come back after a restart: more would keep the window from answering."""


class ModifyForm(TriedForm):
    """The complete new arguments. Complete when the trial found nothing wrong and something differs."""

    takes_the_body = True

    def __init__(self, card: Proposal, try_out: TryOut) -> None:
        super().__init__(card, try_out)
        self._card = card
        self._parts: list[ChangePart] = []
        self._fields = [ArgumentField(spec, self.edited) for spec in schema_fields(card.schema, card.arguments)]
        self._reset = Button("Reset", "ghost", height=26)
        self._reset.clicked.connect(self._put_back)
        self._override = Field(placeholder="Reason (below the threshold)", name="Reason")
        self._override.setObjectName("card.form.text")
        self._preview = column(None, 6)
        self._build()

    def _build(self) -> None:
        layout = column(self, 10)
        content = Surface("panel")
        inner = column(content, 10, (0, 0, 8, 0))
        for argument in self._fields:
            inner.addWidget(argument)
        inner.addLayout(self._preview)
        inner.addStretch(1)
        self._area = HfwScrollArea("Arguments", content)
        self._area.setObjectName("card.form.arguments")
        self._area.setMinimumHeight(px(_LEAST_HEIGHT))
        layout.addWidget(self._area, 1)
        line = row(None, 6)
        line.addWidget(self.state)
        line.addStretch(1)
        line.addWidget(self._reset)
        layout.addLayout(line)
        layout.addWidget(self._override)
        layout.addWidget(self.figure_line)
        self._override.setVisible(False)
        self._override.textChanged.connect(lambda _text: self.changed.emit())

    def _put_back(self) -> None:
        for argument in self._fields:
            argument.put_back()

    def arguments(self) -> dict[str, Any] | None:
        """The whole new object; None while a field cannot be read."""
        return read_fields(self._fields)

    def is_unchanged(self, arguments: dict[str, Any]) -> bool:
        """Whether they are what the model asked for."""
        return arguments == self._card.arguments

    def show_trial(self, trial: Trial) -> None:
        """What is wrong at which field, and what would change."""
        for argument in self._fields:
            argument.show_trial(trial)
        self._override.setVisible(self._below() and not trial.errors)
        self._show_preview(trial)

    def valid_words(self) -> tuple[str, ToneName, str]:
        """With the confidence, where it is too low."""
        if self._below():
            return f"confidence {self._score()}, below the threshold", "attn", "triangle-alert"
        return super().valid_words()

    def _below(self) -> bool:
        trial = self.trial
        return trial is not None and trial.confidence is not None and trial.confidence.below_threshold

    def _score(self) -> str:
        score = self.trial.confidence.score if self.trial is not None and self.trial.confidence is not None else None
        return f"{score:.2f}" if score is not None else "unknown"

    def _show_preview(self, trial: Trial) -> None:
        clear(self._preview)
        self._parts.clear()
        for part in self._preview_parts(trial):
            self._preview.addWidget(part)

    def _preview_parts(self, trial: Trial) -> Iterator[QWidget]:
        if trial.errors:
            return
        for argument in self._fields:
            if (compared := argument.against_proposed()) is not None:
                yield Label(f"Proposed against yours: {argument.spec.name}", "section_head", "text2")
                yield compared
        if trial.what_changes is not None:
            yield Label("With your edit", "section_head", "text2")
            self._parts.extend(draw_change(change) for change in trial.what_changes.parts)
            for part in self._parts:
                part.watch(self.changed.emit)
                yield part.widget

    def unseen(self) -> bool:
        """Whether what would change with the edit was not shown to its end yet."""
        return not all(part.seen() for part in self._parts)

    def show_unseen(self) -> bool:
        """Scroll on in what would change."""
        return scroll_to_unseen(self._parts, self._area)

    def renewed(self, card: Proposal) -> bool:
        """What was typed stays for the new version, and is tried anew; not where the call itself was changed."""
        if card.arguments != self._card.arguments:
            return False
        self._card = card
        self.edited()
        return True

    def entries(self) -> dict[str, Any]:
        """Besides what stands in the fields: which objects each list has."""
        lists = {one.objectName(): sorted(one.items) for one in self.findChildren(ItemsEditor)}
        return {**super().entries(), _LISTS: lists}

    def enter(self, entries: Mapping[str, Any]) -> None:
        """The objects first: they bring their fields."""
        lists = _lists(entries)
        for name in sorted(lists, key=len):
            editor = self.findChild(ItemsEditor, name)
            if isinstance(editor, ItemsEditor):
                editor.take_up(lists[name])
        super().enter(entries)

    def about(self) -> str:
        """The call that it edits."""
        return hashlib.sha256(msgspec.json.encode(self._card.arguments, order="sorted")).hexdigest()

    def problem(self) -> str:
        """As every tried form; below the threshold it takes a reason."""
        if self.trial is None or self.trial.errors or not self._below():
            return super().problem()
        return "" if self._override.text().strip() else "Below the threshold: give a reason."

    def filled(self) -> Filled:
        """The arguments that were tried."""
        return Filled(arguments=self.asked, reason=self._override.text().strip() or None)

    def first_field(self) -> QWidget | None:
        """The first argument."""
        return self._fields[0].editor if self._fields else None


def _lists(entries: Mapping[str, Any]) -> dict[str, list[int]]:
    """Which objects each list has; no list where what was kept is none."""
    try:
        lists = msgspec.convert(entries.get(_LISTS, {}), dict[str, list[int]])
    except msgspec.ValidationError:
        return {}
    return {name: numbers for name, numbers in lists.items() if len(numbers) <= _LONGEST_LIST}
