"""Atoms without a model: statements (PIKE-RAG 5.1.2), and templated questions for the cells of tables (5.3.1).

Statements are sentences, table rows and figures, prefixed by the headings they need: "It is 16 bar." below "Pump Manual
> Pressure" becomes "Pump Manual > Pressure: It is 16 bar."

Templated questions consist of the names of a cell's row and column: "Pump data > Table 1: Head, K65-200?" asks for the
cell independently of the language, because a question in any language contains these names and few other significant
words. The atoms are marked as templated, and generated if `atomize.row_questions` is set. For 15 questions about cells
of `examples/documents` and `industrial`, a search of four atoms finds the row for 14 with them and for 12 without.
Retrieval over all layers, which also uses rows as statements, does not gain from them, and two of the 30 quoted answers
of `industrial` get worse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipelines.atomize.distiller import ChunkContent, ChunkRow, HeadingPath
from pipelines.core.document import Figure
from pipelines.core.ids import normalize
from pipelines.core.knowledge import Atom, AtomKind
from pipelines.core.provenance import Provenance
from pipelines.lang.characters import CJK, MARK, WITHOUT_BLANKS
from pipelines.lang.sentences import QUESTION_MARKS
from pipelines.lang.terms import words

_FEWEST_WORDS, _FEWEST_CHARACTERS = 3, 6
"""Minimum words of a statement; minimum characters in a script without spaces, or in Korean."""
_LONGEST = 600
"""Maximum characters of a statement: a longer "sentence" is a page of OCR text without punctuation."""
_BULLET = re.compile(r"^(?:[●○•▪◦·*–-]\s*)+")
_BY_CHARACTERS = re.compile(f"[{CJK}{WITHOUT_BLANKS}]")
_HAS_LETTERS = re.compile(rf"[^\W\d_][{MARK}]*[^\W\d_]|[{CJK}]")


def statements(content: ChunkContent, limit: int) -> list[Atom]:
    """Return the statements of a chunk: at most `limit` sentences, then every table row and figure."""
    from_sentences = _distinct(list(_sentence_statements(content)))[:limit]
    return _distinct([*from_sentences, *table_statements(content), *figure_statements(content)])


def table_statements(content: ChunkContent) -> list[Atom]:
    """Return the table rows of a chunk as statements, prefixed by title and caption or else by the heading path."""
    found: list[Atom] = []
    for row in content.rows:
        text = row.table.statement(row.number)
        if _HAS_LETTERS.search(text):
            lead = row_lead(content, row, text)
            found.append(_atom(content, _joined(lead, text), content.block_index.provenance(row.span)))
    return _distinct(found)


def row_lead(content: ChunkContent, row: ChunkRow, text: str) -> str:
    """Return what a row needs to be understood alone: title and caption of its table, or the headings above it."""
    caption = row.table.caption
    if not caption:
        return _lead(content.path, text)
    return " > ".join(filter(None, (_lead(content.path[:1], f"{caption} {text}"), caption)))


def figure_statements(content: ChunkContent) -> list[Atom]:
    """Return a statement for each figure of a chunk: caption, description and OCR text under the heading path."""
    found: list[Atom] = []
    for one in content.figures:
        text = _figure_text(one.figure)
        if text:
            found.append(_atom(content, _joined(_lead(content.path, text), text), one.provenance))
    return _distinct(found)


def _sentence_statements(content: ChunkContent) -> Iterator[Atom]:
    for sentence in content.sentences:
        text = _BULLET.sub("", " ".join(sentence.text.split()))
        if sentence.prose and _is_statement(text):
            yield _atom(
                content, _joined(_lead(sentence.path, text), text), content.block_index.provenance(sentence.span)
            )


def _is_statement(text: str) -> bool:
    if len(text) > _LONGEST or text.endswith((*QUESTION_MARKS, ":", "：")):
        return False
    runs = [run for run in words(text) if _HAS_LETTERS.search(run)]
    return len(runs) >= _FEWEST_WORDS or len(_BY_CHARACTERS.findall(text)) >= _FEWEST_CHARACTERS


def _lead(path: HeadingPath, text: str) -> str:
    """Return the headings of a path that the text does not contain: "Pump Manual > Seals"."""
    own = normalize(text)
    return " > ".join(part for part, form in path if form not in own)


def _figure_text(figure: Figure) -> str:
    parts = (figure.caption, figure.description, figure.ocr_text)
    return " ".join(" ".join(parts).split())[:_LONGEST]


def _joined(lead: str, text: str) -> str:
    return f"{lead}: {text}" if lead else text


def _atom(content: ChunkContent, text: str, provenance: Provenance) -> Atom:
    chunk = content.chunk.id
    return Atom(Atom.make_id(chunk, AtomKind.STATEMENT, text), chunk, AtomKind.STATEMENT, text, provenance)


def _distinct(atoms: list[Atom]) -> list[Atom]:
    return list({atom.id: atom for atom in atoms}.values())


_FEWEST_VALUES = 2
"""Minimum values of a row for a question about each: for a single value, the row's statement is equivalent."""
_LONGEST_NAME = 80
"""Maximum characters of the name of a row or column: a longer text is not a name."""


def row_questions(content: ChunkContent) -> list[Atom]:
    """Return a question for each value of the chunk's table rows, each text once."""
    atoms = (atom for row in content.rows for atom in _questions(content, row))
    return list({atom.id: atom for atom in atoms}.values())


def _questions(content: ChunkContent, row: ChunkRow) -> Iterator[Atom]:
    key, *values = row.table.fields(row.number) or (None,)
    if key is None or key.name != row.table.names[0] or key.type == "number" or len(key.value) > _LONGEST_NAME:
        return
    named = [value for value in values if value.name and value.name != key.name and len(value.name) <= _LONGEST_NAME]
    if len(named) < _FEWEST_VALUES:
        return
    lead = row_lead(content, row, key.value)
    for value in named:
        text = f"{lead}: {value.name}, {key.value}?" if lead else f"{value.name}, {key.value}?"
        id = Atom.make_id(content.chunk.id, AtomKind.QUESTION, text)
        place = content.block_index.provenance(row.span)
        yield Atom(id, content.chunk.id, AtomKind.QUESTION, text, place, templated=True)
