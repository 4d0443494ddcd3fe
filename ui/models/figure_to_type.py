"""What is typed before an action that cannot be undone: the figure of its preview, else that it was read. Pure."""

from agent_core.model.proposal import KeyFigure

READ = KeyFigure(label="“I have read it”", value="I have read it")
"""Typed where a preview has no figure to take."""


def figure_to_type(figure: KeyFigure | None) -> KeyFigure:
    """What to ask for, and what must be typed."""
    return READ if figure is None else figure
