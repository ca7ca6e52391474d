"""What is quoted: a sentence, a list item or a row of a table, with what stands around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.core.provenance import Span
from pipelines.core.sentences import sentences
from pipelines.core.terms import terms
from qa.hit import Hit

RULE = " | "
_LINE = re.compile(r"\n(?!\s*[a-zà-ÿ])")
"""A line is a block of its own, unless it goes on in small letters."""
_HEADING_LENGTH = 80
_ENDINGS = ".!?;:,。!?;:,"


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, item or row of a chunk. `span` counts in the document's text.

    `header` is the row that names the columns, empty where there is none. `label` says that the unit only names what
    follows it: a heading, a caption, the header of a table. `own` are its terms with the header's, `near` those of
    the units beside it, `above` those of title, file name, headings and caption.
    """

    hit: Hit
    rank: int
    span: Span
    text: str
    header: str
    label: bool
    own: frozenset[str]
    near: frozenset[str]
    above: frozenset[str]


@dataclass(slots=True)
class _Piece:
    """A unit in the making; `heading` is the line that heads it."""

    span: Span
    text: str
    header: str = ""
    heading: str = ""
    label: bool = False


def units(hit: Hit, rank: int) -> list[Unit]:
    """Return the sentences, items and rows of a hit's chunk in order."""
    chunk = hit.chunk
    pieces = [_Piece(span, span.slice(chunk.text)) for span in _spans(chunk.text)]
    _read_headings(pieces, chunk.text, chunk.heading_path)
    _read_tables(pieces, chunk.context)
    title = frozenset(_terms(" ".join((hit.title, _name(hit.uri), *chunk.heading_path))))
    own = [frozenset(_terms(f"{piece.header} {piece.text}")) for piece in pieces]
    found = []
    for index, piece in enumerate(pieces):
        near = frozenset[str]().union(*own[max(0, index - 2) : index], *own[index + 1 : index + 2])
        above = title | frozenset(_terms(piece.heading))
        span = piece.span.shifted(chunk.provenance.span.start)
        found.append(Unit(hit, rank, span, piece.text, piece.header, piece.label, own[index], near, above))
    return [unit for unit in found if any(character.isalnum() for character in unit.text)]


def _terms(text: str) -> list[str]:
    return terms(text, stop=False)


def _spans(text: str) -> Iterator[Span]:
    start = 0
    for end in [*(match.start() for match in _LINE.finditer(text)), len(text)]:
        line = text[start:end]
        if RULE in line:
            lead = len(line) - len(line.lstrip())
            yield Span(start + lead, start + len(line.rstrip()))
        else:
            yield from (span.shifted(start) for span in sentences(line))
        start = end


def _read_headings(pieces: list[_Piece], text: str, path: tuple[str, ...]) -> None:
    heading = ""
    for piece in pieces:
        line = " ".join(piece.text.split())
        if line in path or _is_heading(line, text, piece.span.end):
            piece.label, heading = True, line
        piece.heading = heading


def _is_heading(line: str, text: str, end: int) -> bool:
    """Whether a line stands alone, is short and says nothing to its end: "5.2 Cavitation rattle"."""
    alone = text[end : end + 2] in ("\n\n", "")
    short = len(line) <= _HEADING_LENGTH and RULE not in line and not line.endswith(tuple(_ENDINGS))
    return alone and short and line[:1].isalnum() and not line[:1].islower()


def _read_tables(pieces: list[_Piece], context: str) -> None:
    """Give each row its header (the chunk's context, or the first row of its run) and the line above the table."""
    header = caption = ""
    for index, piece in enumerate(pieces):
        if RULE not in piece.text:
            header, caption = "", piece.text
        elif header:
            piece.header = header
        elif context and index == 0:
            header = piece.header = context
        else:
            following = pieces[index + 1].text if index + 1 < len(pieces) else ""
            header, piece.label = piece.text, RULE in following
        if RULE in piece.text:
            piece.heading = f"{piece.heading} {caption}"


def _name(uri: str) -> str:
    return uri.rsplit(".", 1)[0].replace("/", " ").replace("_", " ").replace("!", " ")
