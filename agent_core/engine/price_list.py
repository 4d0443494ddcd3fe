"""Prices as screens list them: US dollars per million tokens, as runs are charged today."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

import msgspec

from agent_core.config.profile import Price
from agent_core.providers.pricing import PriceBook


class PriceRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one model costs; all None where the price is not known. `above` says where a dearer tier begins (tokens)."""

    model: str
    input: Decimal | None = None
    output: Decimal | None = None
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    source: str = ""
    above: int | None = None


def price_rows(models: Iterable[tuple[str, Price | None]], at: datetime) -> list[PriceRow]:
    """One row a model, with the price that its profile states where it does. Reads the price list: not on the GUI
    thread."""
    book = PriceBook()
    return [_row(book, model, own, at) for model, own in models]


def _row(book: PriceBook, model: str, own: Price | None, at: datetime) -> PriceRow:
    price = book.price(model, at, own)
    if price is None:
        return PriceRow(model=model)
    rates = price.tiers[0].rates
    return PriceRow(
        model=model,
        input=rates.input,
        output=rates.output,
        cache_read=rates.cache_read,
        cache_write=rates.cache_write_5m,
        source=price.source,
        above=price.tiers[1].above if len(price.tiers) > 1 else None,
    )
