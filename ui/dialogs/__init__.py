"""Dialogs, always opened with `open()` or `show()`: a nested event loop would break the tasks of the agents."""
