import base64
from collections.abc import Callable

import pytest

from pipelines.core.document import Document
from pipelines.core.outcome import Status
from tests.parse.conftest import ParseBytes
from tests.parse.pieces import assert_whole, pieces, targets, texts

Read = Callable[..., Document]
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.mark.parametrize(
    ("html", "items"),
    [
        ("<ol><li>Open<li>Close</ol>", ["1. Open", "2. Close"]),
        ("<ol start=4><li>Open<li value=9>Close<li>End</ol>", ["4. Open", "9. Close", "10. End"]),
        ("<ol type=A><li>Open<ol type=i><li>x<li>y</ol><li>Close</ol>", ["A. Open", "i. x", "ii. y", "B. Close"]),
        ('<ol class="loweralpha simple"><li><p>Open</p></ol>', ["a. Open"]),
        ("<ol reversed><li>Third<li>Second</ol>", ["2. Third", "1. Second"]),
        ("<ol><li>1. Open<li>2. Close</ol>", ["1. Open", "2. Close"]),
        ('<ol style="list-style: none"><li>Open</ol>', ["Open"]),
        ("<ol><li>Open<ul><li>x</ul><li>Close</ol>", ["1. Open", "x", "2. Close"]),
        ('<ol start="?"><li value="">Open</ol><li>Stray', ["1. Open", "Stray"]),
    ],
)
def test_items_of_ordered_lists_have_their_numbers(html: str, items: list[str], document_of: Read) -> None:
    assert texts(document_of("a.html", f"<html><body>{html}</body></html>")) == items


def test_a_page_is_read_in_reading_order(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<h1>Pump</h1><p>Intro with <b>bold</b>\n  words.</p><h2>Use</h2>loose text<ul><li>one<ul>"
        "<li>inner</li></ul></li>"
        "<li><p>two</p><p>more</p></li></ul><pre>a\n  b</pre><blockquote>quoted</blockquote>",
    )
    assert pieces(document) == [
        ("title", 0, "Pump"),
        ("paragraph", 0, "Intro with bold words."),
        ("heading", 2, "Use"),
        ("paragraph", 0, "loose text"),
        ("list_item", 1, "one"),
        ("list_item", 2, "inner"),
        ("list_item", 1, "two"),
        ("paragraph", 0, "more"),
        ("code", 0, "a\n  b"),
        ("paragraph", 0, "quoted"),
    ]
    assert_whole(document)


def test_several_first_headings_are_sections_and_not_titles(document_of: Read) -> None:
    document = document_of("a.html", "<h1>A</h1><p>x</p><h1>B</h1><h3>C</h3>")
    assert [(section.title, section.level) for section in document.sections[1:]] == [("A", 1), ("B", 1), ("C", 2)]


def test_hidden_elements_are_not_read(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<head><title>T</title><style>p{}</style></head><p>seen</p><p hidden>h1</p><p style='display: none'>h2</p>"
        "<script>h3</script><template>h4</template><noscript>h5</noscript><select><option>h6</option></select>",
    )
    assert document.text == "seen"


def test_navigation_header_and_footer_are_not_text(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<header>Site</header><nav><a href='x.html'>Menu</a></nav><main><h1>T</h1><section><header>kept</header>"
        "<p>text</p></section></main><footer>Imprint</footer>",
    )
    assert texts(document) == ["T", "kept", "text"]
    assert [(block.kind.value, block.text) for block in document.furniture] == [
        ("page_header", "Site"),
        ("page_header", "Menu"),
        ("page_footer", "Imprint"),
    ]
    assert document.references == ()


def test_navigation_between_pages_of_a_manual_is_not_text(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<head><title>Pumps</title><link rel=prev href=1.html title=Valves><link rel=next href=3.html title=Motors>"
        "<link rel=home href=i.html></head><body><div><table><tr><th colspan=2>Pumps<tr><td><a href=1.html>Prev</a>"
        "<td><a href=3.html>Next</a></table><hr></div><h1>Pumps</h1><p>Behind <a href=1.html>the valve</a> and the "
        "motor of <a href=3.html>the next chapter</a>: a pump has to be vented before it is started.</p>"
        "<table><tr><td><a href=i.html>Home</a><td><a href=other.html>Other</a></table></body>",
    )
    assert texts(document)[0] == "Pumps"
    assert texts(document)[1].startswith("Behind the valve")
    assert [table.grid() for table in document.tables] == [[["Home", "Other"]]]
    assert [block.text for block in document.furniture] == ["Pumps\nPrev\nNext"]


def test_titles_of_linked_pages_are_taken_from_any_link(document_of: Read) -> None:
    above = "Chapter 2. Requirements of the pumps, the valves and the motors"
    document = document_of(
        "a.html",
        f"<head><title>Pumps</title><link rel=up href=2.html title='{above}'><link rel=prev href=1.html title=Valves>"
        f"</head><body><table><tr><th colspan=2>{above}<tr><td><a accesskey=p href=1.html><img alt=Prev src=p.png></a>"
        "<td><a accesskey=u href=2.html><img alt=Up src=u.png></a></table><h1>Pumps</h1><p>Vent it.</p></body>",
    )
    assert texts(document) == ["Pumps", "Vent it."]
    assert document.tables == ()


def test_text_beside_an_icon_is_not_a_table_but_rows_with_pictures_are(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<table><tr><td rowspan=2><img alt=Note src=n.png></td><th>Note</th></tr><tr><td><p>Vent it first.</p></td>"
        "</tr></table><table><tr><th>Sign<th>Meaning<tr><td><img src=s.png alt=Stop><td>Stop the pump</table>",
    )
    assert "Vent it first." in texts(document)
    assert [table.grid() for table in document.tables] == [[["Sign", "Meaning"], ["Stop", "Stop the pump"]]]


def test_navigation_links_are_recognised_by_their_own_rel(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<div><p>Next: <a href=3.html rel=next>Motors</a>, Up: <a href=i.html rel=up>Parts</a></p></div><h1>Pumps</h1>"
        "<p>Vent it.</p>",
    )
    assert texts(document) == ["Pumps", "Vent it."]
    assert targets(document) == [("hyperlink", "3.html", "Motors"), ("hyperlink", "i.html", "Parts")]


def test_a_page_that_is_all_navigation_is_read(document_of: Read) -> None:
    assert texts(document_of("a.html", "<nav><ul><li>Manual</li></ul></nav>")) == ["Manual"]


def test_links_carry_their_text_as_evidence(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<p>See <a href='b.html#x'>the <i>other</i> page</a> and <a href='#s2'>below</a>.</p>"
        "<p><a href='javascript:x()'>no</a> <a href='#'>top</a></p><a href='c.pdf'><div>boxed</div></a>",
    )
    assert targets(document) == [
        ("hyperlink", "b.html#x", "the other page"),
        ("cross_reference", "#s2", "below"),
        ("hyperlink", "c.pdf", "boxed"),
    ]
    first = document.references[0]
    assert first.provenance.span.slice(document.text) == "the other page"


def test_spans_and_headers_of_tables_are_kept(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<table><caption>Limits</caption><thead><tr><th>A<td colspan=2>B</thead>"
        "<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
    )
    table = document.tables[0]
    assert table.caption == "Limits"
    assert [(c.row, c.column, c.row_span, c.column_span, c.text, c.header) for c in table.cells] == [
        (0, 0, 1, 1, "A", True),
        (0, 1, 1, 2, "B", True),
        (1, 0, 2, 1, "1", False),
        (1, 1, 1, 1, "2", False),
        (1, 2, 1, 1, "3", False),
        (2, 1, 1, 1, "4", False),
        (2, 2, 1, 1, "5", False),
    ]
    assert pieces(document)[0] == ("caption", 0, "Limits")


@pytest.mark.parametrize(
    ("rows", "headers"),
    [
        ("Check|Yes|No / Leak|☐|☒ / Rust|☒|☐", {0}),
        ("Part|Mass|Maker / Shaft|15 kg|Orlen / Case|21 kg|Rocca", {0}),
        ("Colour|blue / Weight|186 kg / Flow|6 m³/h", set()),
        ("Vessel|V-88|Year|2016 / Power|15 kW|Maker|Lenze / Gauge|PG-12|Date|3 May 2025", set()),
        ("Home|News|Help / Pumps|Fans|Belts / Shop|Jobs|Map", set()),
    ],
)
def test_the_first_row_is_a_header_without_a_mark_if_it_names_columns_of_values(
    document_of: Read, rows: str, headers: set[int]
) -> None:
    written = "".join(f"<tr><td>{row.replace('|', '<td>')}" for row in rows.split(" / "))
    table = document_of("a.html", f"<p>Table</p><table border=1>{written}</table>").tables[0]
    assert {cell.row for cell in table.cells if cell.header} == headers


def test_a_row_whose_cells_all_continue_below_is_removed(document_of: Read) -> None:
    table = document_of(
        "a.html", "<table><tr><th>Y<th>M</tr><tr><th rowspan=3>2025</tr><tr><td>Jan<tr><td>Feb</table>"
    ).tables[0]
    assert table.rows == 3
    assert [(c.row, c.row_span) for c in table.cells if c.text == "2025"] == [(1, 2)]


def test_tables_inside_tables_follow_the_outer_one(document_of: Read) -> None:
    document = document_of("a.html", "<table><tr><td>A<td>B<tr><td><table><tr><td>x<td>y</table><td>C</table><p>end")
    assert [table.grid() for table in document.tables] == [[["A", "B"], ["x y", "C"]], [["x", "y"]]]
    assert texts(document)[-1] == "end"


def test_a_layout_table_is_not_a_table(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<table><tr><td><h2>Left</h2><p>text</p></td></tr><tr><td><table><tr><th>A<th>B<tr><td>1<td>2</table></table>",
    )
    assert [kind for kind, _, _ in pieces(document)] == ["heading", "paragraph", "table"]


def test_a_table_of_one_row_with_the_text_of_the_page_is_not_a_table(document_of: Read) -> None:
    menu = "".join(f"<li><a href='{name}.html'>{name} mode</a>" for name in ("Viewer", "Save", "Copy", "Fax", "Mail"))
    page = f"<p>The image is sent to the <a href='p.html'>printer</a>.</p><p>{'Select the number of copies. ' * 20}</p>"
    document = document_of("a.html", f"<table><tr><td>Index<ul>{menu}</ul><td>{page}</table>")
    assert document.tables == ()
    assert texts(document)[0] == "The image is sent to the printer."
    assert "Viewer" not in document.text
    assert ("hyperlink", "Fax.html", "Fax mode") in targets(document)
    values = document_of("a.html", "<table><tr><td>Copies<td>Select the number of copies.</table>")
    assert values.tables[0].grid() == [["Copies", "Select the number of copies."]]


def test_a_page_of_links_alone_is_kept(document_of: Read) -> None:
    links = " ".join(f"<a href='{number}.html'>The valves of hall {number}</a>" for number in range(30))
    assert "hall 29" in document_of("a.html", f"<table><tr><td>{links}<td><img src='a.png'></table>").text


def test_cells_with_more_than_one_run_of_text_are_rich(document_of: Read) -> None:
    table = document_of("a.html", "<table><tr><td>plain<td><b>x</b> y<td><p>one</p><td>a<br>b</table>").tables[0]
    assert [(cell.text, cell.rich) for cell in table.cells] == [
        ("plain", False),
        ("x y", True),
        ("one", False),
        ("a\nb", True),
    ]


def test_a_picture_in_the_page_is_kept_with_its_caption(document_of: Read, parse_bytes: ParseBytes) -> None:
    source = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    parsed = parse_bytes(
        "a.html", f"<figure><img src='{source}' alt='A valve'><figcaption>Figure 1</figcaption></figure>"
    )
    assert parsed.pictures[0].data == PNG
    assert parsed.document is not None
    figure = parsed.document.figures[0]
    assert (figure.caption, figure.description, figure.digest) == ("Figure 1", "A valve", parsed.pictures[0].digest)


def test_a_picture_file_is_a_reference(document_of: Read) -> None:
    document = document_of("a.html", "<p>See <img src='img/pump.png' alt='The pump'> above.</p>")
    assert pieces(document) == [("paragraph", 0, "See above."), ("figure", 0, "The pump")]
    assert ("hyperlink", "img/pump.png", "The pump") in targets(document)


def test_formulas_are_written_out(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<p>where <math><mi>p</mi><mo>=</mo><mfrac><mi>F</mi><mi>A</mi></mfrac></math> holds</p>"
        "<math display='block'><msup><mi>x</mi><mn>2</mn></msup>"
        "<annotation encoding='application/x-tex'>x^2</annotation></math>",
    )
    assert pieces(document) == [("paragraph", 0, "where p = F/A holds"), ("formula", 0, "x^2")]


def test_terms_and_their_definitions_are_items_of_two_levels(document_of: Read) -> None:
    document = document_of("a.html", "<dl><dt>PEEP<dd>pressure at the end<dt>PIP<dd>peak pressure</dl>")
    assert [(level, text) for _, level, text in pieces(document)] == [
        (1, "PEEP"),
        (2, "pressure at the end"),
        (1, "PIP"),
        (2, "peak pressure"),
    ]


def test_footnotes_are_recognised(document_of: Read) -> None:
    document = document_of(
        "a.html", "<p>text<sup>1</sup></p><section class='footnotes'><ol><li id='fn1'><p>A note</p></ol></section>"
    )
    assert pieces(document)[-1] == ("footnote", 0, "[1] A note")


def test_meta_elements_are_metadata(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<html lang='de'><head><title>Pumpe - Firma GmbH</title><meta name='author' content='A. B.'>"
        "<meta property='article:published_time' content='2026-03-02'></head><h1>Pumpe</h1><p>x</p>",
    )
    assert document.title == "Pumpe"
    assert document.metadata == {"title": "Pumpe", "author": "A. B.", "created": "2026-03-02", "language": "de"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp932", "gb18030"])
def test_encodings_are_declared_or_detected(document_of: Read, encoding: str) -> None:
    text = "保守手順" if encoding != "gb18030" else "维护步骤，更换过滤器"
    head = "" if encoding in ("utf-8", "utf-16") else f"<meta charset='{encoding}'>"
    assert texts(document_of("a.html", f"<html>{head}<p>{text}</p></html>".encode(encoding))) == [text]


def test_frames_are_references(document_of: Read) -> None:
    document = document_of(
        "a.html",
        "<html><frameset><frame src='menu.html' name='menu'></frameset><noframes><p>text</p></noframes></html>",
    )
    assert ("hyperlink", "menu.html") in [(kind, target) for kind, target, _ in targets(document)]


def test_a_page_without_text_is_empty(parse_bytes: ParseBytes) -> None:
    assert parse_bytes("a.html", "<html><script>1</script></html>").status is Status.EMPTY


def test_deep_elements_are_read_without_recursion(document_of: Read) -> None:
    assert texts(document_of("a.html", "<div>" * 1500 + "deep" + "</div>" * 1500)) == ["deep"]


def test_form_input_is_read(document_of: Read) -> None:
    page = (
        "<p>Valve <input value='V-12'> <input type=checkbox checked> tight <input type=radio> loose"
        " <select><option>PVC<option selected>Steel</select><textarea>ok</textarea><input type=submit value=Send></p>"
    )
    assert texts(document_of("a.html", page)) == ["Valve V-12 ☒ tight ☐ loose Steel ok"]


def test_the_labels_of_a_drawing_in_the_page_are_read(document_of: Read) -> None:
    labels = "<text>Pump</text><foreignObject><div>Tank</div></foreignObject>"
    page = f"<p>Flow</p><svg><title>Loop</title>{labels}</svg><svg></svg>"
    (figure,) = (block.figure for block in document_of("a.html", page).blocks if block.figure)
    assert (figure.ocr_text, figure.description) == ("Pump\nTank", "Loop")


def test_a_span_beyond_the_table_is_limited_to_it(document_of: Read) -> None:
    table = document_of("a.html", "<table><tr><th>A<th>B<tr><td colspan=99>wide<tr><td>1<td>2</table>").tables[0]
    assert table.columns == 2
    assert [(cell.text, cell.column_span) for cell in table.cells if cell.row == 1] == [("wide", 2)]


@pytest.mark.parametrize("first", ["section", "main", "article", "figure", "dialog", "x-card"])
def test_a_page_without_a_head_or_body_tag_keeps_its_text(document_of: Read, first: str) -> None:
    document = document_of(
        "a.html",
        f"<!doctype html><meta charset=utf-8><title>T</title><{first}><p>one</p></{first}> two <p>three"
        "<script>x</script>",
    )
    assert document.text.split() == ["one", "two", "three"]
    assert document.title == "T"


def test_superscript_digits_are_not_part_of_a_number(document_of: Callable[..., Document]) -> None:
    mark = '<a role="doc-noteref" href="#n"><sup>1</sup></a>'
    page = f"<p>At 10<sup>6</sup> Pa, 2<sup>-64</sup>; close V-12{mark}; m<sup>2</sup>.</p>"
    assert document_of("a.html", page).text == "At 10⁶ Pa, 2⁻⁶⁴; close V-12[1]; m2."


def test_an_anchor_sign_is_not_part_of_a_heading_and_a_caption_may_have_a_paragraph(
    document_of: Callable[..., Document],
) -> None:
    figure = '<figure><img src="a.png"><figcaption><p>The seal</p></figcaption></figure>'
    page = f'<h2>Seals<a href="#seals">#</a></h2><p>x</p>{figure}'
    shown = [(block.kind.value, block.text) for block in document_of("a.html", page).blocks]
    assert ("heading", "Seals") in shown
    assert ("caption", "The seal") in shown


@pytest.mark.parametrize("end", ["</body></html>", "</body>", "</HTML >"])
def test_what_follows_the_end_of_the_page_belongs_to_it(end: str, document_of: Read) -> None:
    html = f"<html><body><p>before</p>{end}<h2>Data</h2><p>after</p></html>"
    assert texts(document_of("a.html", html)) == ["before", "Data", "after"]


@pytest.mark.parametrize(
    ("link", "panel", "shown"),
    [
        ('<a href="#b">Data</a>', 'style="display:none"', True),
        ('<button aria-controls="b">Data</button>', "hidden", True),
        ('<button data-bs-target="#b">Data</button>', 'role="dialog" style="display: none"', False),
        ('<a href="#c">Other</a>', "hidden", False),
    ],
)
def test_a_hidden_panel_that_the_reader_can_open_is_read(link: str, panel: str, shown: bool, document_of: Read) -> None:
    html = f'<p>Valve V-3</p><p>{link}</p><div id="b" {panel}><p>16 bar</p></div>'
    assert ("16 bar" in texts(document_of("a.html", html))) is shown


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p><span>Weight</span><span>61 kg</span></p>", "Weight 61 kg"),
        ("<p><b>Farbe:</b><span>RAL 5010</span></p>", "Farbe: RAL 5010"),
        ("<p><span>x</span><span>2</span></p>", "x2"),
        ("<p><b>W</b>eight</p>", "Weight"),
        ("<pre><span>get</span><span>Value</span></pre>", "getValue"),
    ],
)
def test_a_value_behind_its_label_is_set_apart(html: str, text: str, document_of: Read) -> None:
    assert texts(document_of("a.html", html)) == [text]
