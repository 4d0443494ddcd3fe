"""General: look, size, motion, and how irreversible approvals are pressed."""

from agent_core.config.settings import Settings
from agent_core.config.settings_list import SETTINGS, Page
from ui.views.settings.frame import Card, Part
from ui.views.settings.setting_row import SettingRow


class GeneralPart(Part):
    """Every setting that is declared for the general page."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("General")
        rows = {s.key: SettingRow(settings, s) for s in SETTINGS if s.page is Page.GENERAL}
        card = Card()
        for row in rows.values():
            card.add_row(row)
        self.rows = rows
        self.body.addWidget(card)
        self.body.addStretch(1)
