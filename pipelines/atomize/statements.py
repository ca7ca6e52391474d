"""Atomic statements: sentences, rows and figures, each with what it takes to be understood alone (PIKE-RAG 5.1.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipelines.atomize.content import Content, FigurePlace, Path
from pipelines.core.ids import normalize
from pipelines.core.knowledge import Atom, AtomKind
from pipelines.core.provenance import Provenance
from pipelines.lang.characters import CJK, CJK_CHARACTER
from pipelines.lang.terms import words

_FEWEST_WORDS, _FEWEST_CHARACTERS = 3, 6
"""Words of a statement, and characters where it is Chinese, at least."""
_LONGEST = 600
"""Characters of a statement; what is longer, such as a page of OCR without marks, states nothing in particular."""
_BULLET = re.compile(r"^(?:[●○•▪◦·*–-]\s*)+")
_HAS_LETTERS = re.compile(rf"[^\W\d_]{{2}}|[{CJK}]")


def statements(content: Content, limit: int) -> list[Atom]:
    """Return at most `limit` sentences of a chunk as statements, besides a statement for each row and figure in it."""
    said = _distinct(list(_from_sentences(content)))[:limit]
    return _distinct([*said, *table_statements(content), *figure_statements(content)])


def table_statements(content: Content) -> list[Atom]:
    """Return the rows of a chunk as statements, each under its table's caption or what the chunk stands under."""
    found: list[Atom] = []
    for row in content.rows:
        text = row.grid.statement(row.number)
        if _HAS_LETTERS.search(text):
            lead = row.grid.caption or _lead(content.path, text)
            found.append(_atom(content, _joined(lead, text), content.layout.provenance(row.span)))
    return _distinct(found)


def figure_statements(content: Content) -> list[Atom]:
    """Return for each figure what its caption, its description and the text in it say."""
    found: list[Atom] = []
    for place in content.figures:
        text = _figure_text(place)
        if text:
            found.append(_atom(content, _joined(_lead(content.path, text), text), place.provenance))
    return _distinct(found)


def _from_sentences(content: Content) -> Iterator[Atom]:
    for sentence in content.sentences:
        text = _BULLET.sub("", " ".join(sentence.text.split()))
        if sentence.prose and _states(text):
            yield _atom(content, _joined(_lead(sentence.path, text), text), content.layout.provenance(sentence.span))


def _states(text: str) -> bool:
    if len(text) > _LONGEST or text.endswith(("?", "？", ":", "：")):
        return False
    runs = [run for run in words(text) if _HAS_LETTERS.search(run)]
    return len(runs) >= _FEWEST_WORDS or len("".join(CJK_CHARACTER.findall(text))) >= _FEWEST_CHARACTERS


def _lead(path: Path, text: str) -> str:
    """Return the parts of a path that the text does not say itself."""
    said = normalize(text)
    return " > ".join(part for part, form in path if form not in said)


def _figure_text(place: FigurePlace) -> str:
    figure = place.figure
    parts = (figure.caption, figure.description, figure.ocr_text)
    return " ".join(" ".join(parts).split())[:_LONGEST]


def _joined(lead: str, text: str) -> str:
    return f"{lead}: {text}" if lead else text


def _atom(content: Content, text: str, provenance: Provenance) -> Atom:
    chunk = content.chunk.id
    return Atom(Atom.make_id(chunk, AtomKind.STATEMENT, text), chunk, AtomKind.STATEMENT, text, provenance)


def _distinct(atoms: list[Atom]) -> list[Atom]:
    return list({atom.id: atom for atom in atoms}.values())
