"""Questions for single cells of all tables of a knowledge base, and for cells that do not exist.

    python benchmarks/cell_questions.py KB [KB ...] [--count 120] [--show]

Needs no answers written by hand: "What is the COLUMN of KEY?" has the cell as its answer, where KEY is the first cell
of a row. The same question with another figure in KEY that is in no text, or with a column of another table, has none.
Prints for each kind how many answers have the cell, are refused, carry a warning, or are wrong without one.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipelines.retrieve.evidence import EvidenceUnit, units
from qa.knowledge_base import KnowledgeBase

SEED = 5
_LONGEST_KEY, _LONGEST_NAME = 60, 40
"""Maximum characters of a first cell and of a column name: longer ones are sentences, which nobody would ask with."""
_FIGURE = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with its column, the first cell of its row, and the names of all columns of its table."""

    key: str
    column: str
    text: str
    columns: tuple[str, ...]

    @property
    def question(self) -> str:
        return f"What is the {self.column} of {self.key}?"


def rows_of(knowledge: KnowledgeBase) -> Iterator[EvidenceUnit]:
    """Yield all table rows with known columns."""
    corpus = knowledge.confined()
    for overview in corpus.overviews(corpus.documents):
        for hit in overview.hits:
            yield from (unit for unit in units(hit, 0) if unit.is_row and not unit.label and len(unit.fields) > 1)


def cells_of_rows(rows: Sequence[EvidenceUnit]) -> list[Cell]:
    """Return the cells of rows whose first cell names them and no other row, in random order."""
    times = Counter(unit.fields[0][1] for unit in rows)
    found = [
        Cell(key, name, text, tuple(column for column, _ in unit.fields))
        for unit in rows
        if times[key := unit.fields[0][1]] == 1 and 2 < len(key) < _LONGEST_KEY and any(map(str.isalpha, key))
        for name, text in unit.fields[1:]
        if name and text and len(name) < _LONGEST_NAME and len(text) < _LONGEST_KEY
    ]
    random.shuffle(found)
    return found


def with_other_figures(cells: Sequence[Cell], texts: str) -> Iterator[str]:
    """Yield questions whose key has another figure, and is in no text."""
    for cell in cells:
        key = _FIGURE.sub(lambda match: str((int(match.group()) + 3) % 10), cell.key, count=1)
        if key != cell.key and key not in texts:
            yield replace(cell, key=key).question


def with_other_columns(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield questions for a column that the table does not have."""
    names = sorted({cell.column for cell in cells if cell.column.replace(" ", "").isalpha()})
    for cell in cells:
        others = [name for name in names if name not in cell.columns]
        if others:
            yield replace(cell, column=random.choice(others)).question


def judged(knowledge: KnowledgeBase, questions: Sequence[tuple[str, str]], show: bool) -> str:
    """Return the counts for pairs of a question and its answer, "" if there is none."""
    found: Counter[str] = Counter()
    for question, right in questions:
        answer = knowledge.ask(question)
        kind = "refused" if answer.abstained else "warned" if answer.warnings else "wrong"
        kind = "right" if right and not answer.abstained and right in answer.text else kind
        found[kind] += 1
        if show and kind == "wrong":
            print(f"  {question} ({right or 'none'}): {answer.text}")
    return f"{len(questions)} questions: " + ", ".join(f"{number} {kind}" for kind, number in sorted(found.items()))


def main() -> None:
    """Ask, and print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kb", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--show", action="store_true", help="print the wrong answers without a warning")
    told = parser.parse_args()
    for kb in told.kb:
        random.seed(SEED)
        with KnowledgeBase.open(kb) as knowledge:
            rows = list(rows_of(knowledge))
            cells, texts = cells_of_rows(rows), "\n".join(unit.text for unit in rows)
            right = [(cell.question, cell.text) for cell in cells[: told.count]]
            figures = [(question, "") for question in with_other_figures(cells, texts)][: told.count]
            columns = [(question, "") for question in with_other_columns(cells[: told.count])]
            for name, asked in (("cells", right), ("other figures", figures), ("other columns", columns)):
                print(f"{kb.name}: {name}: {judged(knowledge, asked, told.show)}")


if __name__ == "__main__":
    main()
