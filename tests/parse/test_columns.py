from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipelines.parse.columns import in_rows, read_columns, reading_order
from pipelines.parse.lines import Line, Rect

PROSE = "a line of running text"


def line(text: str, left: float, top: float, width: float = 200, height: float = 10) -> Line:
    return Line(text, Rect(left, top, left + width, top + height))


def column(name: str, left: float, count: int = 8, top: float = 100) -> list[Line]:
    return [line(f"{name} {number} {PROSE}", left, top + 14 * number) for number in range(count)]


def names(groups: list[list[Line]]) -> list[str]:
    return [item.text.split()[0] for group in groups for item in group]


def test_two_columns_are_read_one_after_the_other() -> None:
    mixed = sorted([*column("left", 50), *column("right", 280)], key=lambda item: item.rect.top)
    assert names(reading_order(mixed)) == ["left"] * 8 + ["right"] * 8


def test_three_columns_are_read_one_after_the_other() -> None:
    parts = [*column("one", 0, 6), *column("two", 230, 6), *column("three", 460, 6)]
    assert names(reading_order(parts[::-1])) == ["one"] * 6 + ["two"] * 6 + ["three"] * 6


def test_a_line_across_the_columns_divides_them() -> None:
    head = line("head over both", 50, 60, 430)
    rule = line("middle over both", 50, 260, 430)
    below = [*column("left", 50, top=300), *column("right", 280, top=300)]
    order = names(reading_order([*column("left", 50), head, *column("right", 280), rule, *below]))
    assert order == ["head", *["left"] * 8, *["right"] * 8, "middle", *["left"] * 8, *["right"] * 8]


def test_labels_and_values_are_read_across() -> None:
    parts = [line(f"key{number}", 50, 100 + 20 * number, 40) for number in range(6)]
    parts += [line(f"{number}.5", 300, 100 + 20 * number, 30) for number in range(6)]
    order = [item.text for group in read_columns(parts) for item in group]
    assert order[:4] == ["key0", "0.5", "key1", "1.5"]


def test_a_wide_gap_separates_a_drawing_from_its_legend() -> None:
    drawing = [line(f"d{number}", 50 + 7 * number, 100 + 31 * number, 30) for number in range(8)]
    legend = [line(f"l{number}", 600, 113 + 23 * number, 60) for number in range(8)]
    order = [item.text[0] for group in read_columns([*drawing, *legend]) for item in group]
    assert order == ["d"] * 8 + ["l"] * 8


def test_pieces_of_one_row_are_read_from_the_left() -> None:
    assert [item.text for item in in_rows([line("b", 90, 101, 20), line("a", 50, 100, 20), line("c", 50, 130)])] == [
        "a",
        "b",
        "c",
    ]


BOXES = st.builds(
    line,
    st.text("abcdefgh ", min_size=1, max_size=30),
    st.floats(0, 500),
    st.floats(0, 800),
    st.floats(1, 300),
    st.floats(4, 30),
)


@given(st.lists(BOXES, max_size=40))
def test_every_line_is_read_exactly_once(lines: list[Line]) -> None:
    read = [item for group in read_columns(lines) for item in group]
    assert sorted(read, key=repr) == sorted(lines, key=repr)
