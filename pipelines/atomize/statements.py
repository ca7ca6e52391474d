"""Atomic statements: sentences, rows and figures, each with what it takes to be understood alone (PIKE-RAG 5.1.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipelines.atomize.content import Content, FigurePlace
from pipelines.core.knowledge import Atom, AtomKind
from pipelines.core.provenance import Provenance
from pipelines.core.terms import CJK, normalize, terms

_FEWEST_TERMS = 3
_LONGEST = 600
"""Characters of a statement; what is longer, such as a page of OCR without marks, states nothing in particular."""
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
            lead = row.grid.caption or _lead(content, text)
            found.append(_atom(content, _joined(lead, text), content.layout.provenance(row.span)))
    return _distinct(found)


def figure_statements(content: Content) -> list[Atom]:
    """Return for each figure what its caption, its description and the text in it say."""
    found: list[Atom] = []
    for place in content.figures:
        text = _figure_text(place)
        if text:
            found.append(_atom(content, _joined(_lead(content, text), text), place.provenance))
    return _distinct(found)


def _from_sentences(content: Content) -> Iterator[Atom]:
    for sentence in content.sentences:
        text = " ".join(sentence.text.split())
        states = sentence.prose and len(text) <= _LONGEST and not text.endswith(("?", "？", ":", "："))
        if states and _HAS_LETTERS.search(text) and len(terms(text)) >= _FEWEST_TERMS:
            yield _atom(content, _joined(_lead(content, text), text), content.layout.provenance(sentence.span))


def _lead(content: Content, text: str) -> str:
    """Return the parts of the heading path that the text does not say itself."""
    said = normalize(text)
    return " > ".join(part for part, form in content.path if form not in said)


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
