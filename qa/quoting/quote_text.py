"""How a unit of evidence is told on one line: a row by what heads it and the cells that are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from pipelines.lang.quantities import gives
from pipelines.lang.terms import terms
from pipelines.retrieve.evidence import EvidenceUnit
from pipelines.retrieve.table_rows import Fields, cells_of
from qa.quoting.question_terms import QuestionTerms


def quote_text(unit: EvidenceUnit, question: QuestionTerms, *, listed: bool = False) -> str:
    """Return the unit's text on one line; of a row its first cell, and the cells of the columns asked for.

    A row is told with the names of its columns, and with the merged cells that it stands under or beside. Of rows that
    are `listed` together the same columns are told.
    """
    if not unit.is_row:
        said = " ".join(unit.text.split())
        return said if not unit.group or said.startswith(unit.group) else f"{unit.group}: {said}"
    if not unit.fields:
        return ", ".join(cell for cell in cells_of(unit.text) if cell)
    asked = _columns_of_codes(unit.fields, question, unit.hit.chunk.language) or _columns_asked(question, unit, listed)
    cells = [field for place, field in enumerate(unit.fields) if place > 0 and (not asked or place in asked)]
    name, first = unit.fields[0]
    lead = ("" if any(map(str.isalpha, first)) else name, first)  # a figure alone does not name its row
    parts = [unit.group, _named(*lead), *_told_once([field for field in cells if field[1]])]
    return "; ".join(part for part in parts if part)


def _told_once(fields: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield cells with their names: a cell that spans several columns once, and a name that several cells have."""
    last = ""
    for cell, same in groupby(fields, key=lambda field: field[1]):
        name = _joined([name for name, _ in same if name])
        yield _named(name if name != last else "", cell)
        last = name


def _joined(names: Sequence[str]) -> str:
    """Names of columns one after the other; what all begin with, their common heading, is said once."""
    words = [name.split(" ") for name in dict.fromkeys(names)]
    shared = sum(1 for _ in takewhile(lambda same: len(set(same)) == 1, zip(*words, strict=False)))
    return ", ".join(" ".join(one[shared if place else 0 :]) for place, one in enumerate(words))


def _named(name: str, cell: str) -> str:
    return f"{name}: {cell}" if name and cell and name != cell else cell


def _columns_asked(question: QuestionTerms, unit: EvidenceUnit, listed: bool) -> set[int]:
    """The columns that the question names or whose values it asks for, with those whose cells it names.

    None where no column is asked for, or none whose cell the question has not: the whole row tells then.
    """
    language = unit.hit.chunk.language
    forms = question.forms(language)
    rows = list(enumerate(unit.fields))
    wanted = {place for place, (name, _) in rows if forms.intersection(terms(name, language, stop=False))}
    wanted |= {
        place
        for place, (name, cell) in rows
        if gives(question.wants, f"{name} |\n{cell}", language) or question.wants_of(name, cell, language)
    }
    named = {place for place, (_, cell) in rows if forms.intersection(terms(cell, language, stop=False))}
    if listed:
        return wanted
    return wanted | named if wanted - named - {0} else set()


def _columns_of_codes(fields: Fields, question: QuestionTerms, language: str) -> set[int]:
    """The columns whose names have a code of the question ("K80-250"), and those that have none at all (units)."""
    named = [frozenset(terms(name, language, stop=False)) for name, _ in fields]
    wanted = {index for index, found in enumerate(named) if found & question.codes}
    rivals = {index for index, found in enumerate(named) if any(any(c.isdigit() for c in term) for term in found)}
    return wanted | (set(range(len(named))) - rivals) if wanted else set()
