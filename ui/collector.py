"""Garbage is collected on the GUI thread only.

Python collects in whichever thread happens to allocate. In a worker thread that would end old widgets and their timers
there, which Qt forbids and answers with a crash sooner or later.
"""

import gc

from PySide6.QtCore import QObject, QTimer

LOOK_MS = 1_000


class Collector(QObject):
    """Switches automatic collection off, and looks once a second whether a generation is due."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        gc.disable()
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Collect the oldest generation that is due."""
        counts = gc.get_count()
        due = [generation for generation, limit in enumerate(self._thresholds) if limit and counts[generation] > limit]
        if due:
            gc.collect(due[-1])

    def close(self) -> None:
        """Back to Python's own way."""
        self._timer.stop()
        gc.enable()
