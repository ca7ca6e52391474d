"""Tests of checking numbers in claims: a number must be in a source or computed from numbers in sources."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.lang.arithmetic import clauses, factors_in, operations_in, unsupported

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import figures_in_claims as benchmark

SOURCES = (
    "The fan takes 12 kW and the pump 8 kW. The K65 weighs 148 kg, the K80 395 kg.",
    "1,104.84 in one, 1044.72 in the other; 50 m, 15 mm, 30 %.",
)


def test_small_numbers_may_be_written_as_words() -> None:
    assert unsupported("3 valves, 2 times", ["three valves", "twice"]) == []


def test_a_number_in_no_source_is_unsupported() -> None:
    assert unsupported("It holds 17 l at 3 bar", ["It holds 16 l at 3 bar"]) == ["17"]


@pytest.mark.parametrize(
    "claim",
    [
        "12 kW + 8 kW = 20 kW",
        "Together they take 20 kW (12 + 8).",
        "20 kW = 12 kW + 8 kW",
        "(12 kW + 8 kW) × 2 = 40 kW",
        "K80 (395 kg) − K65 (148 kg) = 247 kg",
        "50 − 12 − 8 = 30",
        "The K80 weighs 395 kg, 247 kg more than the K65 (148 kg).",
        "1,104.84 is 60.12 more than 1044.72.",
        "From 12 to 8, 4 less.",
        "De 12 à 8, 4 de moins.",
        "Der Unterschied zwischen 395 kg und 148 kg ist 247 kg.",
        "12 kW 和 8 kW 合计 20 kW。",
        "twice 15 mm is 30.0 mm",
        "30 % of 50 is 15.0",
        "148 kg of 395 kg are 37.47 %.",
        "148 / 395 = 37 %",
        "15 mm × 8 = 120 mm",
        "8 bolts at 15 mm each: 120 mm",
        "The average of 12 and 8 is 10.",
        "12 + 8 = 20 kW, and 20 kW × 12 = 240 kWh",
    ],
)
def test_a_number_computed_from_the_sources_is_supported(claim: str) -> None:
    assert unsupported(claim, [*SOURCES, "2 pumps, 1 fan, 18"]) == []


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("They take 20 kW.", ["20"]),
        ("60.12 more", ["60.12"]),
        ("12 kW, 8 kW, 20 kW", ["20"]),
        ("12 kW + 8 kW = 21 kW", ["21"]),
        ("12 kW + 9 kW = 21 kW", ["9", "21"]),
        ("The K80 weighs 395 kg, 237 kg more than the K65 (148 kg).", ["237"]),
        ("148 / 395 = 38 %", ["38"]),
        ("twice 15 mm is 31 mm", ["31"]),
        ("12-8 bolts of 4 mm", ["4"]),
        ("12 kW and 8 kW. In total 20.", ["20"]),
    ],
)
def test_a_computed_number_needs_its_operation_operands_and_the_right_result(claim: str, wrong: list[str]) -> None:
    assert unsupported(claim, SOURCES) == wrong


@given(st.text(max_size=100))
def test_any_text_supports_itself(text: str) -> None:
    assert unsupported(text, [text]) == []


@given(st.text(alphabet="0123456789.,+-−×/=%() xkW合计more", max_size=60))
def test_any_text_can_be_checked(text: str) -> None:
    assert isinstance(unsupported(text, ["12 kW, 8 kW"]), list)


def test_operations_are_recognized_in_many_languages() -> None:
    for text in ("8 more than 12", "8 mehr als 12", "8 de plus que 12", "8 más que 12", "比12多8", "12より8多い"):
        assert "difference" in operations_in(text)
    assert factors_in("die doppelte Länge") == (2.0,)
    assert operations_in("casing bolts") == frozenset()


@given(st.text(max_size=60))
def test_clauses_cover_a_text(text: str) -> None:
    found = clauses(text)
    assert "".join(span.slice(text) for span in found) == text


def test_at_most_few_wrong_numbers_and_all_right_ones_are_supported() -> None:
    lines = benchmark.sentences_with_figures(benchmark.EXAMPLES)
    passing = {name: benchmark.share_passing(kind, 20, lines, 40, 7) for name, kind in benchmark.KINDS.items()}
    assert passing["wrong, in its sentence"] < 3
    assert passing["wrong, stated"] < 3
    assert passing["wrong, among operands"] < 10
    assert passing["right, in its sentence"] == passing["right, stated"] == 100
