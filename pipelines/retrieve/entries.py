"""Entries in the text of a chunk: terms with their descriptions, and questions with their answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pipelines.core.provenance import Span
from pipelines.lang.sentences import QUESTION_MARKS
from pipelines.lang.terms import terms
from pipelines.retrieve.table_rows import EvidenceLine, is_row
from pipelines.retrieve.unit_spans import BLANK

_DESCRIPTION_TERMS = 12
"""The description of a glossary term has more terms than this, about a line; list items have fewer."""
_QUESTION_LENGTH = 200
"""Maximum characters of a question with an answer below: two lines; longer ones are rhetorical."""
_ANSWER_LENGTH = 400
"""Maximum characters of an answer that is quoted whole; of longer ones, sentences are."""
SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")
HEADING_LENGTH = 80
"""Maximum characters of a heading."""
COLONS = (":", "：")
ITEM_MARK = re.compile(r"\s*(?:[-–•●○▪◦·*]|\(?(\d{1,3})[.)])\s")
"""The mark of a list item, if the text contains it, with its number."""
_ENDINGS_OF_TEXT = (*SENTENCE_ENDS, ";", ",", "；", "，", "、")
ENDINGS = (*_ENDINGS_OF_TEXT, *COLONS)


def whole_answers(spans: Iterable[Span], text: str) -> Iterator[Span]:
    """Yield the spans of units; the sentences on the line that answers a question are one, up to a maximum length."""
    held: Span | None = None
    answers = False
    for span in spans:
        asks = is_question(span.slice(text))
        if held is not None and answers and not asks and "\n" not in text[held.end : span.start]:
            joined = Span(held.start, span.end)
            if len(joined) <= _ANSWER_LENGTH:
                held = joined
                continue
        if held is not None:
            yield held
        answers = not asks and held is not None and is_question(held.slice(text))
        held = span
    if held is not None:
        yield held


def is_question(text: str) -> bool:
    """Whether a unit asks something, as those in lists of frequent questions do, and answers nothing."""
    return not is_row(text) and len(text) <= _QUESTION_LENGTH and text.rstrip().endswith(QUESTION_MARKS)


def read_entries(pieces: Sequence[EvidenceLine], text: str, language: str) -> None:
    """Find entries: options, parameters, directives or alarms, each a term with its description below, and questions
    with their answers: the rest of the paragraph or the next one."""
    term, depth, is_open = "", 0, False
    for before, piece, after in zip([None, *pieces], pieces, [*pieces[1:], None], strict=False):
        begins = text[: piece.span.start].endswith(BLANK) and not is_open
        if piece.label or (depth and piece.depth <= depth) or (not depth and begins):
            term, depth, is_open = "", 0, False
        if is_question(piece.text):
            piece.label, term, depth, is_open = True, " ".join(piece.text.split()), 0, True
        elif after is not None and _is_term(before, piece, after, text, language):
            nested = after.depth > piece.depth > 0
            term, depth = " ".join(piece.text.split()).rstrip("".join(COLONS)), piece.depth if nested else 0
            piece.label = True
        elif term:
            piece.group, is_open = piece.group if piece.is_row else term, False


def _is_term(before: EvidenceLine | None, piece: EvidenceLine, after: EvidenceLine, text: str, language: str) -> bool:
    """Whether a line is a glossary term: short, not a sentence or list item, and directly above a paragraph; or a short
    list item above a deeper one."""
    if after.depth > piece.depth > 0:
        return _is_short_line(piece, text, _ENDINGS_OF_TEXT)
    behind = text.find("\n", after.span.end)
    below = text[after.span.start : behind if behind >= 0 else len(text)].rstrip()
    return (
        _is_short_line(piece, text)
        and not (before is not None and _is_next_line(before, piece, text) and _is_short_line(before, text))
        and text[piece.span.end : after.span.start] == "\n"
        and not after.is_row
        and below.endswith(SENTENCE_ENDS)
        and len(terms(below, language, stop=False)) > _DESCRIPTION_TERMS
    )


def _is_next_line(before: EvidenceLine, piece: EvidenceLine, text: str) -> bool:
    return text[before.span.end : piece.span.start].strip(" ") == "\n"


def _is_short_line(piece: EvidenceLine, text: str, endings: tuple[str, ...] = ENDINGS) -> bool:
    line = piece.text
    whole = text[: piece.span.start].rstrip(" ")[-1:] in ("", "\n") and "\n" not in line
    plain = not (piece.label or piece.is_row or line.endswith(endings))
    return whole and plain and len(line) <= HEADING_LENGTH
