from collections.abc import Callable

from pipelines.core.document import Document
from tests.parse.pieces import assert_whole, pieces, targets, texts

Read = Callable[..., Document]


def test_markdown_is_read_with_its_structure(document_of: Read) -> None:
    document = document_of(
        "a.md",
        "# Pump\n\nText *with* marks.\n\n## Use\n\n1. one\n   - inner\n2. two\n\n```c\nint x;\n```\n\n| A | "
        "B |\n|---|---|\n| 1 | 2 |\n",
    )
    assert pieces(document) == [
        ("title", 0, "Pump"),
        ("paragraph", 0, "Text with marks."),
        ("heading", 2, "Use"),
        ("list_item", 1, "1. one"),
        ("list_item", 2, "inner"),
        ("list_item", 1, "2. two"),
        ("code", 0, "int x;"),
        ("table", 0, "A | B\n1 | 2"),
    ]
    assert [cell.header for cell in document.tables[0].cells] == [True, True, False, False]
    assert_whole(document)


def test_lines_with_labels_stay_lines_and_wrapped_text_does_not(document_of: Read) -> None:
    document = document_of("a.md", "**Type:** K80\nSerial no.: 4711\nand more\n\nA wrapped\nline: of text\n")
    assert texts(document) == ["Type: K80\nSerial no.: 4711 and more", "A wrapped line: of text"]


def test_conflict_markers_stay_visible(document_of: Read) -> None:
    document = document_of("a.md", "intro\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\nend\n")
    assert texts(document) == ["intro", "<<<<<<< HEAD", "ours", "=======", "theirs", ">>>>>>> branch", "end"]
    assert document.notes == ("holds the marks of an unfinished merge",)


def test_front_matter_is_metadata(document_of: Read) -> None:
    document = document_of(
        "a.md", '---\ntitle: "Pump manual"\nauthor: A. B.\ndate: 2026-03-02\ntags: [x, y]\n---\n\nText\n'
    )
    assert document.title == "Pump manual"
    assert document.metadata["author"] == "A. B."
    assert document.metadata["created"] == "2026-03-02"
    assert document.text == "Text"


def test_html_inside_is_read_and_placeholders_are_kept(document_of: Read) -> None:
    document = document_of(
        "a.md", "<p align=center>Centered</p>\n\nRun `x` with <file name> and <b>care</b>.\n\n<stamp>\nMine\n</stamp>\n"
    )
    assert texts(document) == ["Centered", "Run x with <file name> and care.", "Mine"]


def test_links_and_pictures_are_references(document_of: Read) -> None:
    document = document_of(
        "a.md", "See [the plan](docs/plan.md#s) and ![Scheme](img/a.png).\n\n[ref]: http://x.y\n\nAlso [this][ref].\n"
    )
    assert ("hyperlink", "docs/plan.md#s", "the plan") in targets(document)
    assert ("hyperlink", "img/a.png", "Scheme") in targets(document)
    assert ("hyperlink", "http://x.y", "this") in targets(document)


def test_footnotes_begin_with_their_number(document_of: Read) -> None:
    document = document_of("a.md", "Text[^1] here.\n\n[^1]: The note.\n")
    assert pieces(document) == [("paragraph", 0, "Text[1] here."), ("footnote", 0, "[1] The note.")]
