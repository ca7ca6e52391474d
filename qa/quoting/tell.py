"""How a quoted unit is told: a sentence as it stands, a table row with the names of its columns."""

from __future__ import annotations

from pipelines.lang.terms import terms
from qa.quoting.query import Query
from qa.quoting.unit import RULE, Unit


def tell(unit: Unit, query: Query) -> str:
    """Return the unit's text on one line; of a row its first cell, and the cells of the columns asked for by name."""
    if RULE not in unit.text:
        return " ".join(unit.text.split())
    cells = [cell.strip() for cell in unit.text.split("|")]
    names = [name.strip() for name in unit.header.split("|")] if unit.header else []
    if len(names) != len(cells):
        return ", ".join(cell for cell in cells if cell)
    asked = _asked(names, query)
    parts = [
        f"{name}: {cell}" if name and name != cell else cell
        for index, (name, cell) in enumerate(zip(names, cells, strict=True))
        if index > 0 and cell and (not asked or index in asked)
    ]
    return "; ".join(part for part in (cells[0], *parts) if part)


def _asked(names: list[str], query: Query) -> set[int]:
    """The columns whose names have a code of the question ("K80-250"), and those that have none at all (units)."""
    named = [frozenset(terms(name, stop=False)) for name in names]
    wanted = {index for index, found in enumerate(named) if found & query.codes}
    if not wanted:
        return set()
    rivals = {index for index, found in enumerate(named) if any(any(c.isdigit() for c in term) for term in found)}
    return wanted | (set(range(len(names))) - rivals)
