"""The cost of reading grows at most linearly with the size: calls are counted at a size and at eight times that."""

from __future__ import annotations

import cProfile
import pstats
from pathlib import Path

import pytest

from pipelines.core.codec import collector_paused
from pipelines.core.outcome import Status
from pipelines.parse.parse import parse, source_of
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import OcrSettings, ParseSettings, PdfSettings
from pipelines.parse.web.dom import parse_html
from tests.parse.heavy_files import KINDS, Heavy

SETTINGS = ParseSettings(ocr=OcrSettings(engine="none"), pdf=PdfSettings(layout="rules"))
SMALL, PROPORTIONATE = 1024, 8 * 1.5
"""The fraction of a megabyte that is measured, and the maximum cost ratio of eight times that: half as much again."""
MANY = {"islands.xlsx": 16}
"""Kinds that are measured at so many times the size: pairs of items outweigh the items only there."""
OTHERWISE_BOUND = {"deepening.html", "nested.json", "open-groups.rtf", "row-spans.html", "repeated.ods"}
"""Kinds whose items differ: their cost is bounded by the limits of depth and of table positions."""


def calls_of(kind: Heavy, size: int, folder: Path) -> tuple[int, Parsed]:
    path = folder / f"{size}-{kind.name}"
    path.write_bytes(kind.make(size))
    source = source_of(path, kind.name)
    with collector_paused(), cProfile.Profile() as profile:  # finalizers of objects of other tests must not be counted
        parsed = parse(path, source, SETTINGS)
    return pstats.Stats(profile).total_calls, parsed


@pytest.mark.parametrize(
    "kind", [kind for name, kind in KINDS.items() if name not in OTHERWISE_BOUND], ids=lambda kind: kind.name
)
def test_eight_times_the_size_costs_eight_times_as_many_calls(kind: Heavy, tmp_path: Path) -> None:
    n = max(12, kind.full // SMALL) * MANY.get(kind.name, 1)
    calls_of(kind, 2, tmp_path)  # loads modules and data once
    few, _ = calls_of(kind, n, tmp_path)
    many, parsed = calls_of(kind, 8 * n, tmp_path)
    assert parsed.status in (Status.INDEXED, Status.PARTIAL, Status.EMPTY, Status.TOO_LARGE), parsed.reason
    assert many <= PROPORTIONATE * few, f"{few} calls at {n}, {many} at {8 * n}"


def test_an_element_keeps_its_first_attributes_and_its_text() -> None:
    root = parse_html(
        b"<p class=x title='a > b'>first</p><p " + b" ".join(b"a%d='v'" % n for n in range(9000)) + b">valve</p>"
    )
    first, second = root.iter("p")
    assert first.get("title") == "a > b"
    assert 900 < len(second.attrib) <= 1000
    assert second.text == "valve"
