import json
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.document import BlockKind, Page, Source
from pipelines.core.ids import digest
from pipelines.core.outcome import Status
from pipelines.core.provenance import Box
from pipelines.core.table import Cell
from pipelines.parse.assemble import DocumentBuilder, Image, Place
from pipelines.parse.json_view import FileView, to_json
from pipelines.parse.parsed import Parsed
from pipelines.parse.render import to_html, to_markdown
from pipelines.parse.settings import ParseSettings

PNG = b"\x89PNG"
SOURCE = Source("a.pdf", "text/plain", 10, "d")
WORD = Source("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", 10, "d")


def sample() -> Parsed:
    builder = DocumentBuilder(SOURCE, ParseSettings(), "test")
    one = Place(1, "i", boxes=(Box(1, 0.1, 0.2, 0.5, 0.3),))
    builder.page(Page(1, "i", 600, 800))
    builder.page(Page(2, "ii", 600, 800))
    builder.title("Pump <manual>", one)
    builder.heading("1 Safety", 1, one)
    builder.list_item("close", 1, one)
    builder.list_item("lock", 2, one)
    cells = (Cell(0, 0, "A", header=True), Cell(0, 1, "first\nsecond", rich=True), Cell(1, 0, "wide", column_span=2))
    builder.table(cells, Place(2, "ii"))
    builder.figure(Image(PNG, ocr_text="INLET", description="A pump"), Place(2, "ii"), caption="Figure 1")
    builder.code("x = `1`\n```", Place(2, "ii"))
    builder.furniture(BlockKind.PAGE_HEADER, "head", one)
    return builder.build()


def test_json_has_the_keys_that_scoring_uses() -> None:
    shown = json.loads(to_json(sample(), scored=True))
    assert shown["headings"] == [{"text": "Pump <manual>", "level": 0}, {"text": "1 Safety", "level": 1}]
    assert (shown["pictures"], shown["pages"], shown["status"]) == (1, 2, "indexed")
    table = shown["tables"][0]
    assert (table["rows"], table["cols"], table["page"]) == (2, 2, 2)
    assert table["cells"][2] == {"row": 1, "col": 0, "rows": 1, "cols": 2, "text": "wide"}
    kinds = [(block["kind"], block.get("text", "")) for block in shown["blocks"]]
    assert kinds == [
        ("text", "Pump <manual>"), ("text", "1 Safety"), ("text", "close"), ("text", "lock"), ("table", ""),
        ("text", "first"), ("text", "second"), ("picture", ""), ("text", "x = `1`\n```"),
    ]  # fmt: skip
    assert shown["blocks"][0]["boxes"] == [{"page": 1, "left": 0.1, "top": 0.2, "right": 0.5, "bottom": 0.3}]
    assert shown["blocks"][5]["cell"] == [0, 0, 1]
    assert shown["furniture"][0]["text"] == "head"


def test_ocr_text_is_separate_from_the_text() -> None:
    shown = json.loads(to_json(sample()))
    assert [block["ocr_text"] for block in shown["blocks"] if block["kind"] == "picture"] == ["INLET"]


def test_json_can_be_read_back_as_its_type() -> None:
    assert msgspec.json.decode(to_json(sample()), type=FileView).title == "Pump <manual>"


def test_the_page_of_a_sheet_is_its_name() -> None:
    builder = DocumentBuilder(SOURCE, ParseSettings(), "test")
    builder.table([Cell(0, 0, "x", address="B2")], Place(3, "Prices", "B2:B2"))
    shown = json.loads(to_json(builder.build()))
    assert shown["tables"][0]["page"] == shown["blocks"][0]["page"] == "Prices"
    assert shown["tables"][0]["range"] == "B2:B2"


def test_a_single_cell_is_a_line_and_cells_that_touch_are_tables_of_their_own_only_where_scored() -> None:
    builder = DocumentBuilder(SOURCE, ParseSettings(), "test")
    cells = [Cell(0, 0, "Power", address="B2"), Cell(0, 2, "kW", address="D2"), Cell(1, 2, "bar", address="D3")]
    builder.table(cells, Place(1, "Data", "B2:D3"))
    builder.table([Cell(0, 0, "Notes")], Place(1, "Data", "B5"))
    parsed = builder.build()
    assert to_markdown(parsed).endswith("| Power |  | kW |\n| --- | --- | --- |\n|  |  | bar |\n\nNotes\n")
    assert [table["range"] for table in json.loads(to_json(parsed))["tables"]] == ["B2:D3", "B5"]
    scored = json.loads(to_json(parsed, scored=True))["tables"]
    assert [(table["range"], table["rows"]) for table in scored] == [("B2", 1), ("D2:D3", 2), ("B5", 1)]


def test_markdown_keeps_structure() -> None:
    assert to_markdown(sample()) == (
        "<!-- page 1: i -->\n\n# Pump <manual>\n\n## 1 Safety\n\n- close\n  - lock\n\n<!-- page 2: ii -->\n\n"
        '<table><tr><th>A</th><td>first\nsecond</td></tr><tr><td colspan="2">wide</td></tr></table>\n\n'
        f"![A pump]({digest(PNG)[:16]})\n\nINLET\n\n````\nx = `1`\n```\n````\n"
    )


def test_a_result_without_a_document_shows_its_reason() -> None:
    parsed = Parsed(Status.ENCRYPTED, reason="needs a <password>")
    assert json.loads(to_json(parsed))["reason"] == "needs a <password>"
    assert "encrypted: needs a <password>" in to_markdown(parsed)
    assert "needs a &lt;password&gt;" in to_html(parsed, Path("a.pdf"))


def test_the_page_is_self_contained_and_escaped() -> None:
    page = to_html(sample(), Path("a.pdf"))
    assert "Pump &lt;manual&gt;" in page
    assert "<manual>" not in page
    assert 'src="http' not in page
    assert 'href="http' not in page


def test_headings_in_the_navigation_link_to_their_blocks() -> None:
    builder = DocumentBuilder(SOURCE, ParseSettings(), "test")
    for number in (1, 2, 3):
        builder.heading(f"{number} Valves & seats", number)
        builder.paragraph("text")
    page = to_html(builder.build(), Path("a.docx"))
    assert '<a href="#b4" style="padding-left:30px">3 Valves &amp; seats</a>' in page
    assert 'id="b4"' in page
    assert "heading 3</span>" in page


def test_headers_and_footers_without_a_page_come_last() -> None:
    builder = DocumentBuilder(SOURCE, ParseSettings(), "test")
    builder.furniture(BlockKind.PAGE_FOOTER, "STD-014 rev C")
    builder.paragraph("Close the valve.", Place(1))
    page = to_html(builder.build(), Path("a.docx"))
    assert 0 < page.index("Close the valve.") < page.index("STD-014 rev C")


def test_check_boxes_are_markers_of_their_items() -> None:
    builder = DocumentBuilder(SOURCE, ParseSettings(), "test")
    builder.list_item("☒ Tea")
    builder.table([Cell(0, 0, "Choose:\n☐ Milk"), Cell(0, 1, "x")])
    shown = json.loads(to_json(builder.build(), scored=True))["blocks"]
    marked = [(block["text"], block.get("marker", "")) for block in shown if block["type"] != "table"]
    assert marked == [("Tea", "☒"), ("Choose:", ""), ("Milk", "☐")]


def test_json_contains_each_ingested_text_once() -> None:
    builder = DocumentBuilder(WORD, ParseSettings(), "test")
    builder.list_item("1. Close the valve")
    builder.table([Cell(0, 0, "Choose:\n☐ Milk", rich=True), Cell(0, 1, "x")])
    parsed = builder.build()
    plain, scored = (json.loads(to_json(parsed, scored=scored))["blocks"] for scored in (False, True))
    assert [block.get("text", "") for block in plain] == ["1. Close the valve", ""]
    assert [(block.get("text", ""), block.get("marker", "")) for block in scored] == [
        ("Close the valve", "1."), ("", ""), ("Choose:", ""), ("Milk", "☐"),
    ]  # fmt: skip


def test_boxes_are_drawn_over_the_picture_of_their_page(tmp_path: Path) -> None:
    from PIL import Image as Pillow

    path = tmp_path / "a.png"
    Pillow.new("RGB", (60, 40), "white").save(path)
    builder = DocumentBuilder(Source("a.png", "image/png", 1, "d"), ParseSettings(), "test")
    builder.page(Page(1))
    builder.paragraph('The "valve"', Place(1, boxes=(Box(1, 0.25, 0.5, 0.75, 0.6),)))
    page = to_html(builder.build(), path)
    assert "left:25.00%;top:50.00%;width:50.00%;height:10.00%" in page
    assert 'title="paragraph: The &quot;valve&quot;"' in page
    assert "data:image/png;base64," in page


@given(
    st.lists(
        st.tuples(st.sampled_from(["paragraph", "code", "list_item", "footnote"]), st.text(max_size=40)), max_size=8
    )
)
def test_any_document_can_be_shown_in_all_forms(blocks: list[tuple[str, str]]) -> None:
    builder = DocumentBuilder(SOURCE, ParseSettings(), "test")
    for kind, text in blocks:
        getattr(builder, kind)(text)
    parsed = builder.build()
    shown = msgspec.json.decode(to_json(parsed), type=FileView)
    expected = [block.text for block in parsed.document.blocks] if parsed.document else []
    assert [block.text for block in shown.blocks] == expected
    assert to_markdown(parsed)
    assert to_html(parsed, Path("a")).endswith("</html>")
