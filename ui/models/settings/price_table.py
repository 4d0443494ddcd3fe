"""Prices as the table shows them, and which models are listed. Pure, but for the price list that it reads."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal

from agent_core.config.profile import Price
from agent_core.config.profile_file import ProfileListing
from agent_core.engine.price_list import PriceRow, price_rows
from ui import formatting
from ui.widgets.table import Cell

UNKNOWN = "not known: cost is shown as unknown, and no cost limit applies"


def listed_models(listings: Iterable[ProfileListing]) -> list[tuple[str, Price | None]]:
    """The models of the profiles, each once, with the price that a profile states. Scripts cost nothing and are left
    out."""
    found: dict[str, Price | None] = {}
    for listing in listings:
        profile = listing.profile
        if profile is not None and not profile.scripted and found.get(profile.model) is None:
            found[profile.model] = profile.price
    return list(found.items())


def read_prices(listings: Sequence[ProfileListing], at: datetime) -> list[PriceRow]:
    """The rows; takes a tenth of a second the first time."""
    return price_rows(listed_models(listings), at)


def price_cells(row: PriceRow) -> list[Cell | str]:
    """One row of the table."""
    if row.input is None:
        return [row.model, "–", "–", "–", "–", Cell(UNKNOWN, "attn")]
    more = f"; more above {formatting.compact_count(row.above)} tokens" if row.above is not None else ""
    figures = [rate(value) for value in (row.input, row.output, row.cache_read, row.cache_write)]
    return [row.model, *figures, f"{row.source}{more}"]


def rate(value: Decimal | None) -> str:
    """US dollars per million tokens, with every digit that counts: "$2.00", "$0.125"."""
    if value is None:
        return formatting.MISSING
    exponent = value.normalize().as_tuple().exponent
    return f"${value:,.{max(2, -exponent) if isinstance(exponent, int) else 2}f}"
