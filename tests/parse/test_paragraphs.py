from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.parse.lines import Line, Rect, TextStyle, join_lines
from pipelines.parse.paragraphs import group_paragraphs, paragraph_text

BODY = TextStyle(10, "Serif")


def lines(*texts: str, step: float = 13, style: TextStyle = BODY, top: float = 0, left: float = 50) -> list[Line]:
    return [
        Line(text, Rect(left, top + step * number, left + 6 * len(text), top + step * number + 10), style)
        for number, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("parts", "joined"),
    [
        (("the instal-", "lation is done"), "the installation is done"),
        (("a self-", "locking nut"), "a self-locking nut"),
        (("the North-", "South line"), "the North-South line"),
        (("pages 12-", "14 of it"), "pages 12-14 of it"),
        (("压力变送器应", "垂直安装"), "压力变送器应垂直安装"),
        (("확", "진자는"), "확 진자는"),
        (("see https://a.example/", "guide.pdf"), "see https://a.example/guide.pdf"),
        (("one", "", "two"), "one two"),
    ],
)
def test_lines_are_joined_as_running_text(parts: tuple[str, ...], joined: str) -> None:
    assert join_lines(parts) == joined


def test_the_vocabulary_decides_whether_a_hyphen_stays() -> None:
    assert join_lines(["the load-", "carrying part"], {"load", "carrying"}) == "the load-carrying part"
    assert join_lines(["the load-", "carrying part"], {"load", "carrying", "loadcarrying"}) == "the loadcarrying part"


def test_a_wider_gap_begins_a_paragraph() -> None:
    above, below = lines("a first line that is long", "and its end."), lines("a second one of them", top=60)
    assert [len(group) for group in group_paragraphs([*above, *below])] == [2, 1]


def test_a_bullet_begins_a_paragraph_and_its_next_line_does_not() -> None:
    found = group_paragraphs(lines("• first item which goes", "on in this line", "• second item"))
    assert [len(group) for group in found] == [2, 1]


@pytest.mark.parametrize(
    "text",
    [
        ("Die Anlage wurde abgenommen am", "2. Mai durch den Prüfer Jensen", "und danach übergeben."),
        ("The lower bearing is shown in Figure", "2. The spring rests on its seat", "and is held by a ring."),
        ("For mineral oil only the materials b) or", "c) Both need a support ring at high", "pressure."),
    ],
)
def test_a_number_that_ends_a_sentence_begins_no_item_of_a_list(text: tuple[str, ...]) -> None:
    assert len(group_paragraphs(lines(*text))) == 1


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (("1. Close the valve and drain the pipe", "2. Open the vent"), 2),
        (("1. Close the valve and drain the whole", "pipe of the second circuit completely", "2. Open the vent"), 2),
        (("The steps of the weekly inspection are:", "1. Close the valve"), 2),
        (("Before work", "1. Close the valve and drain the pipe"), 2),
        (("a) the seal of the pump that is used with", "b) the seal of the mixer"), 2),
    ],
)
def test_a_number_after_its_predecessor_a_sentence_or_a_short_line_begins_an_item(
    text: tuple[str, ...], items: int
) -> None:
    assert len(group_paragraphs(lines(*text))) == items


FORM = ("Manufacturer: Nordhaus Pumpen GmbH", "Type: K80-250", "Serial no.: 4711-22", "Inspector: J. Okafor")
ADDRESS = ("Nordhaus Pumpen GmbH", "Hafenstr. 12", "24103 Kiel", "Deutschland")
CHINESE = ("制造商：苏州泵业有限公司制造部", "型号：K80", "编号：4711", "年份：2019")


@pytest.mark.parametrize("text", [FORM, ADDRESS, CHINESE])
@pytest.mark.parametrize("right", [None, 500.0])
def test_line_breaks_that_nobody_needed_are_kept(text: tuple[str, ...], right: float | None) -> None:
    assert paragraph_text(lines(*text), right) == "\n".join(text)


def test_lines_of_fields_are_apart_though_some_are_full() -> None:
    fields = ("Suction filter", "Interval: month", "Work: clean or replace", "Value: F-70")
    assert paragraph_text(lines(*fields), right=50 + 6 * 22) == "\n".join(fields)


def test_parts_of_a_justified_line_are_one_line() -> None:
    first, *parts = lines("The error is at most 0.1 % of the span,", "including", "non-linearity,", "hysteresis")
    beside = [replace(part, rect=part.rect._replace(top=13, bottom=23)) for part in parts]
    assert paragraph_text([first, *beside], 300) == (
        "The error is at most 0.1 % of the span, including non-linearity, hysteresis"
    )


@pytest.mark.parametrize("right", [None, 300.0])
def test_wrapped_lines_of_running_text_are_joined(right: float | None) -> None:
    text = ("The pump was run for two hours at rated", "flow, and no leakage was seen at its", "shaft seal. Note:")
    assert paragraph_text(lines(*text), right) == " ".join(text)
    noted = ("Remark: the temperature of the bearing rose", "to 61 degrees", "Inspector: Jensen", "Date: 2 May")
    assert paragraph_text(lines(*noted), right) == (
        "Remark: the temperature of the bearing rose to 61 degrees\nInspector: Jensen\nDate: 2 May"
    )


def test_larger_type_begins_a_paragraph() -> None:
    head = lines("A heading", style=TextStyle(14, "Serif"))
    assert [len(group) for group in group_paragraphs([*head, *lines("text of it", top=17)])] == [1, 1]


def test_bold_words_in_running_text_begin_no_paragraph() -> None:
    text = lines("it must be kept in mind that a long line", style=BODY)
    text += lines("a requirement in bold that runs across a", style=TextStyle(10, "Serif", bold=True), top=13)
    text += lines("line ends here, and the text goes on here", top=26)
    assert len(group_paragraphs(text)) == 1


def test_lines_of_code_stay_together() -> None:
    mono = TextStyle(9, "Mono", mono=True)
    assert len(group_paragraphs(lines("if a:", "    b()", "", "c()", style=mono))) == 1


@given(st.lists(st.text(alphabet="ab-. 1压", max_size=8), max_size=12))
def test_joining_loses_only_hyphens_and_blanks(texts: list[str]) -> None:
    def bare(text: str) -> str:
        return text.replace("-", "").replace(" ", "")

    assert bare(join_lines(texts)) == bare("".join(texts))


def test_a_contents_entry_ends_with_its_page_number() -> None:
    entries: list[Line] = []
    for row, title in enumerate(("5.1 Objectif", "5.2 Théorie", "5.3 Matériel")):
        dots, page = lines(f"{title} . . . . . . . .", top=12 * row), lines(str(71 + row), top=12 * row)
        right = dots[0].rect.right
        entries += [*dots, replace(page[0], rect=Rect(right + 5, 12 * row, right + 15, 12 * row + 10))]
    assert [len(group) for group in group_paragraphs(entries)] == [2, 2, 2]


def test_a_line_with_a_label_below_a_bold_one_is_a_paragraph() -> None:
    bold = lines("Inspected by", style=TextStyle(10, "Serif-Bold", bold=True))
    assert len(group_paragraphs([*bold, *lines("Result: Rossi", top=13)])) == 2
    assert len(group_paragraphs([*bold, *lines("the chief eng", top=13)])) == 1


@pytest.mark.parametrize(("text", "item"), [("9. April 2026", False), ("9. Replace it", True), ("9. Teil 12", True)])
def test_a_date_does_not_begin_as_an_item_of_a_list(text: str, item: bool) -> None:
    assert lines(text)[0].is_item is item
