"""The lines of a chunk that only name what is below them: headings, and the labels of fields ("Weight" above "61 kg").

Labels are recognized by their form, in any language: blocks of two short lines; labels that end with a colon; or short
lines in turn, of which every second one has a digit more often than not, and the others have none. The lines of an
address or a list do not take turns so. Records of more lines are read by `pipelines.retrieve.records`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.core.table import begins_with_number
from pipelines.lang.characters import CJK
from pipelines.lang.numbers import DATE
from pipelines.lang.quantities import quantities
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import cue
from pipelines.retrieve.entries import COLONS, ENDINGS, HEADING_LENGTH
from pipelines.retrieve.table_rows import EvidenceLine, is_row
from pipelines.retrieve.unit_spans import BLANK, is_comment, is_contents

LABELLED_LINE = re.compile(rf"(?P<label>[^\W\d_][^:：\d]{{1,30}})(?:: |：|:(?=[{CJK}]))(?=\S)")
"""The beginning of "Label: text"; "Step 2: Open" and "Table 3: Sizes" are headings."""
_NUMBERED = re.compile(r"[^\W\d_]\. ?(?P<number>[^\s.]{4,40})$")
"""A number at the end of a line behind an abbreviation: "Art. no. CP-300-G", not "Fig. 3" or "Kap. 4.1"."""
_VERSION = re.compile(r"\[?(?:[^\W\d_]{1,9} )?v?\d{1,4}(?:\.\d{1,4}){1,3}\b[\W_]*", re.IGNORECASE)
"""The number of a version, perhaps behind a word, and what separates it from its date."""
_FIRST_STEP = re.compile(r"\n[^\S\n]{0,8}1[.)]\s")
_SOURCES_LENGTH = 24
"""Maximum characters of a heading such as "5. References"."""
_VALUE_TERMS = 4
"""Maximum terms of a value alone below a heading; more are a sentence."""
_FIELD_WORDS = 3
"""Maximum words of the label of a field without a value; more introduce what is in the next chunk."""
_FEWEST = 3
"""Minimum fields in turn; two may be an address."""
ONE_FORM = 0.8
"""Minimum share of values with the same form if they are of several things, not of the properties of one."""

_Run = list[int]
"""The indices of short lines in succession."""


def read_headings(pieces: Sequence[EvidenceLine], chunk: Chunk, known: set[str], places: Sequence[int]) -> None:
    """Find the headings: those of sections, which begin at `places` of the document, and lines that look like some.

    Headings below that of a version are called by both: "4.2.0 28 October 2026; Removed".

    Not those that are the values of labels above them. A line alone between two headings of sections is the value of
    the first one: "Colour" above "RAL 5010".
    """
    heading, sources, start = "", cue("bibliography", chunk.language), chunk.provenance.span.start
    lines = [" ".join(piece.text.split()) for piece in pieces]
    opens = [begins_within(piece.span, places, start) for piece in pieces]
    values = field_pairs(
        pieces, chunk.text, [opened or line in known for opened, line in zip(opens, lines, strict=True)]
    )
    labels = set(values.values())
    version = next((one for one in reversed(chunk.heading_path) if is_version(one)), "")
    for index, (piece, line) in enumerate(zip(pieces, lines, strict=True)):
        alone = index > 0 and opens[index - 1] and all(opens[index + 1 : index + 2])
        if is_comment(line):
            piece.label = piece.silent = True
            heading = line
        elif index in values:
            piece.group = lines[values[index]].rstrip(":：")
        elif opens[index] or line in known:
            version = line if is_version(line) else version
            piece.label, heading = True, line if line == version or not version else f"{version}; {line}"
        elif index in labels:
            piece.label = True
        elif not alone and _is_heading(line, chunk, piece.span):
            piece.label, heading = True, line
        elif is_contents(line) or (len(heading) <= _SOURCES_LENGTH and sources.search(heading)):
            piece.label = True
        elif alone and len(terms(line, chunk.language, stop=False)) <= _VALUE_TERMS:
            piece.group = lines[index - 1]
        if line.endswith(COLONS) and index + 1 == len(pieces) and len(line.split()) <= _FIELD_WORDS:
            piece.label = piece.silent = True  # a field without a value: "Password:"
        piece.heading = heading


def _is_heading(line: str, chunk: Chunk, span: Span) -> bool:
    """Whether a line stands alone, is short, gives no value and does not end as a sentence: "5.2 Cavitation rattle".

    A numbered list may follow directly. "Shift leader: Marie Duval" gives one.
    """
    before, behind = chunk.text[: span.start].rstrip(" ")[-2:], chunk.text[span.end : span.end + 2]
    alone = before in (BLANK, "\n", "") and (behind in (BLANK, "") or _FIRST_STEP.match(chunk.text, span.end))
    short = len(line) <= HEADING_LENGTH and not is_row(line) and not line.endswith(ENDINGS)
    value = LABELLED_LINE.match(line) or _is_numbered(line) or quantities(line, chunk.language)
    return bool(alone) and short and line[:1].isalnum() and not line[:1].islower() and not value


def field_pairs(pieces: Sequence[EvidenceLine], text: str, headings: Sequence[bool]) -> dict[int, int]:
    """Return the index of the label of each value among the `pieces` of a chunk's `text`.

    Args:
        pieces: the units of the chunk, in order.
        text: its text.
        headings: whether each unit is known to be a heading of the document.
    """
    pairs: dict[int, int] = {}
    runs = list(_runs(pieces, text, headings))
    sections = list(_sections(runs, headings))
    pairs.update(_named([block for block in sections if len(block) == 2], len(sections), pieces))
    for run in runs:
        if run[0] in pairs:
            continue
        blocks = _blocks(run, pieces, text)
        pairs.update(
            _with_colons(run, pieces)
            or _named([block for block in blocks if len(block) == 2], len(blocks), pieces)
            or _in_turn(run, pieces)
        )
    return pairs


def _runs(pieces: Sequence[EvidenceLine], text: str, headings: Sequence[bool]) -> Iterator[_Run]:
    """Yield the runs of short lines between headings, sentences, rows and list items."""
    for short, group in groupby(
        range(len(pieces)), lambda index: not headings[index] and _is_short(pieces[index], text)
    ):
        if short:
            yield list(group)


def _sections(runs: Sequence[_Run], headings: Sequence[bool]) -> Iterator[_Run]:
    """Yield the sections of short lines alone: each heading with its run, up to the next heading."""
    for run in runs:
        before, after = run[0] - 1, run[-1] + 1
        if before >= 0 and headings[before] and (after == len(headings) or headings[after]):
            yield [before, *run]


def _is_short(piece: EvidenceLine, text: str) -> bool:
    start, end = text.rfind("\n", 0, piece.span.start) + 1, text.find("\n", piece.span.end)
    behind = text[piece.span.end : end if end >= 0 else len(text)]
    whole = not text[start : piece.span.start].strip() and not behind.strip(" ")
    plain = not (piece.is_row or piece.depth or "\n" in piece.text)
    line = piece.text.rstrip()
    return whole and plain and len(line) <= HEADING_LENGTH and (line.endswith(COLONS) or not line.endswith(ENDINGS))


def _with_colons(run: _Run, pieces: Sequence[EvidenceLine]) -> dict[int, int]:
    """Return the pairs of a run in which every second line, and no other, ends with a colon."""
    ends = [pieces[index].text.rstrip().endswith(COLONS) for index in run]
    first = next((place for place, one in enumerate(ends) if one), len(run))
    labels, values = run[first::2], run[first + 1 :: 2]
    in_turn = all(ends[first::2]) and not any(ends[first + 1 :: 2])
    return dict(zip(values, labels, strict=False)) if in_turn and len(values) > 1 else {}


def _blocks(run: _Run, pieces: Sequence[EvidenceLine], text: str) -> list[_Run]:
    """Return a run cut at blank lines."""
    blocks: list[_Run] = []
    for index in run:
        if not blocks or is_below_blank(pieces[index - 1], pieces[index], text):
            blocks.append([])
        blocks[-1].append(index)
    return blocks


def _named(blocks: Sequence[_Run], all_blocks: int, pieces: Sequence[EvidenceLine]) -> dict[int, int]:
    """Return the pairs of blocks of two lines of which one is a label, if they are most blocks of their run.

    The first line is the label; or the second one, below a value with a digit: "91.4 %" above "Availability".
    """
    above = [block for block in blocks if is_name(pieces[block[0]].text)]
    below = [block for block in blocks if block not in above and is_name(pieces[block[1]].text)]
    if max(len(above), len(below)) < 2 or 2 * max(len(above), len(below)) <= all_blocks:
        return {}
    if len(below) > len(above):
        return {block[0]: block[1] for block in below}
    # "CO2 emissions" above "820 t" is a label like those of the other blocks.
    valued = [block for block in blocks if block in above or begins_with_number(pieces[block[1]].text)]
    return {value: label for label, value in valued}


def _in_turn(run: _Run, pieces: Sequence[EvidenceLine]) -> dict[int, int]:
    """Return the pairs of a run in which labels and values take turns, from its first or second line on.

    Values are above their labels if the first line is one: it begins with a number or is a date.
    """
    odd, even, first = run[::2], run[1::2], pieces[run[0]].text.strip()
    above = begins_with_number(first) or DATE.fullmatch(first)
    for labels, values in ((odd, even), (even, odd[: len(even)] if above else odd[1:])):
        figures = sum(form_of(pieces[index].text)[0] for index in values)
        named = all(is_name(pieces[index].text) for index in labels)
        if named and len(values) >= _FEWEST and 2 * figures > len(values):
            return dict(zip(values, labels, strict=False))
    return {}


def _is_numbered(line: str) -> bool:
    number = _NUMBERED.search(line)
    return number is not None and any(map(str.isdigit, number["number"]))


def is_version(heading: str) -> bool:
    """Whether a heading is that of a version in a list of changes: a number, and nothing else but a date.

    >>> is_version("4.2.0 (28 October 2026)"), is_version("[1.2.0] - 2026-09-02"), is_version("4.2 Starting the pump")
    (True, True, False)
    """
    number = _VERSION.match(heading)
    return number is not None and (number.end() == len(heading) or DATE.match(heading, number.end()) is not None)


def begins_within(span: Span, places: Iterable[int], start: int) -> bool:
    """Whether one of the `places` of a document is in a span of a chunk that begins at `start`."""
    return any(span.start <= place - start < span.end for place in places)


def is_below_blank(before: EvidenceLine, piece: EvidenceLine, text: str) -> bool:
    """Whether an empty line is between two units of a text."""
    return BLANK in text[before.span.end : piece.span.start].replace(" ", "")


def is_name(line: str) -> bool:
    """Whether a line can be a label or a name: without a digit or an address, and without a label of its own."""
    return not any(form_of(line)) and not any(colon in line for colon in COLONS)


def form_of(line: str) -> tuple[bool, bool]:
    """Return whether a line has a digit, and whether it has an address."""
    return any(map(str.isdigit, line)), "@" in line


def likeness_of_forms(texts: Sequence[str]) -> float:
    """Return the share of texts that have the most frequent form."""
    return max(Counter(map(form_of, texts)).values()) / len(texts)
