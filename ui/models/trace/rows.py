"""Rows of the trace as compact columns: about thirty bytes a row, whatever its event weighs.

A row names its kind, the event that it stands for, the block of a response where it is one of several, the step that it
belongs to and, as a chain, the later events that changed it. Words are made from the events when a row is looked at.
"""

from array import array

from agent_core.model.outline import RowKind

__all__ = ["NONE", "RowKind", "RowStore"]

NONE = 0xFFFF_FFFF
"""No row, no event."""
_LAST_BLOCK = 0xFFFF


class RowStore:
    """The columns. Rows are only ever appended; a row that no longer counts becomes GONE."""

    __slots__ = ("anchors", "blocks", "heads", "kinds", "link_events", "link_previous", "tails")

    def __init__(self) -> None:
        self.kinds = bytearray()
        self.anchors = array("I")
        self.blocks = array("H")
        self.heads = array("I")
        self.tails = array("I")
        self.link_events = array("I")
        self.link_previous = array("I")

    def __len__(self) -> int:
        return len(self.kinds)

    def append(self, kind: RowKind, anchor: int, head: int = NONE, block: int = 0) -> int:
        """A new row at the end; its number."""
        self.kinds.append(kind)
        self.anchors.append(anchor)
        self.blocks.append(min(block, _LAST_BLOCK))
        self.heads.append(head)
        self.tails.append(NONE)
        return len(self.kinds) - 1

    def link(self, row: int, event: int) -> None:
        """Note that a later event says more about a row."""
        self.link_events.append(event)
        self.link_previous.append(self.tails[row])
        self.tails[row] = len(self.link_events) - 1

    def links(self, row: int) -> list[int]:
        """The later events of a row, oldest first."""
        found = []
        link = self.tails[row]
        while link != NONE:
            found.append(self.link_events[link])
            link = self.link_previous[link]
        found.reverse()
        return found

    @property
    def size(self) -> int:
        """Bytes in use."""
        columns = (self.anchors, self.blocks, self.heads, self.tails, self.link_events, self.link_previous)
        return len(self.kinds) + sum(len(column) * column.itemsize for column in columns)
