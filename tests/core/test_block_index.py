from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.core.block_index import BlockIndex
from pipelines.core.document import Page
from pipelines.core.provenance import Box, Span
from tests.chunk.build import document, paragraph, table

MADE = document(
    paragraph("First."), paragraph("Second."), table(["a", "b"], ["c", "d"], ["e", "f"]), *[paragraph("More.")] * 6
)


@settings(deadline=None)
@given(st.integers(0, len(MADE.text)), st.integers(0, 60))
def test_touching_returns_the_blocks_that_overlap_the_span(start: int, length: int) -> None:
    span = Span(start, start + length)
    wanted = [block.id for block in MADE.blocks if block.provenance.span.overlaps(span)]
    assert [block.id for block in BlockIndex(MADE).touching(span)] == wanted


def test_provenance_of_a_span_combines_that_of_its_blocks() -> None:
    span = Span(0, MADE.text.index("a | b") - 2)
    first, second = (block.provenance for block in MADE.blocks[:2])
    place = BlockIndex(MADE).provenance(span)
    assert (place.document, place.span, place.page, place.label) == (MADE.id, span, first.page, first.label)
    assert place.boxes == (*first.boxes, *second.boxes)


def test_provenance_of_a_table_row_has_its_cell_range() -> None:
    start = MADE.text.index("c | d")
    place = BlockIndex(MADE).provenance(Span(start, start + len("c | d")))
    assert (place.cells, place.page) == ("A2:B2", 1)


def test_a_span_of_a_paragraph_over_two_pages_has_the_page_of_its_part() -> None:
    text = "It ends on the next page, where more follows."
    boxes = (Box(1, 0, 0.9, 1, 1), Box(2, 0, 0, 1, 0.1))
    made = document(paragraph(text))
    origin = replace(made.blocks[0].provenance, page=1, label="i", boxes=boxes)
    block = replace(made.blocks[0], provenance=origin, breaks=(text.index("where"),))
    index = BlockIndex(replace(made, blocks=(block,), pages=(Page(1, "i"), Page(2, "ii"))))

    def place(part: str) -> tuple[int | None, str, tuple[Box, ...]]:
        start = text.index(part)
        found = index.provenance(Span(start, start + len(part)))
        return found.page, found.label, found.boxes

    assert place("It ends") == (1, "i", boxes[:1])
    assert place("more follows") == (2, "ii", boxes[1:])
    assert place("page, where") == place(text) == (1, "i", boxes)


def test_a_row_on_the_second_page_of_a_table_has_the_label_of_that_page() -> None:
    made = document(table(["a", "b"], ["c", "d"]))
    (block,) = made.blocks
    assert block.table is not None
    cells = tuple(replace(cell, boxes=(Box(cell.row + 1, 0, 0, 1, 1),)) for cell in block.table.cells)
    block = replace(block, table=replace(block.table, cells=cells), provenance=replace(block.provenance, label="i"))
    index = BlockIndex(replace(made, blocks=(block,), pages=(Page(1, "i"), Page(2, "ii"))))
    start = made.text.index("c | d")
    place = index.provenance(Span(start, start + len("c | d")))
    assert (place.page, place.label) == (2, "ii")


def test_a_span_outside_all_blocks_has_no_page() -> None:
    assert BlockIndex(MADE).provenance(Span(6, 8)).page is None


def test_table_rows_are_found_by_span() -> None:
    layout = BlockIndex(MADE)
    block = MADE.blocks[2]
    rows = layout.rows(block)
    assert [span.slice(MADE.text) for span in rows.spans] == ["a | b", "c | d", "e | f"]
    assert list(rows.touching(Span(rows.spans[1].start, rows.spans[2].start + 1))) == [1, 2]
    assert list(rows.touching(Span(rows.spans[0].end, rows.spans[1].start))) == []
    assert layout.rows(MADE.blocks[0]).spans == ()


def test_the_block_that_follows_is_the_next_in_the_text() -> None:
    layout = BlockIndex(MADE)
    assert layout.following(MADE.blocks[0]) == MADE.blocks[1]
    assert layout.following(MADE.blocks[-1]) is None
