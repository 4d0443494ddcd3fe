"""Cache marks of the Messages API. They are spliced in when a request is built, so that stored bytes stay as they are.

At most four: the last tool, the system prompt, the newest user message, and the one before, which the last request
had marked: a turn of many calls lies further back than the service looks for a known prefix.
"""

from collections.abc import Sequence

import msgspec

MARK = {"type": "ephemeral"}
_END = b"}]}"
_SPLICED = b',"cache_control":' + msgspec.json.encode(MARK) + _END
_USER = b'{"role":"user"'
_USER_MARKS = 2


def takes_marks(model: str) -> bool:
    """Whether a model is known to take cache marks: other servers' models may refuse what they do not know."""
    return model.startswith("claude-")


def with_marks(messages: Sequence[msgspec.Raw]) -> list[msgspec.Raw]:
    """The messages as they are sent, the last two user messages marked on their last block."""
    marked, left = list(messages), _USER_MARKS
    for place in range(len(marked) - 1, -1, -1):
        plain = bytes(marked[place])
        if plain.startswith(_USER):
            assert plain.endswith(_END)
            marked[place] = msgspec.Raw(plain.removesuffix(_END) + _SPLICED)
            left -= 1
            if not left:
                break
    return marked
