"""What is quoted: a sentence or a row of a table, with what stands around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.core.provenance import Span
from pipelines.core.sentences import sentences
from pipelines.core.terms import terms
from qa.hit import Hit

_RULE = " | "
_LONGEST = 700
"""Characters of a sentence that is still quoted whole."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or table row of a chunk. `span` counts in the document's text.

    `header` is the row that names the columns, empty for a sentence. `own` are its terms, the header's too, `near`
    those of the units beside it, `above` those of title, file name and headings.
    """

    hit: Hit
    rank: int
    span: Span
    text: str
    header: str
    own: frozenset[str]
    near: frozenset[str]
    above: frozenset[str]


def units(hit: Hit, rank: int) -> list[Unit]:
    """Return the sentences and rows of a hit's chunk in order; a header row is no unit of its own."""
    chunk = hit.chunk
    start = chunk.provenance.span.start
    pieces = [(span, span.slice(chunk.text)) for span in _pieces(chunk.text)]
    headers = _headers([text for _, text in pieces], chunk.context)
    own = [
        frozenset(terms(f"{header} {text}", stop=False)) for (_, text), header in zip(pieces, headers, strict=True)
    ]
    above = frozenset(terms(" ".join((hit.title, _name(hit.uri), *chunk.heading_path)), stop=False))
    found = []
    for index, (span, text) in enumerate(pieces):
        near = frozenset[str]().union(*own[max(0, index - 2) : index], *own[index + 1 : index + 2])
        found.append(Unit(hit, rank, span.shifted(start), text, headers[index], own[index], near, above))
    return [unit for unit in found if any(character.isalnum() for character in unit.text)]


def _pieces(text: str) -> Iterator[Span]:
    for span in sentences(text):
        if _RULE in span.slice(text) and "\n" in span.slice(text):
            yield from _lines(span, text)
        elif len(span) > _LONGEST:
            yield from _lines(span, text)
        else:
            yield span


def _lines(span: Span, text: str) -> Iterator[Span]:
    start = span.start
    for line in span.slice(text).splitlines(keepends=True):
        end = start + len(line.rstrip())
        if line.strip():
            yield Span(start + len(line) - len(line.lstrip()), end)
        start += len(line)


def _headers(texts: list[str], context: str) -> list[str]:
    """For each row the header of its table: the chunk's context, or the first row of the run that it is in."""
    found: list[str] = []
    header = ""
    for index, text in enumerate(texts):
        if _RULE not in text:
            header = ""
        elif not header:
            header = context if context and index == 0 else text
        found.append(header if header != text else "")
    return found


def _name(uri: str) -> str:
    return uri.rsplit(".", 1)[0].replace("/", " ").replace("_", " ").replace("!", " ")
