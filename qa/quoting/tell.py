"""How a unit of evidence is told on one line: a row by the cells that are asked for."""

from __future__ import annotations

from pipelines.lang.quantities import gives
from pipelines.lang.terms import terms
from pipelines.retrieve.evidence import RULE, EvidenceUnit, cells_of
from qa.quoting.question import QuestionTerms


def tell(unit: EvidenceUnit, question: QuestionTerms) -> str:
    """Return the unit's text on one line; of a row its first cell, and the cells of the columns asked for."""
    if RULE not in unit.text:
        return " ".join(unit.text.split())
    cells, names = cells_of(unit.text), cells_of(unit.header)
    if len(names) != len(cells):
        return ", ".join(cell for cell in cells if cell)
    asked = _columns_of_codes(names, question, unit.hit.chunk.language) or _columns_asked(names, cells, question, unit)
    parts = [
        f"{name}: {cell}" if name and name != cell else cell
        for index, (name, cell) in enumerate(zip(names, cells, strict=True))
        if index > 0 and cell and (not asked or index in asked)
    ]
    return "; ".join(part for part in (cells[0], *parts) if part)


def _columns_asked(names: list[str], cells: list[str], question: QuestionTerms, unit: EvidenceUnit) -> set[int]:
    """The columns that the question names or whose values it asks for, with those whose cells it names.

    None where no column is asked for: the whole row tells then.
    """
    language = unit.hit.chunk.language
    forms = question.forms(language)
    rows = list(enumerate(zip(names, cells, strict=True)))
    wanted = {place for place, (name, _) in rows if forms.intersection(terms(name, language, stop=False))}
    wanted |= {
        place
        for place, (name, cell) in rows
        if gives(question.wants, f"{name} |\n{cell}", language) or question.wants_of(name, cell, language)
    }
    named = {place for place, (_, cell) in rows if forms.intersection(terms(cell, language, stop=False))}
    return wanted | named if wanted - {0} else set()


def _columns_of_codes(names: list[str], question: QuestionTerms, language: str) -> set[int]:
    """The columns whose names have a code of the question ("K80-250"), and those that have none at all (units)."""
    named = [frozenset(terms(name, language, stop=False)) for name in names]
    wanted = {index for index, found in enumerate(named) if found & question.codes}
    rivals = {index for index, found in enumerate(named) if any(any(c.isdigit() for c in term) for term in found)}
    return wanted | (set(range(len(names))) - rivals) if wanted else set()
