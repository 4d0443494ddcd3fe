"""Parts of pages: no script, no picture, no address. Text from outside is escaped, and what it hides is shown."""

import html
import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

_STYLE = (
    ":root{color-scheme:light dark;--ink:#1c2330;--dim:#5b6675;--line:#d9dee6;--well:#f4f6f9;--bad:#b3261e;"
    "--add:#0b6b3a}"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6eaf0;--dim:#9aa5b4;--line:#343c48;--well:#1b2028;--bad:#ff8a80;"
    "--add:#6fd39b}body{background:#12161c}}"
    "body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);max-width:64em;margin:2em auto;padding:0 1em}"
    "h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em;border-bottom:1px solid var(--line)}h3{font-size:1em}"
    "table{border-collapse:collapse}th{text-align:left;font-weight:600;white-space:nowrap}"
    "th,td{vertical-align:top;padding:.15em 1.5em .15em 0}td{overflow-wrap:anywhere}.grid td,.grid th{text-align:right;"
    "border-bottom:1px solid var(--line)}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--well);"
    "padding:.75em;margin:.5em 0}article{border:1px solid var(--line);border-radius:6px;padding:0 1em 1em;margin:1em 0}"
    "details>summary{cursor:pointer;overflow-wrap:anywhere}.dim{color:var(--dim)}.bad{color:var(--bad)}"
    "ins{color:var(--add);text-decoration:none}del{color:var(--bad);text-decoration:none}"
)


def page(title: str, body: Iterable[str]) -> bytes:
    """A whole page. Its policy forbids the browser to load or run anything."""
    head = (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{text(title)}</title><style>{_STYLE}</style><h1>{text(title)}</h1>"
    )
    return "".join((head, *body, "</html>\n")).encode()


def text(value: object) -> str:
    """Text as it is, inert."""
    return html.escape(visible(str(value)))


def facts(rows: Iterable[tuple[str, object]]) -> str:
    """Names and values; those that say nothing are left out."""
    lines = (f"<tr><th>{text(name)}<td>{text(value)}" for name, value in rows if value not in (None, ""))
    return f"<table>{''.join(lines)}</table>"


def grid(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of figures."""
    head = "".join(f"<th>{text(column)}" for column in columns)
    lines = ("<tr>" + "".join(f"<td>{text(cell)}" for cell in row) for row in rows)
    return f'<table class="grid"><tr>{head}{"".join(lines)}</table>'


def listed(items: Iterable[object]) -> str:
    """A list of sentences."""
    lines = "".join(f"<li>{text(item)}" for item in items)
    return f"<ul>{lines}</ul>" if lines else ""


def data(value: Any) -> str:
    """A value as JSON, whole."""
    return f"<pre>{text(json.dumps(value, ensure_ascii=False, indent=2, default=str))}</pre>"


def diff(lines: Iterable[str]) -> str:
    """The lines of a unified diff."""
    return f"<pre>{'<br>'.join(_marked(lines))}</pre>"


def _marked(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        tag = {"+": "ins", "-": "del"}.get(line[:1])
        yield f"<{tag}>{text(line)}</{tag}>" if tag else text(line)


def visible(value: str) -> str:
    """Characters that show nothing, or turn the order of others, as their numbers; lines and tabs stay."""
    return "".join(
        f"⟨U+{ord(char):04X}⟩" if unicodedata.category(char) in ("Cc", "Cf", "Cs") and char not in "\n\t" else char
        for char in value
    )
