"""The units of evidence in a chunk: sentences, list items and table rows, with their context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.lang.terms import terms, words
from pipelines.lang.word_lists import cue
from pipelines.retrieve.choices import options_in
from pipelines.retrieve.contacts import with_contacts
from pipelines.retrieve.entries import (
    COLONS,
    ITEM_MARK,
    is_question,
    read_entries,
    whole_answers,
)
from pipelines.retrieve.form_lines import with_form_lines
from pipelines.retrieve.hit import Hit, ListItem, TableRow
from pipelines.retrieve.labels import LABELLED_LINE, is_version, read_headings
from pipelines.retrieve.mail_headers import QUOTED, sender_in, with_mail_headers
from pipelines.retrieve.records import with_records
from pipelines.retrieve.signatures import with_signatures
from pipelines.retrieve.table_rows import EvidenceLine, Fields, cells_of, is_row, read_tables
from pipelines.retrieve.turned_tables import with_turned_tables
from pipelines.retrieve.unit_spans import unit_spans

_NUMBERING = re.compile(r"^\s*\d+(?:\.\d+)*\.(?=\s|$)|[\W_]+")
_BESIDE, _BESIDE_LENGTH = 2, 400
"""Maximum sentences and characters shown before a quote, and after it: for 18 of 309 questions in prose one sentence on
either side has the answer that the quote lacks, for 27 two have it."""


@dataclass(frozen=True, slots=True)
class EvidenceUnit:
    """A sentence, list item or table row of a chunk.

    - `rank`: the rank of its hit.
    - `span`: its span in the document's text.
    - `header`: the table row with the column names, or "".
    - `heading`: the nearest heading above it in the chunk.
    - `label`: whether it only names something: a heading, a table header, a glossary term, a question, or an entry of
      a bibliography or table of contents.
    - `fields`: (column name, cell) of a row, with merged cells repeated and units added; empty if the columns are
      unknown.
    - `group`: for a row, the merged cell over all columns above it; for a sentence, the glossary term it describes, or
      the question above it that it answers.
    - `table`: the id of its table, or "".
    - `depth`: the depth of the list item that it is in, from 1; 0 if the document has none here.
    - `said`: the header of the mail that it is in: "From: Anna Berg <anna@plant.example>; Date: 2026-11-02"; or "".
    - `own`: its terms, with those of header, fields and glossary term.
    - `denied`: the terms of a row that are only in columns with a negated name ("Not suitable for"), with this name,
      the names of the columns without a mark in a row of marks: "Drive belt | daily: | weekly: x", and the options that
      are not checked: "☒ passed ☐ failed".
    - `near`: the terms of the adjacent units.
    - `above`: the terms of title, file name, headings and caption.
    - `chunk`: the terms of its whole chunk.
    """

    hit: Hit
    rank: int
    span: Span
    text: str
    header: str
    heading: str
    label: bool
    fields: Fields
    group: str
    table: str
    depth: int
    said: str
    own: frozenset[str]
    denied: frozenset[str]
    near: frozenset[str]
    above: frozenset[str]
    chunk: frozenset[str]

    @property
    def is_row(self) -> bool:
        """Whether it is a table row."""
        return is_row(self.text)

    @property
    def is_paired(self) -> bool:
        """Whether it is a row of labels and their texts in turn: "Machine | Pump P-301 | Date | 3 June 2025"."""
        return bool(self.fields) and cells_of(self.text)[0] == self.fields[0][0]

    @property
    def labelled(self) -> tuple[str, str] | None:
        """Label and text of "Maker: Rocca", also in a list or in two cells without a header; None for other units."""
        if len(self.fields) == 1 and self.is_paired:
            return self.fields[0]
        if self.is_row and not (self.header or self.fields or self.label):
            label, *texts = cells_of(self.text)
            return (label, texts[0]) if len(texts) == 1 and label and texts[0] else None
        mark = ITEM_MARK.match(self.text)
        found = None if self.is_row else LABELLED_LINE.match(self.text, mark.end() if mark else 0)
        return (found["label"], self.text[found.end() :]) if found else None

    @property
    def is_of_version(self) -> bool:
        """Whether it is below the heading of a version, perhaps in a section of it."""
        return is_version(self.heading.partition(";")[0])

    @property
    def is_mail_header(self) -> bool:
        """Whether it is the header of a mail."""
        return bool(self.said) and self.text == self.said

    @property
    def is_repeated(self) -> bool:
        """Whether a mail repeats it from another one, with a mark before it."""
        return bool(self.said) and self.text.startswith(QUOTED)

    @property
    def is_question(self) -> bool:
        """Whether it asks something and answers nothing."""
        return is_question(self.text)

    def overlaps(self, other: EvidenceUnit) -> bool:
        """Whether another unit has a part of the same text."""
        return self.hit.document == other.hit.document and self.span.overlaps(other.span)

    def is_named(self, question: str) -> bool:
        """Whether a question names this row by a cell."""
        return bool(self.cells_named(question))

    def cells_named(self, question: str) -> frozenset[str]:
        """Return the cells with a digit, and the name of a record such as "Laura Mitchell", all whose words are in a
        question.

        A question about the weight of the Hulda 2 names a row "Hulda 2", but not a row "Hulda 2 Long".
        """
        asked = frozenset(words(question)) if self.fields else frozenset[str]()
        cells = [cell for _, cell in self.fields if any(map(str.isdigit, cell))]
        cells += [cell for name, cell in self.fields[:1] if not name and " " in cell]
        return frozenset(cell for cell in cells if asked.issuperset(words(cell)))


def units(hit: Hit, rank: int) -> list[EvidenceUnit]:
    """Return the sentences, list items and table rows of a hit's chunk in order."""
    found = _units(hit.chunk, hit.title, hit.uri, hit.rows, hit.headings, hit.items)
    return [EvidenceUnit(hit, rank, *fields) for fields in found]


def sentences_beside(hit: Hit, span: Span) -> tuple[str, str]:
    """Return the text before and after a span of the document's text in the chunk of `hit`, up to two sentences each.

    It ends at headings and tables, and is empty beside a table row, which is explained by its header.
    """
    found = units(hit, 0)
    inside = [place for place, unit in enumerate(found) if unit.span.overlaps(span)]
    if not inside or any(found[place].is_row for place in inside):
        return "", ""
    before, after = found[: inside[0]][-_BESIDE:], found[inside[-1] + 1 :][:_BESIDE]
    start, text = hit.chunk.provenance.span.start, hit.chunk.text
    first = min((unit.span.start for unit in _flowing(reversed(before))), default=span.start)
    last = max((unit.span.end for unit in _flowing(after)), default=span.end)
    return text[first - start : span.start - start].strip(), text[span.end - start : last - start].strip()


def _flowing(found: Iterable[EvidenceUnit]) -> Iterator[EvidenceUnit]:
    """Yield the units up to the first heading or row, and up to the maximum length."""
    length = 0
    for unit in found:
        length += len(unit.span)
        if unit.label or unit.is_row or length > _BESIDE_LENGTH:
            return
        yield unit


_Terms = frozenset[str]
_UnitFields = tuple[Span, str, str, str, bool, Fields, str, str, int, str, _Terms, _Terms, _Terms, _Terms, _Terms]
"""The fields of `EvidenceUnit` from `span` on, which do not depend on the hit."""


@lru_cache(maxsize=512)  # consecutive questions often find the same chunks
def _units(
    chunk: Chunk,
    title: str,
    uri: str,
    rows: tuple[TableRow, ...],
    headings: tuple[tuple[int, str], ...],
    items: tuple[ListItem, ...],
) -> tuple[_UnitFields, ...]:
    pieces = [EvidenceLine(span, span.slice(chunk.text)) for span in whole_answers(unit_spans(chunk.text), chunk.text)]
    _read_items(pieces, chunk, items)
    read_headings(pieces, chunk, {title, *chunk.heading_path}, [place for place, _ in headings])
    read_entries(pieces, chunk.text, chunk.language)
    start = chunk.provenance.span.start
    known = [replace(row, span=row.span.shifted(-start)) for row in rows]
    read_tables(pieces, chunk.context, chunk.text, known, chunk.language)
    pieces = with_turned_tables(pieces)
    pieces = with_mail_headers(pieces, chunk)
    places = [place for place, _ in headings]
    pieces = with_contacts(with_records(pieces, chunk, places, items), chunk, places)
    pieces = with_signatures(with_form_lines(pieces, chunk), chunk, places)
    named = _terms(" ".join((title, _name(uri), *chunk.heading_path)), chunk.language)
    own = [_terms(_searched_text(piece), chunk.language) for piece in pieces]
    whole = _terms(" ".join((chunk.context, *{piece.said for piece in pieces})), chunk.language).union(*own)
    found: list[_UnitFields] = []
    leads = list(_introductions(pieces, own))
    for index, piece in enumerate(pieces):
        if len(_NUMBERING.sub("", piece.text)) <= 1:
            continue
        near = frozenset[str]().union(*own[max(0, index - 2) : index], *own[index + 1 : index + 2])
        above = named | _terms(f"{piece.heading} {sender_in(piece.said)}", chunk.language) | leads[index]
        head = (piece.span.shifted(start), piece.text, piece.header, piece.heading, piece.label)
        denied = _denied_terms(piece.fields, chunk.language) | _unchosen_terms(piece.text, chunk.language)
        # The names in the header of a mail are near to nothing, but it is found by them.
        found_by = _terms(piece.text, chunk.language) if piece.text == piece.said else own[index]
        context = (piece.fields, piece.group, piece.table, piece.depth, piece.said)
        found.append((*head, *context, found_by, denied, near, above, whole))
    return tuple(found)


def _searched_text(piece: EvidenceLine) -> str:
    if piece.silent:
        return ""
    term = "" if piece.is_row else piece.group
    return " ".join((term, piece.header, piece.text, *(part for field in piece.fields for part in field)))


def _denied_terms(fields: Fields, language: str) -> frozenset[str]:
    denies = cue("denies", language)
    denied = " ".join(f"{name} {cell}" for name, cell in fields if cell and denies.search(name))
    affirmed = " ".join(cell for name, cell in fields if not denies.search(name)) if denied else ""
    if marked := _marked(fields):
        denied = " ".join((denied, *(name for name, _ in fields[1:] if name not in marked)))
        affirmed = " ".join((affirmed, fields[0][1], *marked))
    return _terms(denied, language) - _terms(affirmed, language)


def _unchosen_terms(text: str, language: str) -> frozenset[str]:
    chosen, others = options_in(text)
    return _terms(others, language) - _terms(chosen, language) if others else frozenset()


def _marked(fields: Fields) -> frozenset[str]:
    """Return the names of the columns that a row has a mark in, if it has only marks behind its first cell."""
    marks = [(name, cell.strip()) for name, cell in fields[1:] if cell.strip()]
    told = len(fields) > 2 and all(cue("yes").fullmatch(cell) for _, cell in marks)
    return frozenset(name for name, _ in marks) if told else frozenset()


def _terms(text: str, language: str) -> frozenset[str]:
    return frozenset(terms(text, language, stop=False))


def _read_items(pieces: Sequence[EvidenceLine], chunk: Chunk, items: Iterable[ListItem]) -> None:
    """Set the depth of the list item that each unit begins in."""
    start, left = chunk.provenance.span.start, iter(items)
    item = next(left, None)
    for piece in pieces:
        place = piece.span.start + start
        while item is not None and item.span.end <= place:
            item = next(left, None)
        if item is not None and item.span.start <= place:
            piece.depth = item.depth


def _introductions(pieces: Sequence[EvidenceLine], own: Sequence[_Terms]) -> Iterator[_Terms]:
    """Yield for each piece the terms of the sentence that introduces its list: "Maximum power by frequency:"."""
    lead: _Terms = frozenset()
    for piece, words_of in zip(pieces, own, strict=True):
        text = not (piece.is_row or piece.label)
        if text and not piece.text.endswith(COLONS) and (piece.depth or ITEM_MARK.match(piece.text)):
            yield lead
        else:
            yield frozenset()
            lead = words_of if text else frozenset()


def _name(uri: str) -> str:
    return uri.rsplit(".", 1)[0].replace("/", " ").replace("_", " ").replace("!", " ")
