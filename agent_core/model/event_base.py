"""What every kind of event has in common."""

from typing import ClassVar

import msgspec


class EventData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of every event's data; `kind` is its name in the journal."""

    kind: ClassVar[str]
