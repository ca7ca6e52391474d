"""Tests of locating a passage among the words of printed pages."""

from __future__ import annotations

from pipelines.parse.office.printed import PrintedWord, find_passage


def lines(*texts: str) -> list[PrintedWord]:
    """The words of lines 12 points apart, with letters 6 points wide."""
    words = []
    for row, text in enumerate(texts):
        left = 0.0
        for word in text.split():
            words.append(PrintedWord(word, left, row * 12.0, left + 6 * len(word), row * 12.0 + 10))
            left += 6 * len(word) + 6
    return words


PAGES = [
    lines("Contents", "Storage of rings 2", "Bolts 3"),
    lines(
        "Storage of rings",
        "EPDM rings may be stored for 7 years, away from",
        "light and ozone.",
        "FKM rings keep 10 years.",
    ),
    lines("Joint Torque", "Casing bolts, stainless steel 68", "Cover bolts, stainless steel 18", "Foot bolts 44"),
]


def test_a_sentence_on_two_lines_is_two_boxes() -> None:
    page, found = find_passage(PAGES, "EPDM rings may be stored for 7 years, away from light and ozone.")
    assert page == 2
    assert [(word.text.split()[0], word.top) for word in found] == [("EPDM", 12.0), ("light", 24.0)]


def test_a_table_row_is_located_by_its_cells() -> None:
    for passage, top in (("Cover bolts, stainless steel | 18", 24.0), ("68 | Casing bolts, stainless steel", 12.0)):
        page, found = find_passage(PAGES, passage)
        assert (page, {word.top for word in found}) == (3, {top}), passage


def test_a_passage_that_is_printed_differently_is_located_in_part() -> None:
    page, found = find_passage(PAGES, "EPDM rings may be stored for 7 years, away from light [1] and ozone.")
    assert page == 2
    assert found[0].text.startswith("EPDM rings may be stored")


def test_a_passage_that_is_not_printed_is_not_located() -> None:
    for passage in ("Speakers' notes are not printed at all", "", "…", "stored for ever in a warm place by nobody"):
        assert find_passage(PAGES, passage) == (0, [])
    assert find_passage([], "EPDM rings") == (0, [])


def test_words_are_compared_in_normalized_form() -> None:
    assert find_passage([lines("ﬁnal ＴＥＳＴ at 50 °C")], "Final test at 50°C")[0] == 1
    assert find_passage([lines("压力变 送器")], "压力变送器")[0] == 1
