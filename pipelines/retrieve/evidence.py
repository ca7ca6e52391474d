"""The units of evidence in a chunk: sentences, list items and rows of tables, with what stands around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.lang.quantities import quantities
from pipelines.lang.sentences import sentences
from pipelines.lang.terms import terms, words
from pipelines.lang.word_lists import cue
from pipelines.retrieve.hit import Hit, TableRow
from pipelines.retrieve.table_rows import RULE, EvidenceLine, Fields, read_tables

_BREAKS = re.compile(r"\n\s*+")
_BLANK = "\n\n"
_SMALL = re.compile(r"[a-zà-ÿ]")
"""A line is a block of its own, unless it goes on in small letters in a paragraph that is wrapped."""
_NUMBERING = re.compile(r"^\s*\d+(?:\.\d+)*\.(?=\s|$)|[\W_]+")
_LEADING = re.compile(r"(?:\.[^\S\n]?){5}|…{2}")
"""Dots that lead from a title to its page: an entry of a table of contents."""
_OPENING = re.compile(r"(?:[^\W\d]+\s+)?\d+(?:\.\d+)*\.")
_HEADING_LENGTH = 80
_SAID_OF_A_TERM = 12
"""Terms that what is said of a term has more than, a line of text: items of a list are shorter."""
_SOURCES_LENGTH = 24
"""Characters of a heading such as "5. References" at most."""
_ENDINGS = ".!?;:,。!?;:,"
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")


@dataclass(frozen=True, slots=True)
class EvidenceUnit:
    """A sentence, item or row of a chunk. `span` counts in the document's text.

    `header` is the row that names the columns, empty where there is none, `heading` the line that heads it inside the
    chunk. `label` says that it only names something: a heading, the header of a table, the term that an entry of a
    glossary defines, an entry of a bibliography or of a table of contents. `fields` are the cells of a row under the
    names of their columns, with what merged cells hold and with their units, none where the columns are not known;
    `group` is the merged cell over all columns that heads the row, of a sentence the term that it is said of; `table`
    the id of its table, empty where it is not known. `own` are its terms with the header's, the fields' and those of
    the term that it is said of, `near` those of the units beside it, `above` those of title, file name, headings and
    caption, `chunk` those of its whole chunk.
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
    own: frozenset[str]
    near: frozenset[str]
    above: frozenset[str]
    chunk: frozenset[str]

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return RULE in self.text

    def is_named(self, question: str) -> bool:
        """Whether it is a row that a question names: a cell with a figure has no word that the question has not.

        "Hulda 2" is named where the weight of the Hulda 2 is asked for, "Hulda 2 Long" is not.
        """
        said = frozenset(words(question)) if self.fields else frozenset[str]()
        cells = (cell for _, cell in self.fields if any(map(str.isdigit, cell)))
        return any(said.issuperset(words(cell)) for cell in cells)


def units(hit: Hit, rank: int) -> list[EvidenceUnit]:
    """Return the sentences, items and rows of a hit's chunk in order."""
    return [EvidenceUnit(hit, rank, *told) for told in _units(hit.chunk, hit.title, hit.uri, hit.rows)]


_Terms = frozenset[str]
_Told = tuple[Span, str, str, str, bool, Fields, str, str, _Terms, _Terms, _Terms, _Terms]
"""What a unit says of itself, whoever found it: the fields of `EvidenceUnit` from `span` on."""


@lru_cache(maxsize=512)  # a chunk that answers one question is read for the next one too
def _units(chunk: Chunk, title: str, uri: str, rows: tuple[TableRow, ...]) -> tuple[_Told, ...]:
    pieces = [EvidenceLine(span, span.slice(chunk.text)) for span in _spans(chunk.text)]
    _read_headings(pieces, chunk, {title, *chunk.heading_path})
    _read_entries(pieces, chunk.text, chunk.language)
    start = chunk.provenance.span.start
    known = [replace(row, span=row.span.shifted(-start)) for row in rows]
    read_tables(pieces, chunk.context, chunk.text, known, chunk.language)
    named = _terms(" ".join((title, _name(uri), *chunk.heading_path)), chunk.language)
    own = [_terms(_said(piece), chunk.language) for piece in pieces]
    whole = _terms(chunk.context, chunk.language).union(*own)
    found: list[_Told] = []
    for index, piece in enumerate(pieces):
        if len(_NUMBERING.sub("", piece.text)) <= 1:
            continue
        near = frozenset[str]().union(*own[max(0, index - 2) : index], *own[index + 1 : index + 2])
        above = named | _terms(piece.heading, chunk.language)
        head = (piece.span.shifted(start), piece.text, piece.header, piece.heading, piece.label)
        found.append((*head, piece.fields, piece.group, piece.table, own[index], near, above, whole))
    return tuple(found)


def _said(piece: EvidenceLine) -> str:
    term = "" if piece.is_row else piece.group
    return " ".join((term, piece.header, piece.text, *(part for field in piece.fields for part in field)))


def _terms(text: str, language: str) -> frozenset[str]:
    return frozenset(terms(text, language, stop=False))


def _spans(text: str) -> Iterator[Span]:
    start = 0
    for end in [*_line_ends(text), len(text)]:
        line = text[start:end]
        if RULE in line or _LEADING.search(line):
            lead = len(line) - len(line.lstrip())
            yield Span(start + lead, start + len(line.rstrip()))
        else:
            yield from (span.shifted(start) for span in _whole(sentences(line), line))
        start = end


def _line_ends(text: str) -> Iterator[int]:
    wrapped: dict[int, bool] = {}
    for breaks in _BREAKS.finditer(text):
        places = [place for place in range(*breaks.span()) if text[place] == "\n"]
        start = text.rfind(_BLANK, 0, breaks.start()) + 1
        if len(places) == 1 and start not in wrapped:
            wrapped[start] = _is_wrapped(text[start:].strip().partition(_BLANK)[0].split("\n"))
        if len(places) > 1 or not wrapped[start] or not _SMALL.match(text, breaks.end()):
            yield from places


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Whether lines of a paragraph end where the next word has no room, and not where an item of a list does."""
    width = max(map(len, lines))
    return all(
        len(line) + 1 + len(after.split(maxsplit=1)[0]) > width
        for line, after in pairwise(lines)
        if _SMALL.match(after)
    )


def _whole(spans: list[Span], line: str) -> list[Span]:
    """A number that opens a line goes with what it numbers: "Table 1." with its caption, "4." with its heading."""
    if len(spans) > 1 and _OPENING.fullmatch(spans[0].slice(line)):
        return [Span(spans[0].start, spans[1].end), *spans[2:]]
    return spans


def _read_headings(pieces: list[EvidenceLine], chunk: Chunk, known: set[str]) -> None:
    heading, sources = "", cue("bibliography", chunk.language)
    for piece in pieces:
        line = " ".join(piece.text.split())
        if line in known or _is_heading(line, chunk, piece.span):
            piece.label, heading = True, line
        elif _LEADING.search(line) or (len(heading) <= _SOURCES_LENGTH and sources.search(heading)):
            piece.label = True
        piece.heading = heading


def _is_heading(line: str, chunk: Chunk, span: Span) -> bool:
    """Whether a line stands alone, is short, gives no value and does not end as a sentence: "5.2 Cavitation rattle"."""
    before, behind = chunk.text[: span.start].rstrip(" ")[-2:], chunk.text[span.end : span.end + 2]
    alone = before in (_BLANK, "\n", "") and behind in (_BLANK, "")
    short = len(line) <= _HEADING_LENGTH and RULE not in line and not line.endswith(tuple(_ENDINGS))
    return alone and short and line[:1].isalnum() and not line[:1].islower() and not quantities(line, chunk.language)


def _read_entries(pieces: Sequence[EvidenceLine], text: str, language: str) -> None:
    """Tell terms and what is said of them: options, parameters, directives and alarms, each with its description."""
    term = ""
    for before, piece, after in zip([None, *pieces], pieces, [*pieces[1:], None], strict=False):
        if piece.label or text[: piece.span.start].endswith(_BLANK):
            term = ""
        if after is not None and _is_term(before, piece, after, text, language):
            piece.label, term = True, " ".join(piece.text.split())
        elif term and not piece.is_row:
            piece.group = term


def _is_term(before: EvidenceLine | None, piece: EvidenceLine, after: EvidenceLine, text: str, language: str) -> bool:
    """Whether a line is short and no sentence, no item among such, and a paragraph stands right below it."""
    behind = text.find("\n", after.span.end)
    below = text[after.span.start : behind if behind >= 0 else len(text)].rstrip()
    return (
        _is_short_line(piece, text)
        and not (before is not None and before.span.end + 1 == piece.span.start and _is_short_line(before, text))
        and text[piece.span.end : after.span.start] == "\n"
        and not after.is_row
        and below.endswith(_SENTENCE_ENDS)
        and len(terms(below, language, stop=False)) > _SAID_OF_A_TERM
    )


def _is_short_line(piece: EvidenceLine, text: str) -> bool:
    line = piece.text
    whole = text[: piece.span.start].rstrip(" ")[-1:] in ("", "\n") and "\n" not in line
    plain = not (piece.label or piece.is_row or line.endswith(tuple(_ENDINGS)))
    return whole and plain and len(line) <= _HEADING_LENGTH


def _name(uri: str) -> str:
    return uri.rsplit(".", 1)[0].replace("/", " ").replace("_", " ").replace("!", " ")
