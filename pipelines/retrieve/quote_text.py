"""Formats a unit of evidence on one line; for a table row, its group and the cells that are asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile

from pipelines.lang.quantities import Kind, gives
from pipelines.lang.terms import terms
from pipelines.retrieve.entries import is_question
from pipelines.retrieve.evidence import EvidenceUnit
from pipelines.retrieve.labels import LABELLED_LINE
from pipelines.retrieve.mail_headers import told_by
from pipelines.retrieve.mail_questions import asks_for_header, gives_by_header
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.table_rows import cells_of
from pipelines.retrieve.tables import columns_asked, columns_of_codes


def quote_texts(units: Sequence[EvidenceUnit], question: QuestionTerms, naming: int | None = None) -> tuple[str, ...]:
    """Return the `quote_text` of units; a question in a document that several of them answer is in the first one."""
    told = list[str]()
    asked = ""
    for unit in units:
        text = quote_text(unit, question, naming)
        told.append(text.removeprefix(asked).lstrip() if asked and unit.group == asked else text)
        asked = text if unit.is_question else unit.group if is_question(unit.group) else ""
    return tuple(told)


def quote_text(unit: EvidenceUnit, question: QuestionTerms, naming: int | None = None) -> str:
    """Return the unit's text on one line; for a table row, its first cell and the cells of the columns asked for.

    Cells have the names of their columns, and rows the merged cell above them. Rows of a list have the same columns,
    and that with the name of the row (`naming`). A field such as "Location: Hall 3" has the heading above it if it is
    not the only one in its chunk.
    """
    if gives_by_header(question, unit):
        header = unit.said if asks_for_header(question, unit) else told_by(unit.said, unit.hit.chunk.language)
        return f"{header}; {quote_text(replace(unit, said=''), question, naming)}"
    if not unit.is_row:
        text = " ".join(unit.text.split())
        above = _tells_when(unit.heading, unit, question) or _asks_for_heading(question, unit)
        above = above or (not unit.group and _is_one_of_several(unit, question))
        if unit.group and not text.startswith(unit.group):
            text = f"{unit.group}{'' if is_question(unit.group) else ':'} {text}"
        heading = unit.heading.removesuffix(f"; {unit.group}") if above else ""
        return f"{heading}; {text}" if heading and heading != unit.group else text
    if not unit.fields:
        cells = [cell for cell in cells_of(unit.text) if cell]
        told = (": " if len(cells) == 2 else ", ").join(cells)
        return f"{unit.group}; {told}" if unit.group and not unit.label else told
    asked = columns_of_codes(question, unit) or columns_asked(question, unit, listed=naming is not None)
    return quote_cells(unit, asked | {naming or 0} if asked else range(len(unit.fields)))


def _is_one_of_several(unit: EvidenceUnit, question: QuestionTerms) -> bool:
    """Whether a unit is a field that other things in its chunk have too, and the question does not name its heading."""
    label = LABELLED_LINE.match(unit.text) if unit.heading else None
    if not label or unit.hit.chunk.text.count(f"\n{label[0].rstrip()}") < 2:
        return False
    language = unit.hit.chunk.language
    return not question.has_all(frozenset(terms(unit.heading, language)), language)


def _asks_for_heading(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether a question asks for what no passage names, and the heading of a unit, below the title, has a number.

    "Which version ...?" of a list of changes below "[2.1]".
    """
    if question.versions and unit.is_of_version:
        return True
    unknown = question.focus and question.focus <= question.unknown and not question.wants
    return bool(unknown) and unit.heading != unit.hit.title and any(map(str.isdigit, unit.heading))


def _tells_when(heading: str, unit: EvidenceUnit, question: QuestionTerms) -> bool:
    """Whether the heading above a unit tells when, as the question asks, and the unit does not."""
    kinds, language = question.wants & {Kind.DATE}, unit.hit.chunk.language
    return bool(heading and kinds) and gives(kinds, heading, language) and not gives(kinds, unit.text, language)


def quote_cells(unit: EvidenceUnit, places: Collection[int]) -> str:
    """Return the first cell of a table row and those at these places, with the names of their columns.

    Of a row of labels and their texts, these are the ones at these places.
    """
    if unit.is_paired:
        return "; ".join(_named(*field) for place, field in enumerate(unit.fields) if place in places)
    name, first = unit.fields[0]  # a number needs its column name
    others = (place for place in sorted(places) if place and unit.fields[place][1])
    cells = [unit.fields[place] for place in others if not _is_first_merged(unit, place)]
    parts = [unit.group, _named("" if any(map(str.isalpha, first)) else name, first), *_without_repetition(cells)]
    return "; ".join(part for part in parts if part)


def _is_first_merged(unit: EvidenceUnit, place: int) -> bool:
    """Whether a cell is part of the merged first cell, which the text of the row has once: "Total |  | 85.20 EUR"."""
    written = cells_of(unit.text)
    same = unit.fields[place][1] == unit.fields[0][1]
    return same and len(written) == len(unit.fields) and not written[place]


def _without_repetition(fields: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield cells with their column names, without repeating merged cells and names."""
    last = ""
    for cell, same in groupby(fields, key=lambda field: field[1]):
        name = _joined([name for name, _ in same if name])
        yield _named(name if name != last else "", cell)
        last = name


def _joined(names: Sequence[str]) -> str:
    """Return the column names, separated by commas; their common beginning is not repeated."""
    words = [name.split(" ") for name in dict.fromkeys(names)]
    shared = sum(1 for _ in takewhile(lambda same: len(set(same)) == 1, zip(*words, strict=False)))
    return ", ".join(" ".join(one[shared if place else 0 :]) for place, one in enumerate(words))


def _named(name: str, cell: str) -> str:
    return f"{name}: {cell}" if name and cell and name != cell else cell
