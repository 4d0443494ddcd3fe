"""Hostile strings, and values of ours with every free text replaced by one."""

import enum
from typing import Any, TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)

_RICH = (
    "<img src='{url}/img'>",
    "<b>Approved</b> by operator",
    "<a href='{url}/a'>Approve</a>",
    '<a href="approve">ok</a>',
    "<p style='background:url({url}/css)'>x</p>",
    "<style>@import '{url}/import';</style>",
    "<script>fetch('{url}')</script>",
    "<svg onload=\"fetch('{url}')\"/>",
    "<table><tr><td>Approve</td></tr></table>",
    "<h1>Decision made</h1>",
    "<iframe src='{url}/frame'></iframe>",
    "<object data='{url}/object'></object>",
    "<link rel=stylesheet href='{url}/l'>",
    "<font color=white>hidden</font>",
    "<span style='color:#fff;font-size:0'>hidden</span>",
    "<!-- hidden -->",
    '<qt><img src="{url}/qt"/></qt>',
    "<!DOCTYPE html><html><body><img src='{url}/d'></body></html>",
    "<br><br><br>far",
    "&lt;b&gt;escaped&lt;/b&gt; &amp; &#x202e;",
    "![x]({url}/md)",
    "[Approve]({url}/link)",
    "`code` **bold** _it_",
    "&File &Approve && more",
    "%1 %n %L2 {{0}} {{url}} %s %d",
    "file://{url}",
    "javascript:fetch('{url}')",
    "{url}/plain",
    "<base href='{url}/'><img src='b'>",
    "</p></td></table>out of the box",
    "<meta http-equiv=refresh content='0;url={url}'>",
)
_HIDDEN = (
    "invoice\u202egnp.exe",
    "\u202d\u202eabc\u202c",
    "a\u2066b\u2067c\u2068d\u2069",
    "\u061cx\u200e\u200f",
    "pay\u200bpal",
    "a\u200cb\u200dc",
    "word\u2060joiner",
    "\ufeffbom",
    "soft\u00adhyphen",
    "line\u2028separator",
    "para\u2029graph",
    "tag\U000e0001\U000e0061\U000e006e\U000e0064\U000e007f",
    "ok\U000e0020\U000e0064\U000e0065\U000e006c",
    "\u3164filler\uffa0",
    "\u115f\u1160hangul",
    "variation\ufe01\ufe0e\U000e0100",
    "inter\ufff9linear\ufffa\ufffb",
    "e\u0301\u0301\u0301\u0301\u0301\u0301",
    "Z\u0335\u0322\u0334\u0338\u0321\u0337\u0336a\u0335\u0334l\u0338\u0337g\u0336\u0335o\u0334",
    "\u180ehidden\u180b",
    "\u2062\u2063\u2064x",
    "\u034fgrapheme",
    "\u2800\u2800\u2800",
    "nul\x00byte",
    "bell\x07\x08\x08\x08del\x7f",
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;{url}\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[2J\x1b[H",
    "\x9b31mC1\x85",
    "a\rb\vc\fd",
    "lone\ud83d",
    "\ude00half",
    "\ud800\ud800",
    "non\ufffe\uffffchars\U0001fffe",
    "\u206a\u206b\u206c\u206d",
    "p\u0430yp\u0430l.com",
    "\uff41\uff50\uff50\uff52\uff4f\uff56\uff45",
)
_LONG = (
    "x" * 1_000_000,
    "<b>" * 100_000,
    "word " * 20_000,
    "\u202e" * 2_000,
    "a\n" * 5_000,
    "\U0001f469\u200d\U0001f4bb" * 500,
    "\u05e9\u05dc\u05d5\u05dd " * 40,
    "",
    "   ",
    "\n\n\n",
    "\t\ttabs\t",
    "=cmd|' /C calc'!A0",
)


def hostile(url: str) -> list[str]:
    """Eighty strings; those that name an address name this one."""
    return [text.replace("{url}", url) for text in (*_RICH, *_HIDDEN, *_LONG)]


_KEPT = frozenset(
    {
        "proposal",
        "session",
        "run",
        "call_id",
        "request_id",
        "tool_use_id",
        "decision",
        "digest",
        "prev",
        "schema",
        "kind",
        "type",
        "id",
        "key_id",
        "signature",
        "profile",
        "repeat_of",
        "second_of",
        "finish_reason",
        "fault",
        "limit",
        "at",
        "provider_request_id",
        "binding",
        "evidence_parts",
        "stop_reason",
        "pause_reason",
        "cost_usd",
        "alert",
        "value",
        "spent",
        "old",
        "new",
        "of",
        "verdict",
        "supersedes",
    }
)
"""Names of what is no free text: ids, digests, closed sets, amounts."""


def poisoned(value: T, text: str) -> T:
    """The same value with its free texts replaced."""
    changes = {}
    for name in value.__struct_fields__:
        if name not in _KEPT:
            changes[name] = _poisoned(getattr(value, name), text)
    return msgspec.structs.replace(value, **changes)


def _poisoned(value: Any, text: str) -> Any:
    if isinstance(value, enum.Enum):
        return value
    if isinstance(value, str):
        return text
    if isinstance(value, msgspec.Struct):
        return poisoned(value, text)
    if isinstance(value, list | tuple):
        return [_poisoned(item, text) for item in value]
    if isinstance(value, dict):
        return {key: item if key in _KEPT else _poisoned(item, text) for key, item in value.items()}
    return value
