"""Lines of labels and their values in succession, read as the rows of a form about one thing.

Such as the head of minutes ("Subject: New belt", "Present: L. Castellano") or the data of a machine, between tabs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.retrieve.entries import COLONS
from pipelines.retrieve.labels import ONE_FORM, likeness_of_forms
from pipelines.retrieve.record_runs import RecordLine, lines_of
from pipelines.retrieve.records import heading_above
from pipelines.retrieve.table_rows import RULE, EvidenceLine

_FEWEST = 3
"""Minimum lines of a form; two may be a note and a warning."""
_LABEL = re.compile(r"[^\W\d_].{0,60}")
"""What may be a label in front of a tab."""
_DASH = re.compile(r"(?P<label>[^\W\d_][^\n–—-]{0,40}?) [-–—] (?P<value>[^\n]*\S)")
"""A name and what it means: "Green – The dryer runs"."""


def with_form_lines(pieces: Sequence[EvidenceLine], chunk: Chunk) -> list[EvidenceLine]:
    """Return the units of a chunk, with each line of a run of labels and values as a row "label | value"."""
    lines = [_field(line, pieces, chunk.text) for line in lines_of(pieces, chunk.text)]
    found: list[EvidenceLine] = []
    done = 0
    for run in filter(_is_form, _runs(lines)):
        table = f"{chunk.id} {pieces[run[0].first].span.start}"
        above = heading_above(pieces, run[0].first)
        for line in run:
            found += pieces[done : line.first]
            done = line.last + 1
            found.append(
                EvidenceLine(
                    Span(pieces[line.first].span.start, pieces[line.last].span.end),
                    f"{line.label}{RULE}{line.value}",
                    heading=above,
                    fields=((line.label, line.value),),
                    table=table,
                )
            )
    return [*found, *pieces[done:]]


def _field(line: RecordLine, pieces: Sequence[EvidenceLine], text: str) -> RecordLine:
    """Return a line with its label and value, or without text if it has none or is something else too."""
    own = pieces[line.first : line.last + 1]
    written = text[own[0].span.start : own[-1].span.end].strip()
    if any(piece.is_row or piece.depth or piece.group or piece.said for piece in own):
        return line._replace(text="")
    cells = [" ".join(cell.split()) for cell in written.split("\t") if cell.strip()]
    if len(cells) == 2 and _LABEL.fullmatch(cells[0]):
        return line._replace(label=cells[0].rstrip("".join(COLONS)).rstrip(), value=cells[1])
    if line.text and (found := _DASH.fullmatch(written)):
        return line._replace(label=found["label"], value=found["value"])
    begins = written.startswith(line.label)
    plain = line.label and begins and not any(piece.label for piece in own)
    return line._replace(value=line.value.strip("_ ")) if plain else line._replace(text="")


def _is_form(run: Sequence[RecordLine]) -> bool:
    """Whether lines are about one thing: behind colons, values of the same form are those of several things."""
    colons = all(f"{line.label}:" in line.text or f"{line.label}：" in line.text for line in run)
    return not colons or likeness_of_forms([line.value for line in run]) < ONE_FORM


def _runs(lines: Sequence[RecordLine]) -> Iterator[list[RecordLine]]:
    """Yield the runs of at least `_FEWEST` lines in succession that have different labels."""
    run: list[RecordLine] = []
    for line in [*lines, None]:
        again = line is not None and any(line.label == one.label for one in run)
        if line is None or not line.text or again:
            if len(run) >= _FEWEST:
                yield run
            run = []
        if line is not None and line.text:
            run.append(line)
