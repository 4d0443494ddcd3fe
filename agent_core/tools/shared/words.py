"""Words that summaries and errors are made of: counts, sizes, names that cannot break a line."""

import unicodedata


def count(number: int, one: str, many: str | None = None) -> str:
    """ "1 file", "14 files", "1,200 files"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(number: int) -> str:
    """Bytes for people, in powers of ten: "812 bytes", "2.3 kB", "2.3 MB"."""
    if number < 1000:
        return count(number, "byte")
    amount = float(number)
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if amount < 999.95:
            return f"{amount:.1f} {unit}"
    return f"{amount / 1000:.1f} TB"


def shown(name: str) -> str:
    """A name from outside in a sentence: control, format and line-breaking characters become visible escapes."""
    if name.isascii() and name.isprintable():
        return name
    return "".join(_visible(character) for character in name)


def shown_folder(name: str, root: str = "the workspace") -> str:
    """The name of a folder in a sentence: the root of the workspace is called so, not by its dot."""
    return root if name == "." else shown(name)


def _visible(character: str) -> str:
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        code = ord(character)
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return character
