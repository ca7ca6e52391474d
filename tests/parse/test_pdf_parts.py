"""The parts that make a PDF's pages into items, each by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipelines.core.document import BlockKind
from pipelines.core.provenance import Box
from pipelines.core.table import Cell
from pipelines.parse.lines import Line, Rect, TextStyle, turned_box
from pipelines.parse.pdf.blocks import BlockMaker
from pipelines.parse.pdf.consistency import without_contents
from pipelines.parse.pdf.continuation import with_whole_paragraphs
from pipelines.parse.pdf.extract import words_of
from pipelines.parse.pdf.furniture import Furniture, edge_keys, find_furniture
from pipelines.parse.pdf.garble import garble_score, normalize_run, superscript
from pipelines.parse.pdf.glyphs import Glyph
from pipelines.parse.pdf.grids import spans_by_rules
from pipelines.parse.pdf.headings import Outline, is_heading, with_levels, with_title, without_lists
from pipelines.parse.pdf.items import PageItem, merge_tables
from pipelines.parse.pdf.layout import with_bullets
from pipelines.parse.pdf.page import Bookmark, GridCell, PageGrid, PageWord, Paint, RawPage, Rules
from pipelines.parse.pdf.reader import iso_date
from pipelines.parse.pdf.right_to_left import in_reading_order
from pipelines.parse.pdf.survey import Survey
from pipelines.parse.pdf.tables import fill_grid, missing_numbers

PAGE = RawPage(1, 600, 800, (), (), Paint())
BODY = TextStyle(10, "Times-Roman")
ENGLISH = "The relief valve opens at the set pressure and closes again when it has fallen by a tenth of a bar. "


def heading(text: str, size: float = 14, page: int = 1, bold: bool = True) -> PageItem:
    return PageItem(BlockKind.HEADING, text, page, Rect(0, 0, 1, 1), TextStyle(size, "Helvetica", bold))


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH * 3,
        "压力变送器应垂直安装在管道上方,安装前检查铭牌上的量程。" * 3,
        "Der Überdruck öffnet das Ventil; geprüft wird es zweimal im Jahr auf dem Prüfstand der Werkstatt. " * 2,
        "M6 x 20 | 12.50 | DIN 933 | A2-70 | PTFE | NBR | 4711-0815 | 112.50 | 23.90 | CuZn39Pb3 " * 3,
        "sin cos tan log exp min max mod div arg sgn det rank diag",
    ],
)
def test_sound_text_scores_low(text: str) -> None:
    assert garble_score(text) < 0.2


@pytest.mark.parametrize(
    "text",
    [
        "\ufffd" * 40 + "the rest",
        "\ue001\ue002\ue003\ue004 \ue005\ue006\ue007\ue008" * 10,
        "Wkh uholhi ydoyh rshqv dw wkh vhw suhvvxuh dqg forvhv djdlq zkhq lw kdv idoohq eb d whqwk ri d edu. " * 3,
        "T h e r e l i e f v a l v e o p e n s a t t h e s e t p r e s s u r e a n d c l o s e s a g a i n",
    ],
)
def test_nonsense_scores_high(text: str) -> None:
    assert garble_score(text) >= 0.35


def test_ligatures_symbols_and_invisible_characters_become_plain() -> None:
    assert normalize_run("e\ufb03cient \ufb02ow\u200b\u00a0rate") == "efficient flow rate"
    assert normalize_run("\uf0b7", "SymbolMT") == "•"
    assert normalize_run("\uf0a8", "Wingdings") == "☐"


def test_accents_of_tex_fonts_join_their_letters() -> None:
    assert normalize_run("R´esistances `a l’aide", "ABCDEF+LMRoman10-Regular") == "Résistances à l’aide"
    assert normalize_run("fran¸cais, naˆıve, ˇReˇz", "CMR10") == "français, naîve, Řež"
    assert normalize_run("´x", "CMR10") == "´x"
    assert normalize_run("˜user `x", "CMTT10") == "˜user `x"
    assert normalize_run("it´s", "Helvetica") == "it´s"


def test_bitmap_fonts_of_tex_are_in_the_cork_encoding() -> None:
    assert normalize_run("Gr\u00f6\u00ff e di\x1berential \x1clter", "F33") == "Größ e differential filter"
    assert normalize_run("L'Ha\u00ff", "Helvetica") == "L'Haÿ"
    chars = [
        {"c": character, "bbox": (5 * place, 0, 5 * place + 5, 10), "origin": (5 * place, 8)}
        for place, character in enumerate("Identi\x1ccation valid")
    ]
    span = {"font": "F33", "flags": 0, "size": 10.0, "bbox": (0, 0, 100, 10), "origin": (0, 8), "color": 0}
    line = {"bbox": (0, 0, 100, 10), "dir": (1, 0), "wmode": 0, "spans": [{**span, "chars": chars}]}
    found = words_of([{"type": 0, "bbox": (0, 0, 100, 10), "lines": [line]}])
    assert [word.text for word in found] == ["Identification", "valid"]


def test_superscripts_are_told_apart() -> None:
    assert "10" + superscript("10", "-6") == "10⁻⁶"
    assert "5 m" + superscript("5 m", "2") == "5 m2"
    assert "valve" + superscript("valve", "3)") == "valve 3)"


def read_from_the_right(*glyphs: tuple[str, float, float]) -> str:
    """Return characters (text, left edge, right edge) as they are read."""
    span = {"size": 10.0}
    ordered = in_reading_order([Glyph(text, Rect(left, 0, right, 10), span) for text, left, right in glyphs])
    return "".join(glyph.text for glyph in ordered)


def test_letters_of_a_ligature_from_the_right_are_put_in_order() -> None:
    assert read_from_the_right(("ا", 5, 8), ("إ", 4, 4), ("ل", 0, 4)) == "الإ"
    # The library leaves out the first alef of "alef, lam-alef", and its width is empty.
    assert read_from_the_right((" ", 9, 12), ("ا", 6, 6), ("ل", 0, 6), ("ب", -4, 0)) == " الاب"


def test_latin_words_and_numbers_stand_in_a_line_from_the_right_where_they_are_read() -> None:
    letters = [("ب", 56.0, 60.0), (" ", 52.0, 56.0), (" ", 24.0, 28.0), ("ت", 20.0, 24.0), (" ", 16.0, 20.0)]
    latin = [(character, 28.0 + 4 * number, 32.0 + 4 * number) for number, character in enumerate("user a")]
    number = [("1", 4.0, 8.0), (".", 8.0, 12.0), ("5", 12.0, 16.0)]
    file_order = [*letters, *latin, *number]
    for glyphs in (file_order, sorted(file_order, key=lambda glyph: glyph[1])):
        assert read_from_the_right(*glyphs) == "ب user a ت 1.5"


@pytest.mark.parametrize("number", ["۴۵۰۰", "٤٥٠٠", "٣٫٥"])
def test_arabic_digits_are_read_from_the_left(number: str) -> None:
    glyphs = [("ب", 56.0, 60.0), (" ", 52.0, 56.0)]
    glyphs += [(digit, 20.0 + 4 * place, 24.0 + 4 * place) for place, digit in enumerate(number)]
    assert read_from_the_right(*glyphs) == f"ب {number}"


def test_a_letter_with_marks_is_whole_and_a_blank_made_of_its_width_is_none() -> None:
    glyphs = [("ب", 20.0, 26.0), (" ", 12.0, 20.0), ("\u064e", 12.0, 12.0), ("ش", 12.0, 12.0), ("ت", 6.0, 12.0)]
    assert read_from_the_right(*glyphs) == "بش\u064eت"


def test_a_box_of_a_turned_page_is_where_it_is_seen() -> None:
    box = Box(1, 0.1, 0.2, 0.3, 0.4)
    assert turned_box(box, 90) == Box(1, 0.6, 0.1, 0.8, 0.3)
    assert turned_box(turned_box(box, 90), 270) == box
    assert turned_box(box, -180) == turned_box(box, 180)


def page_lines(number: int) -> list[Line]:
    texts = [("STD-014", 20), (f"{number} of 9", 780), ("Text that differs" + "x" * number, 100), ("and goes on", 114)]
    return [Line(text, Rect(50, top, 200, top + 10), BODY) for text, top in texts]


def test_what_returns_at_the_edge_is_furniture() -> None:
    furniture = find_furniture(edge_keys(page_lines(number), 800) for number in range(1, 6))
    own, apart = furniture.split(page_lines(7), 800)
    assert [line.text for line in own] == ["Text that differsxxxxxxx", "and goes on"]
    assert {(kind, line.text) for kind, line in apart} == {
        (BlockKind.PAGE_HEADER, "STD-014"),
        (BlockKind.PAGE_FOOTER, "7 of 9"),
    }


def test_a_page_number_is_furniture_on_a_single_page() -> None:
    lines = [Line("- 4 -", Rect(280, 780, 320, 790), BODY), Line("1984", Rect(280, 300, 320, 310), BODY)]
    own, apart = Furniture().split(lines, 800)
    assert [line.text for line in own] == ["1984"]
    assert len(apart) == 1


def test_figures_above_the_page_number_are_the_page_s_own() -> None:
    entry, row = Line("Valves", Rect(50, 740, 90, 750), BODY), Line("12", Rect(300, 740, 310, 750), BODY)
    number = Line("1", Rect(280, 780, 290, 790), BODY)
    own, apart = Furniture().split([entry, row, number], 800)
    assert [line.text for line in own] == ["Valves", "12"]
    assert [line.text for _, line in apart] == ["1"]


def line(text: str, style: TextStyle) -> Line:
    return Line(text, Rect(50, 100, 300, 110), style)


@pytest.mark.parametrize(
    ("text", "style", "expected"),
    [
        ("Opening pressure", TextStyle(14, "Times-Roman"), True),
        ("Opening pressure", TextStyle(10, "Times-Bold", bold=True), True),
        ("Opening pressure", BODY, False),
        ("4.2 Opening pressure", TextStyle(11, "Times-Roman"), True),
        ("The valve opens at 8.5 bar.", TextStyle(10, "Times-Bold", bold=True), False),
        ("Opening pressure ........ 12", TextStyle(14, "Times-Roman"), False),
        ("1. Close the inlet", TextStyle(10, "Times-Roman"), False),
        ("— 12 —", TextStyle(14, "Times-Roman"), False),
    ],
)
def test_headings_stand_out(text: str, style: TextStyle, expected: bool) -> None:
    assert is_heading([line(text, style)], text, BODY, alone=True) is expected


def test_bookmarks_win_over_numbers_and_numbers_over_style() -> None:
    outline = Outline.of([Bookmark(3, "Valves", 1)])
    items = [heading("Valves", 20), heading("Seats", 20)]
    assert [item.level for item in with_levels(items, outline)] == [3, 3]
    items = [heading("1.2.1 Valves", 20), heading("2.0 Seats", 12), heading("Notes", 9)]
    assert [item.level for item in with_levels(items, Outline())] == [3, 1, 4]


def test_the_largest_heading_at_the_front_is_the_title() -> None:
    items = [heading("Handbook", 24), heading("Heat", 14), heading("Cold", 14, page=3)]
    assert [item.kind for item in with_title(items, BODY)] == [BlockKind.TITLE, BlockKind.HEADING, BlockKind.HEADING]
    text = replace(items[1], kind=BlockKind.PARAGRAPH, text="The valve opens at 8.5 bar. " * 40)
    assert BlockKind.TITLE not in [item.kind for item in with_title([items[1], text, items[2]], BODY)]


def test_the_largest_headings_of_a_cover_are_the_title() -> None:
    items = [heading("Valves", 24), heading("Manual", 24), heading("A. Weber", 16), heading("Heat", 24, page=3)]
    kinds = [item.kind for item in with_title(items, BODY)]
    assert kinds == [BlockKind.TITLE, BlockKind.TITLE, BlockKind.HEADING, BlockKind.HEADING]


@pytest.mark.parametrize("text", ["1 Valves", "Contents", "Inhalt"])
def test_a_section_and_the_contents_name_no_document(text: str) -> None:
    items = [heading(text, 24), heading("Heat", 24, page=3)]
    assert with_title(items, BODY) == items


def test_a_cover_may_follow_a_page_without_text() -> None:
    picture = replace(heading("", 10), kind=BlockKind.FIGURE)
    items = [picture, heading("Valves", 24, page=2), heading("Heat", 24, page=3)]
    assert with_title(items, BODY)[1].kind is BlockKind.TITLE


def test_a_heading_of_a_later_page_with_a_page_number_behind_is_a_line_of_contents() -> None:
    items = [heading("5 Électronique 71"), heading("Python 3"), heading("5 Électronique", page=8), heading("Year 2020")]
    found = [item.kind for item in without_contents(items)]
    assert found == [BlockKind.LIST_ITEM, BlockKind.HEADING, BlockKind.HEADING, BlockKind.HEADING]


def test_numbered_headings_without_text_between_are_a_list() -> None:
    items = [heading(f"{number}. Check the seat") for number in (1, 2, 3)]
    assert {item.kind for item in without_lists(items)} == {BlockKind.LIST_ITEM}
    assert {item.kind for item in without_lists(items[:2])} == {BlockKind.HEADING}


def test_a_numbered_heading_set_as_the_item_beside_it_is_an_item() -> None:
    item = replace(heading("• Seals"), kind=BlockKind.LIST_ITEM)
    assert [i.kind for i in without_lists([heading("1. Parts"), heading("2. Tools"), item])] == [
        BlockKind.LIST_ITEM
    ] * 3
    assert without_lists([heading("1. Parts", 20), item])[0].kind is BlockKind.HEADING


def test_a_numbered_heading_may_be_smaller_than_the_text() -> None:
    small = TextStyle(8.8, "Helvetica-Bold", bold=True)
    assert is_heading([line("3.1 Oxygen", small)], "3.1 Oxygen", BODY, alone=True)
    assert not is_heading([line("Oxygen", small)], "Oxygen", BODY, alone=True)


def test_a_formula_is_not_a_line_of_capitals() -> None:
    assert not is_heading([line("R2 = 4 V / 2 A", BODY)], "R2 = 4 V / 2 A", BODY, alone=True)
    assert is_heading([line("SPARE PARTS", BODY)], "SPARE PARTS", BODY, alone=True)


def grid(rows: int, columns: int, height: float = 20) -> PageGrid:
    def place(row: int, column: int) -> GridCell:
        left, top = 100 * column, height * row
        return GridCell(row, column, 1, 1, Rect(left, top, left + 100, top + height))

    cells = tuple(place(row, column) for row in range(rows) for column in range(columns))
    return PageGrid(Rect(0, 0, 100 * columns, height * rows), cells)


def word(text: str, x: float, y: float) -> PageWord:
    return PageWord(text, Rect(x, y, x + 6 * len(text), y + 9))


def test_words_go_to_the_cell_they_stand_in_and_strays_to_the_nearest() -> None:
    words = [word("Part", 5, 5), word("Price", 105, 5), word("Seat", 5, 25), word("0.965", 105, 25)]
    words.append(word("EUR", 205, 25))
    cells = fill_grid(grid(2, 2), words, PAGE)
    assert [cell.text for cell in cells] == ["Part", "Price", "Seat", "0.965 EUR"]
    assert missing_numbers(words, cells) == []


def test_a_number_that_no_cell_has_is_told() -> None:
    words = [word("0.965", 5, 5), word("12", 50, 5)]
    assert missing_numbers(words, [Cell(0, 0, "0965 12")]) == ["0.965"]


def test_records_below_one_another_in_one_row_are_cut() -> None:
    words = [word("Rating", 5, 5), word("Code", 105, 5)]
    for number, name in enumerate(("Possible", "Probable", "Certain")):
        words += [word(name, 5, 25 + 20 * number), word(str(number), 105, 25 + 20 * number)]
    tall = PageGrid(
        Rect(0, 0, 200, 90),
        (
            *grid(1, 2).cells,
            GridCell(1, 0, 1, 1, Rect(0, 20, 100, 90)),
            GridCell(1, 1, 1, 1, Rect(100, 20, 200, 90)),
        ),
    )
    texts = [cell.text for cell in fill_grid(tall, words, PAGE)]
    assert texts == ["Rating", "Code", "Possible", "0", "Probable", "1", "Certain", "2"]


def test_places_without_a_line_between_are_one_where_a_line_is_beside() -> None:
    rules = [Rect(0, 20, 200, 20), Rect(100, 40, 200, 40)]
    joined = spans_by_rules(grid(3, 2), [], Rules(horizontal=rules))
    assert [(cell.row, cell.column, cell.row_span) for cell in joined.cells] == [
        (0, 0, 1), (0, 1, 1), (1, 0, 2), (1, 1, 1), (2, 1, 1),
    ]  # fmt: skip


def table(page: int, top: float, bottom: float, *rows: tuple[str, ...]) -> PageItem:
    cells = tuple(Cell(r, c, text, header=r == 0) for r, row in enumerate(rows) for c, text in enumerate(row))
    return PageItem(BlockKind.TABLE, "", page, Rect(0, 0, 1, 1), cells=cells, boxes=(Box(page, 0.1, top, 0.9, bottom),))


def test_a_table_goes_on_when_nothing_but_footnotes_is_between() -> None:
    first, second = table(1, 0.6, 0.95, ("a", "b"), ("1", "2")), table(2, 0.05, 0.3, ("a", "b"), ("3", "4"))
    note = PageItem(BlockKind.FOOTNOTE, "1 Note", 1, Rect(0, 0, 1, 1))
    merged = merge_tables([first, note, second])
    assert [item.kind for item in merged] == [BlockKind.TABLE, BlockKind.FOOTNOTE]
    assert merged[0].parts == (0, 2)
    assert [cell.text for cell in merged[0].cells] == ["a", "b", "1", "2", "3", "4"]
    assert [box.page for box in merged[0].boxes] == [1, 2]


def test_the_rest_of_a_row_joins_it_beside_merged_cells_and_past_a_blank_row() -> None:
    first, second = table(1, 0.6, 0.95, ("a", "b"), ("1", "of two")), table(2, 0.05, 0.3, ("a", "b"), ("", ""))
    spanned = tuple(replace(cell, row_span=2) if cell.text == "1" else cell for cell in first.cells)
    first = replace(first, cells=(*spanned, replace(first.cells[-1], row=2, text="and of")))
    rest = [("", "three"), ("2", "of four")]
    second = replace(
        second, cells=(*second.cells, *(Cell(n, c, t) for n, r in enumerate(rest, 2) for c, t in enumerate(r)))
    )
    (whole,) = merge_tables([first, second])
    assert [cell.text for cell in whole.cells] == ["a", "b", "1", "of two", "and of three", "2", "of four"]


def test_a_table_goes_on_past_the_labels_of_a_figure_beside_it() -> None:
    first, second = table(1, 0.6, 0.95, ("a", "b"), ("1", "2")), table(2, 0.05, 0.3, ("3", "4"), ("5", "6"))
    label = PageItem(BlockKind.PARAGRAPH, "X1", 1, Rect(0, 0, 1, 1), boxes=(Box(1, 0.05, 0.3, 0.1, 0.32),))
    assert len(merge_tables([first, label, second])) == 2
    below = PageItem(BlockKind.PARAGRAPH, "End.", 1, Rect(0, 0, 1, 1), boxes=(Box(1, 0.05, 0.96, 0.1, 0.97),))
    assert len(merge_tables([first, below, second])) == 3


def test_tables_with_text_between_or_other_columns_stay_apart() -> None:
    first, second = table(1, 0.6, 0.95, ("a", "b"), ("1", "2")), table(2, 0.05, 0.3, ("c", "d"), ("3", "4"))
    text = PageItem(BlockKind.PARAGRAPH, "Between.", 2, Rect(0, 0, 1, 1))
    other = table(2, 0.05, 0.3, ("c", "d", "e"), ("3", "4", "5"))
    assert len(merge_tables([first, text, second])) == 3
    assert len(merge_tables([first, other])) == 2


@pytest.mark.parametrize(
    ("told", "date"),
    [
        ("D:20220117170102-05'00'", "2022-01-17T17:01:02-05:00"),
        ("D:20220117170102Z", "2022-01-17T17:01:02Z"),
        ("D:2022", "2022"),
        ("yesterday", ""),
    ],
)
def test_dates_are_iso_dates(told: str, date: str) -> None:
    assert iso_date(told) == date


def test_a_table_of_contents_without_dots_is_a_list() -> None:
    contents = table(1, 0.2, 0.6, ("5 Heat", "7"), ("6 Cold", "9"))
    items = [contents, heading("5 Heat", page=7), heading("6 Cold", page=9)]
    found = without_contents(items)
    assert [(item.kind, item.text) for item in found[:2]] == [
        (BlockKind.LIST_ITEM, "5 Heat 7"),
        (BlockKind.LIST_ITEM, "6 Cold 9"),
    ]
    assert without_contents([contents, *items[1:2]])[0].kind is BlockKind.TABLE


def test_a_word_that_a_narrow_cell_breaks_is_whole() -> None:
    words = [word("Initial", 5, 2), word("ratin", 5, 12), word("g", 5, 22)]
    text = fill_grid(grid(1, 2, 40), words, PAGE, {"rating"})[0].text
    assert text == "Initial rating"
    assert fill_grid(grid(1, 2, 40), words, PAGE)[0].text == "Initial ratin g"


@pytest.mark.parametrize(
    ("lines", "language", "text"),
    [
        ("glove/s for/bidde/n", "en", "gloves forbidden"),
        ("Mana/geme/nt", "en", "Management"),
        ("Hand/injur/y", "en", "Hand injury"),
        ("Atemwegserk/rankung", "de", "Atemwegserkrankung"),
        ("motor/valve", "en", "motor valve"),
        ("movwf/clrcx", "en", "movwf clrcx"),
        ("tmp,f/tmp,f", "en", "tmp,f tmp,f"),
        ("glove/s for", "", "glove s for"),
    ],
)
def test_a_word_of_a_dictionary_that_a_narrow_cell_breaks_is_whole(lines: str, language: str, text: str) -> None:
    words = [
        PageWord(part, Rect(5 + 6 * line.index(part), 10 * row, 5 + 6 * (line.index(part) + len(part)), 10 * row + 8))
        for row, line in enumerate(lines.split("/"))
        for part in line.split()
    ]
    assert fill_grid(grid(1, 2, 90), words, PAGE, frozenset(), language)[0].text == text


def test_a_table_with_the_same_head_further_down_the_page_is_another() -> None:
    first, second = table(1, 0.2, 0.4, ("a", "b"), ("1", "2")), table(1, 0.5, 0.7, ("a", "b"), ("3", "4"))
    assert len(merge_tables([first, second])) == 2


def test_a_drawn_bullet_makes_an_item_of_a_list() -> None:
    text, below = line("Valve", TextStyle(10, "Helvetica-Bold", bold=True)), line("It opens.", BODY)
    lines = tuple(replace(each, rect=Rect(60, 40 * n, 120, 40 * n + 10)) for n, each in enumerate((text, below)))
    dot = Rect(48, 3.5, 51, 6.5)
    marked = with_bullets(replace(PAGE, lines=lines, paint=Paint(shapes=(dot,)))).lines
    assert [each.marked for each in marked] == [True, False]
    assert with_bullets(replace(PAGE, lines=lines, paint=Paint(shapes=(dot.grown(9),)))).lines == lines
    maker = BlockMaker(1, 842, Survey(BODY, Furniture(), frozenset()), Outline())
    assert [item.kind for item in maker.column(marked)] == [BlockKind.LIST_ITEM, BlockKind.PARAGRAPH]


def part(text: str, page: int = 1, left: float = 0.1, top: float = 0.9, **fields: object) -> PageItem:
    box = Box(page, left, top, left + 0.3, top + 0.1)
    item = PageItem(BlockKind.PARAGRAPH, text, page, Rect(0, 0, 1, 1), BODY, boxes=(box,))
    return replace(item, **fields)  # type: ignore[arg-type]


CUT = "The relief valve opens at the set pressure and clo-"
REST = "ses again when it has fallen by a tenth of a bar."


@pytest.mark.parametrize("rest", [part(REST, 2, top=0.1), part(REST, 1, left=0.5, top=0.1)])
def test_a_paragraph_goes_on_on_the_next_page_or_in_the_next_column(rest: PageItem) -> None:
    (item,) = with_whole_paragraphs([part(CUT), rest], frozenset())
    assert item.text == f"{CUT[:-1]}{REST}"
    assert (item.boxes, item.text[item.breaks[0] :]) == ((*part(CUT).boxes, *rest.boxes), REST)


def test_lines_that_the_author_broke_are_no_running_text() -> None:
    card = part("Regale im Lager drei beschriften\nVerantwortlich: Cem Yilmaz\nTermin: 25. Mai\nStand: erledigt")
    other = part("Angebote für den Stapler und die Hebebühne einholen\nVerantwortlich: Cem Yilmaz", left=0.5, top=0.1)
    assert with_whole_paragraphs([card, other], frozenset()) == [card, other]


def test_a_noun_with_a_capital_can_go_on_in_german_alone() -> None:
    german = part("Die Pumpe wird vor dem Öffnen abgeschaltet und danach von den Monteuren mit der mitgelieferten")
    english = part("The pump is switched off before it is opened, and then the fitters will close it with the supplied")
    noun, sentence = part("Armatur der Werkstatt verschlossen.", 2), part("Die Feder wird danach geprüft.", 2)
    assert len(with_whole_paragraphs([german, noun], frozenset())) == 1
    assert with_whole_paragraphs([german, sentence], frozenset()) == [german, sentence]
    assert with_whole_paragraphs([english, noun], frozenset()) == [english, noun]


def test_a_paragraph_goes_on_over_three_pages_and_behind_a_table_and_a_footnote() -> None:
    middle = "its spring is checked, where it is needed, with the gauge of the"
    table = part("A | B", 1, kind=BlockKind.TABLE)
    note = part("1 See the log.", 1, kind=BlockKind.FOOTNOTE)
    items = [
        part("Every spring, when"),
        part(CUT[:-4] + "then"),
        table,
        note,
        part(middle, 2),
        part("Works in Ahlen.", 3),
    ]
    first, item, *others = with_whole_paragraphs(items, frozenset())
    assert (first, others) == (items[0], [table, note])
    assert [box.page for box in item.boxes] == [1, 2, 3]
    assert item.text.endswith(f"then {middle} Works in Ahlen.")
    assert [item.text[place:][:5] for place in item.breaks] == ["its s", "Works"]


@pytest.mark.parametrize(
    ("above", "rest"),
    [
        (part("The relief valve opens at the set pressure."), part(REST, 2)),
        (part("The relief valve opens in these cases:"), part(REST, 2)),
        (part(CUT[:-5]), part("The spring is checked twice a year by the works.", 2)),
        (part(CUT[:-5]), part("a) it has fallen by a tenth of a bar and more.", 2)),
        (part(f"{ENGLISH}A closing valve is entered like this"), part("When this is printed, the log has it.", 2)),
        (part("bit 3 = 0x08: the motor is on, ignition"), part("bit 4 = 0x10: the key is turned, car awake", 2)),
        (part(CUT[:-5]), part(REST, 3)),
        (part(CUT[:-5]), part(REST, 1, top=0.95)),
        (part(CUT[:-5]), part(REST, 2, style=TextStyle(14, "Times-Roman"))),
        (part("relief valve"), part("spring", 2)),
        (part(CUT[:-5], kind=BlockKind.HEADING), part(REST, 2)),
    ],
)
def test_other_texts_on_the_next_page_do_not_go_on(above: PageItem, rest: PageItem) -> None:
    assert with_whole_paragraphs([above, rest], frozenset()) == [above, rest]
