"""Property of the arrangements of shapes: nothing is lost or read twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipelines.parse.office.arrangements import TextShape, arranged
from pipelines.parse.office.shape_order import ShapeFrame

EDGES = st.integers(0, 3).map(lambda place: place / 4)
FRAMES = st.builds(lambda x, y: ShapeFrame(x, y, x + 0.2, y + 0.2), EDGES, EDGES)
LINES = st.lists(st.just("a"), min_size=1, max_size=2).map(tuple)


@given(st.lists(st.tuples(FRAMES, LINES, st.booleans(), st.booleans()), max_size=12))
def test_each_shape_is_in_exactly_one_arrangement(
    shapes: list[tuple[ShapeFrame, tuple[str, ...], bool, bool]],
) -> None:
    found = arranged([TextShape(place, *shape) for place, shape in enumerate(shapes)])
    assert sorted(shape.item for one in found for shape in one.shapes) == list(range(len(shapes)))


def test_an_arrow_above_a_text_is_no_step_as_well() -> None:
    tops = [TextShape(place, ShapeFrame(place / 4, 0, place / 4 + 0.2, 0.2), ("a",), arrow=True) for place in range(3)]
    below = [TextShape(place + 3, ShapeFrame(place / 4, 0.25, place / 4 + 0.2, 0.4), ("b",)) for place in range(2)]
    assert [[shape.item for shape in one.shapes] for one in arranged([*tops, *below])] == [[0, 3], [1, 4], [2]]
