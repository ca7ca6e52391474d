"""Tests of the reading order of shapes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipelines.parse.office.shape_order import ShapeFrame, in_reading_order

EDGE = st.floats(0, 1, allow_nan=False)


@st.composite
def frames(draw: st.DrawFn) -> ShapeFrame:
    left, top = draw(EDGE), draw(EDGE)
    return ShapeFrame(left, top, left + draw(EDGE), top + draw(EDGE))


def read(**places: tuple[float, float, float, float]) -> list[str]:
    return in_reading_order(list(places), lambda name: ShapeFrame(*places[name]))


@given(st.lists(frames(), max_size=40))
def test_every_shape_is_read_once(shapes: list[ShapeFrame]) -> None:
    found = in_reading_order(list(range(len(shapes))), lambda number: shapes[number])
    assert sorted(found) == list(range(len(shapes)))


def test_two_columns_are_read_one_after_the_other() -> None:
    places = {
        "a": (0.0, 0.0, 0.4, 0.3),
        "c": (0.6, 0.0, 1.0, 0.5),
        "b": (0.0, 0.31, 0.4, 1.0),
        "d": (0.6, 0.51, 1.0, 1.0),
    }
    assert read(**places) == ["a", "b", "c", "d"]


def test_captions_are_read_with_their_pictures() -> None:
    assert read(
        two=(0.4, 0.0, 0.6, 0.1), one=(0.0, 0.0, 0.2, 0.1), first=(0.0, 0.1, 0.3, 0.4), second=(0.4, 0.1, 0.7, 0.4),
        below=(0.0, 0.7, 0.9, 0.9),
    ) == ["one", "first", "two", "second", "below"]  # fmt: skip


def test_overlapping_shapes_are_ordered_by_their_top() -> None:
    assert read(lower=(0.0, 0.3, 1.0, 0.9), upper=(0.1, 0.0, 0.9, 0.6)) == ["upper", "lower"]


def test_labels_beside_their_values_are_read_row_by_row() -> None:
    names = ["weight", "kg", "colour", "ral", "country", "pt"]
    places = {
        name: (0.6 * (index % 2), 0.2 * (index // 2), 0.6 * (index % 2) + 0.3, 0.2 * (index // 2) + 0.05)
        for index, name in enumerate(names)
    }
    assert read(**places) == names
