"""Tests of slides: titles, lists, tables, order, notes and links."""

from __future__ import annotations

from collections.abc import Callable

from pipelines.core.document import BlockKind, Document, ReferenceKind
from pipelines.parse.parsed import Parsed
from tests.parse.office.files import pptx, relationships, shape, slide

DocumentOf = Callable[..., Document]


def shown(document: Document) -> list[tuple[int | None, str, str]]:
    return [(block.provenance.page, block.kind.value, block.text) for block in document.blocks]


def table(*rows: str) -> str:
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="1" name="T"/><p:nvPr/></p:nvGraphicFramePr><p:xfrm>'
        '<a:off x="0" y="0"/><a:ext cx="5000" cy="5000"/></p:xfrm><a:graphic><a:graphicData><a:tbl>'
        f'<a:tblPr firstRow="1"/>{"".join(rows)}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>'
    )


def cell(text: str, attributes: str = "") -> str:
    return f"<a:tc {attributes}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"


def test_a_title_is_a_heading_and_comes_first(document_of: DocumentOf) -> None:
    document = document_of("a.pptx", pptx(shape("body", at=(0, 0, 100, 100)) + shape("The", "plan", kind="title")))
    assert shown(document) == [(1, "heading", "The plan"), (1, "paragraph", "body")]


def test_shapes_are_read_by_position_and_not_in_file_order(document_of: DocumentOf) -> None:
    tree = (
        shape("last", at=(0, 8000, 9000, 900))
        + shape("right", at=(5000, 100, 4000, 5000))
        + shape("left", at=(0, 0, 4000, 6000))
    )
    document = document_of("a.pptx", pptx(tree))
    assert [text for _, _, text in shown(document)] == ["left", "right", "last"]
    (box,) = document.blocks[0].provenance.boxes
    assert (box.page, box.left, box.right, box.bottom) == (1, 0.0, 0.4, 0.6)


def test_a_shape_outside_the_slide_has_text_but_no_box(document_of: DocumentOf) -> None:
    tree = shape("on the edge", at=(9000, 0, 4000, 900)) + shape("beside it", at=(12000, 4000, 4000, 900))
    boxes = {block.text: block.provenance.boxes for block in document_of("a.pptx", pptx(tree)).blocks}
    assert [(box.left, box.right) for box in boxes["on the edge"]] == [(0.9, 1.0)]
    assert boxes["beside it"] == ()


def test_a_group_is_read_together_with_positions_on_the_slide(document_of: DocumentOf) -> None:
    inside = shape("second", at=(50, 0, 50, 100)) + shape("first", at=(0, 0, 50, 100))
    group = (
        '<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="4000" cy="4000"/><a:chOff x="0" y="0"/>'
        f'<a:chExt cx="100" cy="100"/></a:xfrm></p:grpSpPr>{inside}</p:grpSp>'
    )
    document = document_of("a.pptx", pptx(shape("third", at=(5000, 0, 1000, 4000)) + group))
    assert [text for _, _, text in shown(document)] == ["first", "second", "third"]
    assert document.blocks[1].provenance.boxes[0].left == 0.2


def test_bullets_and_numbers_make_list_items(document_of: DocumentOf) -> None:
    def item(text: str, bullet: str, level: int = 0) -> str:
        return f'<a:pPr lvl="{level}">{bullet}</a:pPr><a:r><a:t>{text}</a:t></a:r>'

    number = '<a:buAutoNum type="alphaLcParenR"/>'
    paragraphs = [
        item("a", '<a:buChar char="•"/>'),
        item("b", '<a:buChar char="•"/>', 1),
        item("c", number),
        item("d", number),
    ]
    document = document_of("a.pptx", pptx(shape(*paragraphs, item("e", "<a:buNone/>"))))
    assert [(block.kind.value, block.level, block.text) for block in document.blocks] == [
        ("list_item", 1, "a"),
        ("list_item", 2, "b"),
        ("list_item", 1, "a) c"),
        ("list_item", 1, "b) d"),
        ("paragraph", 0, "e"),
    ]


def test_a_body_inherits_bullets_from_the_master(document_of: DocumentOf) -> None:
    master = slide("", root="sldMaster").replace(
        "</p:sldMaster>",
        '<p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr></p:bodyStyle></p:txStyles></p:sldMaster>',
    )
    layout = slide(shape("", at=(1000, 1000, 2000, 2000), kind="body"), root="sldLayout")
    parts = {
        "ppt/slideLayouts/l.xml": layout,
        "ppt/slideLayouts/_rels/l.xml.rels": relationships([("m", "slideMaster", "../slideMasters/m.xml")]),
        "ppt/slideMasters/m.xml": master,
    }
    data = pptx(shape("point", kind="body"), parts=parts, links=[("l", "slideLayout", "../slideLayouts/l.xml")])
    document = document_of("a.pptx", data)
    assert document.blocks[0].kind is BlockKind.LIST_ITEM
    assert document.blocks[0].provenance.boxes[0].left == 0.1


def test_what_the_master_says_on_each_slide_is_read_once(document_of: DocumentOf) -> None:
    master = slide(shape("Form F-7", at=(0, 0, 10, 10)) + shape("Click to edit", kind="title"), root="sldMaster")
    parts = {
        "ppt/slideLayouts/l.xml": slide("", root="sldLayout"),
        "ppt/slideLayouts/_rels/l.xml.rels": relationships([("m", "slideMaster", "../slideMasters/m.xml")]),
        "ppt/slideMasters/m.xml": master,
    }
    data = pptx(shape("point"), parts=parts, links=[("l", "slideLayout", "../slideLayouts/l.xml")])
    assert document_of("a.pptx", data).text == "point\n\nForm F-7"


def test_tables_keep_their_spans_and_header(document_of: DocumentOf) -> None:
    rows = [
        cell("a", 'gridSpan="2"') + cell("", 'hMerge="1"'),
        cell("b", 'rowSpan="2"') + cell("c"),
        cell("", 'vMerge="1"') + cell("d"),
    ]
    (found,) = document_of("a.pptx", pptx(table(*(f"<a:tr>{row}</a:tr>" for row in rows)))).tables
    assert [(cell.row, cell.column, cell.row_span, cell.column_span, cell.text) for cell in found.cells] == [
        (0, 0, 1, 2, "a"),
        (1, 0, 2, 1, "b"),
        (1, 1, 1, 1, "c"),
        (2, 1, 1, 1, "d"),
    ]
    assert found.header_rows == 1


def test_notes_follow_their_slide_without_the_slide_number(document_of: DocumentOf) -> None:
    number = shape('<a:fld id="{0}" type="slidenum"><a:t>&lt;number&gt;</a:t></a:fld>')
    notes = slide(shape("say this", kind="body") + shape("7", kind="sldNum") + number, root="notes")
    data = pptx(
        shape("one"), shape("two"), parts={"ppt/notes/n.xml": notes}, links=[("n", "notesSlide", "../notes/n.xml")]
    )
    assert shown(document_of("a.pptx", data)) == [
        (1, "paragraph", "one"),
        (1, "note", "say this"),
        (2, "paragraph", "two"),
    ]


def test_links_to_addresses_and_slides_are_references(document_of: DocumentOf) -> None:
    def link(id: str, text: str) -> str:
        return f'<a:r><a:rPr><a:hlinkClick r:id="{id}"/></a:rPr><a:t>{text}</a:t></a:r>'

    tree = shape(link("h", "site")) + shape(link("o", "next"))
    data = pptx(tree, shape("two"), links=[("h", "hyperlink", "https://example.org/"), ("o", "slide", "slide2.xml")])
    found = [(link.kind, link.target, link.evidence) for link in document_of("a.pptx", data).references]
    assert found == [
        (ReferenceKind.HYPERLINK, "https://example.org/", "site"),
        (ReferenceKind.CROSS_REFERENCE, "slide 2", "next"),
    ]


def test_slide_numbers_and_footers_are_furniture(document_of: DocumentOf) -> None:
    document = document_of(
        "a.pptx", pptx(shape("body") + shape("Confidential", kind="ftr") + shape("1", kind="sldNum"))
    )
    assert document.text == "body"
    assert [block.text for block in document.furniture] == ["Confidential", "1"]


def test_hidden_slides_are_read_and_reported(document_of: DocumentOf) -> None:
    document = document_of(
        "a.pptx", pptx(shape("one"), parts={"ppt/slides/slide1.xml": slide(shape("one"), 'show="0"')})
    )
    assert document.pages[0].label == "1 (hidden)"
    assert document.notes == ("slide 1 is hidden in the presentation",)


def test_a_broken_slide_does_not_affect_others(parse_bytes: Callable[..., Parsed]) -> None:
    parsed = parse_bytes("a.pptx", pptx(shape("one"), shape("two"), parts={"ppt/slides/slide2.xml": "<p:sld"}))
    reason = "page 2: the slide is missing or broken; damaged parts: ppt/slides/slide2.xml"
    assert (parsed.status.value, parsed.reason) == ("partial", reason)


def tiles(*texts: tuple[str, str]) -> str:
    """Return shapes above each other, in pairs side by side."""
    return "".join(
        shape(text, at=(200 + 2500 * column, 2000 + 1000 * row, 2200, 800))
        for column, pair in enumerate(texts)
        for row, text in enumerate(pair)
    )


def drawn(geometry: str, *paragraphs: str, at: tuple[int, int, int, int]) -> str:
    return shape(*paragraphs, at=at).replace("</p:spPr>", f'<a:prstGeom prst="{geometry}"/></p:spPr>', 1)


def test_a_value_and_its_name_in_tiles_side_by_side_are_one_block(document_of: DocumentOf) -> None:
    found = document_of("a.pptx", pptx(tiles(("91 %", "Availability"), ("3 %", "Scrap"), ("2", "Accidents"))))
    assert [text for _, _, text in shown(found)] == ["91 %\nAvailability", "3 %\nScrap", "2\nAccidents"]
    assert len(found.blocks[0].provenance.boxes) == 2


def test_shapes_above_each_other_without_others_beside_them_stay_apart(document_of: DocumentOf) -> None:
    found = document_of("a.pptx", pptx(tiles(("91 %", "Availability"))))
    assert [text for _, _, text in shown(found)] == ["91 %", "Availability"]


def test_a_line_above_a_column_of_lines_is_its_heading_if_others_are_beside_it(document_of: DocumentOf) -> None:
    tree = "".join(
        shape(name, at=(left, 1500, 4000, 600)) + shape("cost", "time", at=(left, 2200, 4000, 3000))
        for name, left in (("Make", 200), ("Buy", 5200))
    )
    found = document_of("a.pptx", pptx(tree))
    assert [(kind, text) for _, kind, text in shown(found)] == [
        ("heading", "Make"), ("paragraph", "cost"), ("paragraph", "time"),
        ("heading", "Buy"), ("paragraph", "cost"), ("paragraph", "time"),
    ]  # fmt: skip


def test_arrows_in_a_row_are_numbered_steps(document_of: DocumentOf) -> None:
    steps = [
        drawn("chevron", text, at=(3000 * place, 100, 2800, 900))
        for place, text in enumerate(("1 Draft", "Test", "Go"))
    ]
    found = document_of("a.pptx", pptx("".join(steps)))
    assert [(kind, text) for _, kind, text in shown(found)] == [
        ("list_item", "1. Draft"), ("list_item", "2. Test"), ("list_item", "3. Go")
    ]  # fmt: skip
    boxes = [
        drawn("rect", text, at=(3000 * place, 100, 2800, 900)) for place, text in enumerate(("Draft", "Test", "Go"))
    ]
    assert {kind for _, kind, _ in shown(document_of("b.pptx", pptx("".join(boxes))))} == {"paragraph"}


def test_a_name_and_a_function_in_one_drawn_shape_are_one_block(document_of: DocumentOf) -> None:
    cards = [
        drawn("roundRect", *who, at=(3000 * place, 100, 2800, 900))
        for place, who in enumerate((("Ann", "Lead"), ("Ben", "Tests")))
    ]
    assert [text for _, _, text in shown(document_of("a.pptx", pptx("".join(cards))))] == ["Ann\nLead", "Ben\nTests"]
    assert [text for _, _, text in shown(document_of("b.pptx", pptx(cards[0])))] == ["Ann", "Lead"]
