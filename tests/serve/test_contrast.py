"""Tests of the explorer's colours in light and dark (WCAG 2.2, 1.4.3: a contrast of at least 4.5 for text)."""

from __future__ import annotations

import re

import pytest

from serve.render import STATIC

LEAST = 4.5
GROUNDS = ("back", "card")
INKS = ("text", "quiet", "link", "warn", "good")


def palettes() -> list[dict[str, str]]:
    """The colours of both schemes by name."""
    style = (STATIC / "strata.css").read_text()
    return [
        dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", block)) for block in re.findall(r":root\s*{([^}]*)}", style)
    ]


def luminance(color: str) -> float:
    """The relative luminance of a colour (WCAG 2.2, definitions)."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_colour_has_enough_contrast_on_every_background(scheme: int) -> None:
    assert len(palettes()) == 2
    colors = palettes()[scheme]
    pairs = [(ink, ground) for ink in INKS for ground in GROUNDS] + [("text", "mark")]
    assert {pair: found for pair in pairs if (found := contrast(*(colors[name] for name in pair))) < LEAST} == {}
