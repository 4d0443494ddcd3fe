"""Values as plain JSON data for others to read: every field stands there, also where it holds its default."""

from collections.abc import Mapping
from typing import Any

import msgspec


def plain(value: object) -> Any:
    """`value` as objects, lists, texts and numbers. The journal leaves out defaults; readers need not know them."""
    if isinstance(value, msgspec.Struct):
        config = value.__struct_config__
        tag = {} if config.tag_field is None else {config.tag_field: config.tag}
        return tag | {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return msgspec.to_builtins(value)
