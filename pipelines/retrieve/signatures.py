"""The end of a letter read as a row of a table: "Kind regards | Thermatec AB | Maja Lundqvist | Sales Manager".

Who signed a letter is told by the lines below its closing, each of which says nothing alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.lang.names import names_person
from pipelines.lang.terms import words
from pipelines.lang.word_lists import synonyms
from pipelines.retrieve.contacts import ABBREVIATED
from pipelines.retrieve.entries import ENDINGS, HEADING_LENGTH
from pipelines.retrieve.labels import begins_within, is_name
from pipelines.retrieve.record_runs import RecordLine, lines_of
from pipelines.retrieve.table_rows import RULE, EvidenceLine

_ENDS = tuple(mark for mark in ENDINGS if mark != ",")
_MOST_WORDS = 6
"""Maximum words of a closing: "Veuillez agréer, Madame, nos salutations distinguées"."""
_MOST_LINES = 6
"""Maximum lines below a closing: firm, department, name, function, place, country."""


def with_signatures(pieces: Sequence[EvidenceLine], chunk: Chunk, places: Sequence[int]) -> list[EvidenceLine]:
    """Return the units of a chunk, with a closing and the lines below it as one row, if one of them names a person.

    Args:
        pieces: the units in order.
        chunk: the chunk.
        places: where sections begin in the document.
    """
    lines = list(lines_of(pieces, chunk.text))
    found: list[EvidenceLine] = []
    done = 0
    for place, line in enumerate(lines):
        if line.first < done or not _closes(line, pieces):
            continue
        signed = list(_below(lines[place + 1 : place + 1 + _MOST_LINES], pieces, chunk, places))
        if not any(names_person(one.text, chunk.language) for one in signed):
            continue
        cells = [line.text, *(one.text for one in signed)]
        found += pieces[done : line.first]
        done = signed[-1].last + 1
        found.append(
            EvidenceLine(
                Span(pieces[line.first].span.start, pieces[done - 1].span.end),
                RULE.join(cells),
                heading=pieces[line.first].heading if not pieces[line.first].label else "",
                fields=tuple(("", cell) for cell in cells),
                table=f"{chunk.id} {line.first}",
            )
        )
    return [*found, *pieces[done:]]


def _closes(line: RecordLine, pieces: Sequence[EvidenceLine]) -> bool:
    """Whether a line closes a letter: a few words, one of which means the end of one; mails are read apart."""
    if line.label or len(line.text) > HEADING_LENGTH or pieces[line.first].said:
        return False
    own = words(line.text)
    return len(own) <= _MOST_WORDS and not synonyms("regards").union(("regards",)).isdisjoint(own)


def _below(
    lines: Sequence[RecordLine], pieces: Sequence[EvidenceLine], chunk: Chunk, places: Sequence[int]
) -> Iterator[RecordLine]:
    """Yield the lines that may be a part of a signature: short ones without a digit, up to the next section."""
    start = chunk.provenance.span.start

    def is_part(line: RecordLine) -> bool:
        first = pieces[line.first]
        opens = begins_within(first.span, places, start) or first.is_row or first.said
        ends = line.text.endswith(_ENDS) and not ABBREVIATED.search(line.text)
        return bool(line.text) and not opens and len(line.text) <= HEADING_LENGTH and is_name(line.text) and not ends

    return takewhile(is_part, lines)
