"""Tests of AsciiDoc: sections, lists, blocks, tables, inline text, and detection by name and content."""

from collections.abc import Callable

import pytest

from pipelines.core.document import Document, ReferenceKind
from tests.parse.pieces import pieces

Read = Callable[..., Document]
PAGE = """:lang: en
:pump: P-7
:author: Ann Example

// a remark
[[top]]
= Pump Manual

The *pump* `{pump}` moves
_oil_ and {unknown}.

[[seals]]
== Seals

.What wears
* First
  line
** Deeper
* Second
+
--
Attached.
--

[WARNING]
====
Hot, see <<seals>> and <<top,the start>>.
====

NOTE: Plain.

[source,{ini}]
----
[PUMP]
A = 1 <1>
----

  literal

-v::
--verbose:: Tell more.

Old title
~~~~~~~~~

1. One
2. Two
"""


def test_sections_lists_and_blocks_are_read(document_of: Read) -> None:
    document = document_of("a.adoc", PAGE)
    assert (document.title, document.language, document.metadata["author"]) == ("Pump Manual", "en", "Ann Example")
    assert pieces(document) == [
        ("title", 0, "Pump Manual"),
        ("paragraph", 0, "The pump P-7 moves oil and {unknown}."),
        ("heading", 2, "Seals"),
        ("caption", 0, "What wears"),
        ("list_item", 1, "First line"),
        ("list_item", 2, "Deeper"),
        ("list_item", 1, "Second"),
        ("paragraph", 0, "Attached."),
        ("paragraph", 0, "WARNING: Hot, see Seals and the start."),
        ("paragraph", 0, "NOTE: Plain."),
        ("code", 0, "[PUMP]\nA = 1 <1>"),
        ("code", 0, "  literal"),
        ("list_item", 1, "-v"),
        ("list_item", 1, "--verbose"),
        ("list_item", 2, "Tell more."),
        ("heading", 3, "Old title"),
        ("list_item", 1, "One"),
        ("list_item", 1, "Two"),
    ]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("link:a.html[the *page*,window=_blank]", "the page"),
        ("See https://example.org/x_y_z.", "See https://example.org/x_y_z."),
        ("https://example.org/a_(b)[there]", "there"),
        ("Engines.footnote:[Found at link:a[b].]", "Engines. (Found at b.)"),
        ("kbd:[Ctrl+C] or menu:File[Save]", "Ctrl+C or File > Save"),
        ("a(((index)))b ((term))", "ab term"),
        ("[[here]]x [[[1]]] y", "x [1] y"),
        ("`a_b_c` and `+{x}+` and ``d``", "a_b_c and {x} and d"),
        ("snake_case_name 2 * 3 * 4 #5, #6", "snake_case_name 2 * 3 * 4 #5, #6"),
        ("**b**old __i__talic [.red]#x# #y#", "bold italic x y"),
        ("\\*no* \\{lang} +++<b>+++", "*no* {lang} <b>"),
        ('"`quoted`" &#8364; a < b', "“quoted” € a < b"),
        ("`<<<<<<<` and `>>>>>>>`", "<<<<<<< and >>>>>>>"),
        ("one +\ntwo", "one\ntwo"),
        ("请看link:a.html[这里]。", "请看这里。"),
        ("odd:macro[x] stays", "odd:macro[x] stays"),
    ],
)
def test_inline_markup_is_removed(document_of: Read, written: str, shown: str) -> None:
    assert [block.text for block in document_of("a.adoc", written).blocks] == [shown]


def test_links_and_includes_are_references(document_of: Read) -> None:
    text = "include::part.adoc[]\n\nSee xref:other.adoc#a[that], <<here,this>>, link:x.html[x].\n"
    found = {(one.kind, one.target) for one in document_of("a.adoc", text).references}
    assert (ReferenceKind.HYPERLINK, "part.adoc") in found
    assert (ReferenceKind.HYPERLINK, "x.html") in found
    assert {target for _, target in found} >= {"part.adoc", "other.adoc#a", "x.html"}


def table(document_of: Read, text: str) -> list[list[str]]:
    (found,) = document_of("a.adoc", text).tables
    rows = [[""] * found.columns for _ in range(max(cell.row for cell in found.cells) + 1)]
    for cell in found.cells:
        rows[cell.row][cell.column] = cell.text
    return rows


def test_rows_have_as_many_cells_as_columns(document_of: Read) -> None:
    text = '.Codes\n[cols="2^,5<",options="header"]\n|===\n|Code | Meaning\n|M8\n|flood\ncoolant\n|M9 |off\n|===\n'
    document = document_of("a.adoc", text)
    assert table(document_of, text) == [["Code", "Meaning"], ["M8", "flood coolant"], ["M9", "off"]]
    assert [cell.header for cell in document.tables[0].cells][:3] == [True, True, False]
    assert document.tables[0].caption == "Codes"


def test_a_first_line_followed_by_a_blank_line_is_the_header(document_of: Read) -> None:
    (found,) = document_of("a.adoc", "|===\n|A |B\n\n|1 |2\n|===\n").tables
    assert [(cell.text, cell.header) for cell in found.cells] == [("A", True), ("B", True), ("1", False), ("2", False)]


def test_cells_span_rows_and_columns_repeat_and_hold_blocks(document_of: Read) -> None:
    text = '[cols="3*"]\n|===\n.2+|tall 2+|wide\n|x |y \\| z\n3*|same\na|* one\n* two |p |q\n|===\n'
    (found,) = document_of("a.adoc", text).tables
    placed = {(cell.row, cell.column): (cell.text, cell.row_span, cell.column_span) for cell in found.cells}
    assert placed[0, 0] == ("tall", 2, 1)
    assert placed[0, 1] == ("wide", 1, 2)
    assert (placed[1, 1][0], placed[1, 2][0]) == ("x", "y | z")
    assert [placed[2, column][0] for column in range(3)] == ["same"] * 3
    assert (placed[3, 0][0].split(), placed[3, 2][0]) == (["one", "two"], "q")


def test_text_before_the_first_bar_is_a_cell(document_of: Read) -> None:
    assert document_of("a.adoc", "|===\nBrew coffee\n|===\n").text == "Brew coffee"
    assert table(document_of, "|===\n// codes\nA |B\n|1 |2\n|===\n") == [["A", "B"], ["1", "2"]]


def test_an_empty_table_does_not_affect_other_text(document_of: Read) -> None:
    for inside in ("", "\n", "// nothing yet\n"):
        document = document_of("a.adoc", f"before\n\n|===\n{inside}|===\n\nafter\n")
        assert (document.text, len(document.tables)) == ("before\n\nafter", 0)


def test_a_table_may_be_delimiter_separated(document_of: Read) -> None:
    assert table(document_of, ',===\nA,"B, C"\n1,2\n,===\n') == [["A", "B, C"], ["1", "2"]]
    assert table(document_of, '[format="dsv"]\n|===\nA:B\n1:2\n|===\n') == [["A", "B"], ["1", "2"]]


def test_asciidoc_is_detected_by_content_under_other_names(document_of: Read) -> None:
    text = "= Pump\n\n[source,c]\n----\nint a;\n----\n"
    assert {document_of(name, text).engine for name in ("a.txt", "a.asc", "a.asciidoc")} == {"asciidoc"}
    key = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBF\n-----END PGP PUBLIC KEY BLOCK-----\n"
    assert document_of("key.asc", key).engine == "text"


def test_a_long_page_that_begins_with_an_anchor_is_not_json(document_of: Read) -> None:
    document = document_of("a.adoc", "[[pump]]\n= Pump\n\n" + "It moves oil.\n" * 20_000)
    assert (document.engine, document.title) == ("asciidoc", "Pump")


def test_a_callout_is_a_list_item(document_of: Read) -> None:
    text = "----\nA = 1 <1>\n----\n<1> of\nbars\n<.> of litres\n"
    assert pieces(document_of("a.adoc", text))[1:] == [("list_item", 1, "of bars"), ("list_item", 1, "of litres")]


def test_an_unterminated_block_keeps_its_text(document_of: Read) -> None:
    assert pieces(document_of("a.adoc", "----\nx\n\n== y\n")) == [("code", 0, "x\n\n== y")]
    assert "last" in document_of("a.adoc", "====\n* a\n\n|===\n|last\n").text
