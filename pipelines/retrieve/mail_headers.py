"""The headers of mails, also those quoted in the text of another: who says what is below, to whom, and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, takewhile, zip_longest

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.lang.quantities import Kind, gives
from pipelines.lang.word_lists import cue
from pipelines.retrieve.entries import COLONS, SENTENCE_ENDS, is_question
from pipelines.retrieve.labels import is_below_blank
from pipelines.retrieve.record_runs import RecordLine, cut_at, lines_of, paragraph_starts
from pipelines.retrieve.table_rows import EvidenceLine

_FEWEST = 2
"""Minimum lines of a header."""
_DATED = frozenset({Kind.DATE})
_FORMAL_WORDS = 4
"""Maximum words of a line that only greets or signs: "Dear Mr and Mrs", "Mit freundlichen Grüßen", a name."""
QUOTED = ">"
"""The mark of lines that a mail repeats from another one."""
_COMMAS = (",", "，")
_BETWEEN = "; "
_ADDRESS = re.compile(r"<[^<>]{0,200}>")


def with_mail_headers(pieces: Sequence[EvidenceLine], chunk: Chunk) -> list[EvidenceLine]:
    """Return the units of a chunk with the lines of each header joined, and set `said` of those below it.

    The header itself, salutations and closings are labels whose words are not searched. A short answer is none, though
    it may look like a heading. Lines behind ">" are said by whom the line above them names.
    """
    lines = list(lines_of(pieces, chunk.text))
    paragraphs = cut_at(lines, paragraph_starts(pieces, lines, chunk.text))
    headers = {part[0].first: part for part in map(_header_of, paragraphs) if _is_header(part)}
    found: list[EvidenceLine] = []
    said, quoted, done = "", "", 0
    for line, below in zip_longest(lines, lines[1:]):
        own = pieces[line.first : line.last + 1]
        if header := headers.get(line.first):
            said, done = _BETWEEN.join(one.text for one in header), header[-1].last + 1
            span = Span(pieces[line.first].span.start, pieces[done - 1].span.end)
            found.append(EvidenceLine(span, said, heading=own[0].heading, label=True, said=said, silent=True))
        elif line.first >= done:
            introduces = _introduces_quote(line, below)
            quoted = line.text.lstrip(f"{QUOTED} ") if introduces else quoted
            beside = below if below and not is_below_blank(own[-1], pieces[below.first], chunk.text) else None
            formal = bool(said) and (introduces or _is_formal(line, beside, sender_in(said)))
            for piece in own:
                piece.said = quoted if line.text.startswith(QUOTED) else said
                piece.label, piece.silent = piece.label or formal, piece.silent or formal
            found += own
    _open_last(found)
    return found


def _introduces_quote(line: RecordLine, below: RecordLine | None) -> bool:
    """Whether a line tells who wrote what is quoted below it: "On 5 Nov 2026 Ben Holt <ben@plant.example> wrote:"."""
    return line.text.endswith(COLONS) and below is not None and below.text.startswith(QUOTED)


def _open_last(found: Sequence[EvidenceLine]) -> None:
    """Make the last unit of each mail that is not silent no label, unless it is a question."""
    for said, group in groupby((piece for piece in found if not piece.silent), lambda piece: piece.said):
        last = list(group)[-1]
        if said and not is_question(last.text):
            last.label = False


def sender_in(header: str) -> str:
    """Return the name of the sender in a header (`EvidenceUnit.said`), without the address if it has a name."""
    first = header.partition(_BETWEEN)[0]
    sender = first.partition(": ")[2] or first  # or the line that introduces a quote
    return _ADDRESS.sub("", sender).strip(' "') or sender


def told_by(header: str, language: str) -> str:
    """Return the sender and the dates in a header."""
    sender, *others = header.split(_BETWEEN)
    return _BETWEEN.join((sender, *(line for line in others if gives(_DATED, line, language))))


def _header_of(paragraph: Sequence[RecordLine]) -> Sequence[RecordLine]:
    """Return the labelled lines of a paragraph from the sender on, up to one without a label."""
    senders = (place for place, line in enumerate(paragraph) if cue("mail_sender").fullmatch(line.label))
    return list(takewhile(lambda line: line.label, paragraph[next(senders, len(paragraph)) :]))


def _is_header(lines: Sequence[RecordLine]) -> bool:
    """Whether labelled lines are the header of a mail: they have an address or a subject, which a shipment has not."""
    told = any("@" in line.text or cue("mail_subject").fullmatch(line.label) for line in lines)
    return len(lines) >= _FEWEST and told


def _is_formal(line: RecordLine, below: RecordLine | None, sender: str) -> bool:
    """Whether a line of a mail only greets or signs: a few words with a comma behind, or a name of the sender, or what
    is above it."""
    short = 0 < len(line.text.split()) <= _FORMAL_WORDS and not any(map(str.isdigit, line.text))
    signs = any(one is not None and _is_part_of(sender, one.text) for one in (line, below))
    return short and not line.text.endswith(SENTENCE_ENDS) and (signs or line.text.endswith(_COMMAS))


def _is_part_of(sender: str, text: str) -> bool:
    """Whether a text has only words of the sender's name, not all of them: below the whole name may be a function."""
    own = text.split()
    return bool(own) and text != sender and set(own) <= set(sender.split())
