"""Tests of grouping the labels of a drawing by part."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipelines.parse.lines import Line, Rect
from pipelines.parse.near import is_running, parts_of


def label(text: str, left: float, top: float, width: float = 40.0) -> Line:
    return Line(text, Rect(left, top, left + width, top + 10))


def test_labels_of_two_circuits_at_the_same_height_are_not_mixed() -> None:
    lines = [label("Pump", 0, 0), label("9V", 300, 0), label("Tank", 0, 20), label("Buzzer", 300, 20)]
    assert [part.text for part in parts_of(lines)] == ["Pump\nTank", "9V\nBuzzer"]


def test_a_label_on_two_lines_is_joined() -> None:
    lines = [label("Wall", 0, 0), label("Fuse", 60, 3), label("Plug", 2, 12)]
    assert [part.text for part in parts_of(lines)] == ["Wall Plug\nFuse"]


def test_short_lines_are_labels_and_sentences_are_running_text() -> None:
    assert not is_running([label("Pump", 0, 0), label("Tank", 0, 20)])
    assert is_running([label("The pump is switched off.", 0, 0)])
    assert parts_of([]) == []


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), max_size=40))
def test_no_label_is_lost(places: list[tuple[int, int]]) -> None:
    lines = [label(f"L{number}", x, y) for number, (x, y) in enumerate(places)]
    said = [word for part in parts_of(lines) for word in part.text.split()]
    assert sorted(said) == sorted(line.text for line in lines)
