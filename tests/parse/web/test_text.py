from collections.abc import Callable

import pytest

from pipelines.core.document import Document
from tests.parse.pieces import assert_whole, pieces, texts

Read = Callable[..., Document]


def test_blank_lines_divide_paragraphs(document_of: Read) -> None:
    document = document_of("a.txt", "first line\nsecond line\n\n\nnext\n")
    assert texts(document) == ["first line\nsecond line", "next"]
    assert_whole(document)


def test_headings_are_recognised_by_rules_numbers_and_capitals(document_of: Read) -> None:
    document = document_of(
        "a.txt",
        "Manual\n======\n\nIntro\n-----\ntext below\n\n1. Safety\n\n1.2 Valves\n\nSAFETY NOTES\n\nIt ends here.\n",
    )
    assert [(kind, level, text) for kind, level, text in pieces(document) if kind == "heading"] == [
        ("heading", 1, "Manual"),
        ("heading", 2, "Intro"),
        ("heading", 1, "1. Safety"),
        ("heading", 2, "1.2 Valves"),
        ("heading", 1, "SAFETY NOTES"),
    ]


def test_a_first_line_that_stands_alone_is_the_title(document_of: Read) -> None:
    document = document_of("2024-11-03.txt", "\ufeffIncident report 24-117\r\n\r\nA hose burst.\r\n")
    assert document.title == "Incident report 24-117"
    assert pieces(document) == [("title", 0, "Incident report 24-117"), ("paragraph", 0, "A hose burst.")]


@pytest.mark.parametrize(
    "first",
    ["It burst.", "Date: 3 May", "1. Safety", "- item", "Two\nlines", "No. 4471     page 1", "====", "  indented"],
)
def test_other_first_lines_are_no_titles(document_of: Read, first: str) -> None:
    assert "title" not in [kind for kind, _, _ in pieces(document_of("a.txt", f"{first}\n\nA hose burst.\n"))]
    assert pieces(document_of("a.txt", "Only this\n")) == [("paragraph", 0, "Only this")]


def test_lists_nest_by_indentation_and_keep_their_numbers(document_of: Read) -> None:
    document = document_of("a.txt", "- alarms\n\t* low\n\t\tgoes on\n\t* high\n- settings\n\n1) open\n2) close\n")
    assert pieces(document) == [
        ("list_item", 1, "alarms"),
        ("list_item", 2, "low\ngoes on"),
        ("list_item", 2, "high"),
        ("list_item", 1, "settings"),
        ("list_item", 1, "1) open"),
        ("list_item", 1, "2) close"),
    ]


def test_indented_lines_outside_of_lists_are_code(document_of: Read) -> None:
    document = document_of("a.txt", "Run this:\n\n    make all\n\n    make test\n\nDone.\n")
    assert pieces(document)[1] == ("code", 0, "    make all\n\n    make test")


def test_a_program_is_code_throughout(document_of: Read) -> None:
    document = document_of("a.py", "# comment\nx = 1\n\ndef f():\n\n    return x\n")
    assert [kind for kind, _, _ in pieces(document)] == ["code", "code"]
    assert "def f():\n\n    return x" in document.text


def test_a_log_is_split(document_of: Read) -> None:
    document = document_of("a.log", "12:00 valve 3 stuck\n" * 1000)
    assert len(document.blocks) > 5
    assert document.text.count("valve") == 1000


def test_encodings_are_detected(document_of: Read) -> None:
    document = document_of("a.txt", "酸素濃縮器の保守手順。フィルターは三か月ごとに交換。".encode("cp932"))
    assert document.text.startswith("酸素濃縮器")
    assert document.metadata["encoding"] == "cp932"
    assert document.language == "ja"
