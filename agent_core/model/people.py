"""People: whether two names mean one of them. Pure."""

import unicodedata


def same_person(one: str, other: str) -> bool:
    """Whether two names mean one operator, however they are written."""
    return _bare(one) == _bare(other)


def _bare(name: str) -> str:
    """A name without its case, and in one of the forms that Unicode has for the same letters."""
    folded = unicodedata.normalize("NFKC", name.strip()).casefold()
    return unicodedata.normalize("NFKC", folded)  # folding takes some letters apart that others leave whole
