"""Tests of JSON and XML."""

from collections.abc import Callable

from pipelines.core.document import Document
from pipelines.core.outcome import Status
from tests.parse.conftest import ParseBytes
from tests.parse.pieces import pieces, targets, texts

Read = Callable[..., Document]


def test_values_have_key_paths_and_numbers_stay_as_written(document_of: Read) -> None:
    document = document_of("a.json", '{"title": "Registry", "version": 1.10, "limits": {"pressure": {"max": 60}}}')
    assert pieces(document) == [
        ("paragraph", 0, "title: Registry\nversion: 1.10"),
        ("heading", 1, "limits"),
        ("heading", 2, "limits.pressure"),
        ("paragraph", 0, "max: 60"),
    ]
    assert document.title == "Registry"


def test_arrays_of_similar_objects_are_tables(document_of: Read) -> None:
    document = document_of("a.json", '{"parts": [{"no": "A1", "price": 3.5}, {"no": "B2", "tags": ["x", "y"]}]}')
    assert document.tables[0].grid() == [["no", "price", "tags"], ["A1", "3.5", ""], ["B2", "", "x, y"]]


def test_nested_objects_are_rows_with_their_lists_below(document_of: Read) -> None:
    orders = [
        '{"no": 4711, "customer": {"name": "Rocca", "city": "Porto"}, "lines": [{"item": "A-1"}], "note": null}',
        '{"no": 4712, "customer": {"name": "Kern", "city": "Ulm"}, "lines": [], "note": "urgent"}',
    ]
    assert pieces(document_of("a.json", f"[{','.join(orders)}]")) == [
        (
            "table",
            0,
            "no | customer.name | customer.city | note\n4711 | Rocca | Porto | null\n4712 | Kern | Ulm | urgent",
        ),
        ("heading", 1, "4711 – Rocca"),
        ("heading", 2, "lines"),
        ("table", 0, "item\nA-1"),
        ("heading", 1, "4712 – Kern"),
        ("heading", 2, "lines"),
    ]


def test_objects_that_no_value_tells_apart_are_numbered(document_of: Read) -> None:
    document = document_of("a.json", '[{"k": "x", "of": [[1, 2], [3]]}, {"k": "x", "of": [[4]]}]')
    assert [text for kind, _, text in pieces(document) if kind == "heading"][:3] == ["[0]", "[0].of", "[0].of[0]"]


def test_keys_that_are_repeated_lose_no_value(document_of: Read) -> None:
    document = document_of("a.json", '[{"a": "one", "a": "two"}, {"a": "three"}]')
    assert all(value in document.text for value in ("one", "two", "three"))


def test_json_lines_are_one_table(document_of: Read) -> None:
    assert document_of("a.jsonl", '{"a": 1}\n{"a": 2}\n').tables[0].grid() == [["a"], ["1"], ["2"]]


def test_broken_json_is_text_and_partial(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.json", '{"part": "Filter", "next')
    assert parsed.status is Status.PARTIAL
    assert "not valid JSON" in parsed.reason
    assert parsed.document is not None
    assert "Filter" in parsed.document.text


def test_documents_in_xml_have_sections_lists_and_tables(document_of: Read) -> None:
    document = document_of(
        "a.xml",
        '<!DOCTYPE book [<!ENTITY corp "ACME">]><book><title>Pump</title><chapter><title>Safety</title>'
        '<para>By &corp;, see <ulink url="http://x.y">here</ulink>.</para><itemizedlist><listitem>'
        "<para>Close</para></listitem>"
        "</itemizedlist><table><title>T</title><tgroup><thead><row><entry>A</entry><entry>B</entry></row>"
        "</thead><tbody><row>"
        '<entry morerows="1">1</entry><entry>2</entry></row><row><entry>3</entry></row></tbody></tgroup>'
        "</table></chapter></book>",
    )
    assert pieces(document) == [
        ("heading", 1, "Pump"),
        ("heading", 2, "Safety"),
        ("paragraph", 0, "By ACME, see here."),
        ("list_item", 1, "Close"),
        ("caption", 0, "T"),
        ("table", 0, "A | B\n1 | 2\n| 3"),
    ]
    assert ("hyperlink", "http://x.y", "here") in targets(document)
    assert [cell.row_span for cell in document.tables[0].cells if cell.text == "1"] == [2]


def test_front_matter_comes_last_and_gives_the_title(document_of: Read) -> None:
    document = document_of(
        "a.xml",
        "<page><info><link type='guide' xref='a'/><credit><name>Jo</name><email>j@x.y</email></credit>"
        "<desc>How to vent.</desc><legalnotice><title>Licence</title><para>Free.</para></legalnotice></info>"
        "<title>Venting</title><p>Open the screw.</p></page>",
    )
    assert document.title == "Venting"
    assert texts(document)[:3] == ["How to vent.", "Venting", "Open the screw."]
    assert {"name: Jo", "Free."} < set(texts(document)[3:])
    book = "<book><info><title>Pumps</title><abstract><para>All.</para></abstract></info><para>Vent.</para></book>"
    assert document_of("b.xml", book).title == "Pumps"


def test_the_title_in_the_front_matter_is_above_the_text(document_of: Read) -> None:
    document = document_of(
        "a.xml",
        "<article><front><article-meta><article-id>7</article-id><title-group><article-title>Wear of seals"
        "</article-title></title-group><abstract><p>Seals wear.</p></abstract></article-meta></front>"
        "<body><sec><title>Method</title><p>We ran a pump.</p></sec></body></article>",
    )
    assert document.title == "Wear of seals"
    assert texts(document) == ["Wear of seals", "Seals wear.", "Method", "We ran a pump.", "article-id: 7"]


def test_records_in_xml_are_tables_and_single_values_keep_their_names(document_of: Read) -> None:
    document = document_of(
        "a.xml",
        '<stock site="north"><part no="A1"><name>Filter</name></part><part no="A2"><name>Pump</name></part>'
        "<owner>Jo</owner></stock>",
    )
    assert texts(document) == ["stock: site=north", "part", "no | name\nA1 | Filter\nA2 | Pump", "owner: Jo"]


def test_sections_of_a_device_data_sheet_have_the_names_of_their_parameters(document_of: Read) -> None:
    sheet = "; made by hand\n[FileInfo]\nVersion=1\n\n[6081]\nParameterName=Profile velocity\nHighLimit=6000\n"
    document = document_of("drive.eds", sheet)
    assert pieces(document) == [
        ("paragraph", 0, "; made by hand"),
        ("heading", 1, "FileInfo"),
        ("paragraph", 0, "Version: 1"),
        ("heading", 1, "6081 Profile velocity"),
        ("paragraph", 0, "ParameterName: Profile velocity\nHighLimit: 6000"),
    ]
    assert document.source.media_type == "text/x-ini"
    assert texts(document_of("a.ini", "port = 7\n")) == ["port = 7"]


def test_tables_of_toml_are_sections_with_their_names_and_comments(document_of: Read) -> None:
    document = document_of(
        "a.toml", "# welder\n[program.12] # main\nname = \"Flange seam\"\ncurrent_a = 185\n[[gas]]\nkind = 'M21'\n"
    )
    assert texts(document) == [
        "# welder", "program.12 Flange seam", "# main\nname: Flange seam\ncurrent_a: 185", "gas", "kind: M21",
    ]  # fmt: skip
    assert document.source.media_type == "application/toml"


def test_the_text_of_a_drawing_is_read(document_of: Read) -> None:
    document = document_of(
        "a.svg", '<svg xmlns="http://www.w3.org/2000/svg"><text>Inlet</text><text>Outlet</text></svg>'
    )
    assert "Inlet" in document.text
    assert "Outlet" in document.text


def test_only_line_feeds_end_json_lines(document_of: Read) -> None:
    document = document_of("a.jsonl", '{"a": "x\u2028y", "b": 1}\n{"a": "z", "b": 2}\n')
    assert document.tables[0].grid() == [["a", "b"], ["x\ny", "1"], ["z", "2"]]


def test_a_broken_line_does_not_affect_others(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.jsonl", '{"a": 1}\n{"a": 2}\n{"a": 3, "rest')
    assert (parsed.status, parsed.reason) == (Status.PARTIAL, "1 lines are not valid JSON")
    assert parsed.document is not None
    assert parsed.document.tables[0].grid() == [["a"], ["1"], ["2"]]
    assert '{"a": 3, "rest' in parsed.document.text


def test_records_with_short_names_are_tables_too(document_of: Read) -> None:
    document = document_of("a.xml", "<rows><row><a>r1</a><b>r2</b></row><row><a>r3</a><b>r4</b></row></rows>")
    assert document.tables[0].grid() == [["a", "b"], ["r1", "r2"], ["r3", "r4"]]


def test_texts_of_a_drawing_are_read_from_top_to_bottom(document_of: Read) -> None:
    groups = (
        "999 made by hand|0 SECTION|2 HEADER|9 $LASTSAVEDBY|1 nobody|0 ENDSEC|0 SECTION|2 BLOCKS|0 BLOCK|2 frame"
        "|0 TEXT|10 1|20 1|1 Drawing No.|0 ENDBLK|0 ENDSEC|0 SECTION|2 ENTITIES|0 LINE|10 0|20 0|11 5|21 5"
        "|0 TEXT|10 9|20 2|1 right, below|0 TEXT|10 1|20 2|1 left %%c12 %%p0.1|0 DIMENSION|20 1|1 <>"
        "|0 MTEXT|10 1|20 8|3 {\\fArial|b0;\\H2.5;Seal }of \\U+00DC|1 ber\\PPump \\S1^2; \\{A\\}|0 ENDSEC|0 EOF"
    )
    parts = groups.replace("Arial|b0", "Arial").split("|")
    document = document_of("a.dxf", "".join("{}\n{}\n".format(*part.split(" ", 1)) for part in parts))
    assert texts(document) == ["Seal of Über\nPump 1/2 {A}", "left ⌀12 ±0.1", "right, below", "Drawing No."]
    assert document.source.media_type == "image/vnd.dxf"


def test_a_manual_page_in_docbook_is_read_as_prose(document_of: Read) -> None:
    page = (
        "<refentry><refmeta><refentrytitle>seal</refentrytitle><manvolnum>1</manvolnum></refmeta><refnamediv><refname>"
        "seal</refname> <refpurpose>Seals files</refpurpose></refnamediv><cmdsynopsis><command>seal</command>"
        " <arg>-o <replaceable>FILE</replaceable></arg></cmdsynopsis><refsect1><title>Options</title><variablelist>"
        "<varlistentry><term>-o <replaceable>FILE</replaceable></term><listitem><para>Output.</para></listitem>"
        "</varlistentry></variablelist></refsect1></refentry>"
    )
    document = document_of("seal.xml", page)
    assert document.title == "seal"
    shown = [block.text for block in document.blocks]
    assert shown[:6] == ["seal", "seal Seals files", "seal -o FILE", "Options", "-o FILE", "Output."]
