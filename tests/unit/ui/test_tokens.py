from typing import get_args

import pytest

from ui.tokens import (
    CONTRAST_PAIRS,
    DARK,
    LIGHT,
    TONES,
    TYPE_SCALE,
    ColorName,
    Palette,
    Role,
    ToneName,
    contrast_ratio,
    failing_pairs,
    high_contrast,
)

PALETTES = [LIGHT, DARK, high_contrast(LIGHT), high_contrast(DARK)]


@pytest.mark.parametrize("palette", PALETTES, ids=["light", "dark", "light high", "dark high"])
def test_every_pair_has_its_contrast(palette: Palette) -> None:
    assert failing_pairs(palette) == []


def test_the_table_of_pairs_is_not_shortened() -> None:
    assert len(CONTRAST_PAIRS) >= 39


@pytest.mark.parametrize("palette", PALETTES)
def test_a_palette_has_every_colour_and_no_other(palette: Palette) -> None:
    assert set(palette.colors) == set(get_args(ColorName))
    assert all(len(color) == 7 and color.startswith("#") for color in palette.colors.values())


def test_tones_and_styles_are_complete() -> None:
    assert set(TONES) == set(get_args(ToneName))
    assert set(TYPE_SCALE) == set(get_args(Role))


def test_nothing_needed_to_decide_is_smaller_than_11_px() -> None:
    small = {role for role, style in TYPE_SCALE.items() if style.px < 11}
    assert small == {"axis", "key_hint"}


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    [
        ("#000000", "#FFFFFF", 21.0),
        ("#FFFFFF", "#000000", 21.0),
        ("#777777", "#777777", 1.0),
        ("#1A1C20", "#ECEDEF", 14.6),
    ],
)
def test_contrast_is_that_of_the_standard(first: str, second: str, ratio: float) -> None:
    assert contrast_ratio(first, second) == pytest.approx(ratio, abs=0.05)


def test_high_contrast_never_lowers_a_ratio_that_matters() -> None:
    for palette in (LIGHT, DARK):
        strong = high_contrast(palette)
        for foreground in ("text2", "text3"):
            before = contrast_ratio(palette[foreground], palette["bg_raised"])
            assert contrast_ratio(strong[foreground], strong["bg_raised"]) > before
