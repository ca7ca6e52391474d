"""Headings without heading markup: short paragraphs, bold or larger, in a document without marked headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pipelines.lang.word_lists import any_of
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.captions import caption_subject
from pipelines.parse.outline import number_depth, section_number

_LONGEST, _MOST_WORDS = 110, 14
"""Maximum characters and words of a heading: a line and a half. Longer bold paragraphs are warnings and summaries."""
_LARGER = 1.1
"""Minimum size of larger type, relative to body text: a point in ten; variation within body text is half a point."""
_MOST = 0.5
"""Maximum share of headings among the paragraphs of a document."""
_BLOCK = 3
"""Minimum successive paragraphs of one look that are no headings: an address, the lines of a cover."""
_ENDS = (".", ",", ";", ":", "!", "。", "，", "；", "：", "…")
_ADMONITION = re.compile(rf"{any_of('notice')}\s*(?:[:!.：！–—-]|$)", re.IGNORECASE)
"""The label of a warning, alone or before its text. "Notes on safety" is a heading."""
TITLE = 0


@dataclass(frozen=True, slots=True)
class Look:
    """The style of a whole paragraph: its size in points, 0 if unknown, and its weight."""

    size: float = 0.0
    bold: bool = False


@dataclass(frozen=True, slots=True)
class StyledParagraph:
    """A paragraph and its look; `position` is that of its piece."""

    position: int
    text: str
    look: Look


class Lookalikes:
    """Collects the paragraphs of the running text. Documents that mark their headings (`told`) need no guessing."""

    def __init__(self, told: bool = False) -> None:
        self.told = told
        """Whether the document marks its headings."""
        self._seen: list[StyledParagraph] = []

    def add(self, position: int, text: str, look: Look) -> None:
        """Add the paragraph that became the piece at `position`."""
        self._seen.append(StyledParagraph(position, text, look))

    def headings(self, last: int) -> dict[int, int]:
        """Return the levels of paragraphs that look like headings, by position; empty if headings are marked."""
        return {} if self.told else dict(lookalikes(self._seen, last))


def lookalikes(paragraphs: Sequence[StyledParagraph], last: int) -> Mapping[int, int]:
    """Return the levels of the paragraphs that look like headings, by position; `TITLE` for the document's title.

    `last` is the position of the document's last piece, which is not a heading. A section number ("2.1") determines the
    level; other headings are ranked by size, then weight. Returns nothing if most paragraphs stand out.
    """
    body = _body_look(paragraphs)
    marked = [one for one in paragraphs if _stands_out(one.look, body) and _title_like(one.text)]
    marked = _with_text_below(marked, last)
    if not marked or len(marked) > max(1, _MOST * len(paragraphs)):
        return {}
    title = _title(marked, paragraphs)
    looks = sorted({one.look for one in marked if one is not title}, key=lambda look: (-look.size, not look.bold))
    levels = {one.position: _depth(one.text) or looks.index(one.look) + 1 for one in marked if one is not title}
    return levels if title is None else {title.position: TITLE, **levels}


def _body_look(paragraphs: Sequence[StyledParagraph]) -> Look:
    """Return the look of most of the text."""
    characters: Counter[Look] = Counter()
    for one in paragraphs:
        characters[one.look] += len(one.text)
    return characters.most_common(1)[0][0] if characters else Look()


def _stands_out(look: Look, body: Look) -> bool:
    larger = look.size >= _LARGER * body.size > 0
    # Bold type half a point smaller (10.5 in 11: .955) is still a heading; a point smaller, it is a note.
    return larger or (look.bold and not body.bold and look.size >= 0.95 * body.size)


def _title_like(text: str) -> bool:
    if len(text) > _LONGEST or len(text.split()) > _MOST_WORDS or "\n" in text.strip():
        return False
    if not any(letter.isalpha() for letter in text) or caption_subject(text) is not None or _ADMONITION.match(text):
        return False
    return not text.rstrip().endswith(_ENDS)


def _with_text_below(marked: Sequence[StyledParagraph], last: int) -> list[StyledParagraph]:
    """Return the paragraphs that can be headings: not the last one, and not in a run of three or more of one look."""
    runs: list[list[StyledParagraph]] = []
    for one in marked:
        above = runs[-1][-1] if runs else None
        if above is not None and above.position == one.position - 1 and above.look == one.look:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [one for run in runs if len(run) < _BLOCK for one in run if one.position < last]


def _title(marked: Sequence[StyledParagraph], paragraphs: Sequence[StyledParagraph]) -> StyledParagraph | None:
    """Return the first paragraph if it stands out and no other heading has its look."""
    first = marked[0]
    alone = all(one.look != first.look for one in marked[1:])
    return first if first is paragraphs[0] and alone and not section_number(first.text) else None


def _depth(text: str) -> int:
    number = section_number(text)
    return number_depth(number) if number[:1].isdigit() else 0


L = TypeVar("L", bound=Lookalikes)


class Story(Generic[L]):
    """Base of formats that append blocks in reading order.

    `place` is that of the next block, without a page if the format has no pages. Lines of code are collected and
    appended as one block when something else follows.
    """

    def __init__(self, builder: DocumentBuilder, looks: L, place: Place) -> None:
        self._builder = builder
        self._looks = looks
        self.place = place
        self._code: list[str] = []

    def finish(self) -> None:
        """Append collected code and find headings by their look; call it once, at the end."""
        self._flush()
        self._builder.promote(self._looks.headings(self._builder.last))

    def _flush(self) -> None:
        """Append the collected lines of code."""
        if self._code:
            self._builder.code("\n".join(self._code), self.place)
            self._code.clear()

    def _turn(self, pages: int) -> None:
        """Advance by this number of pages."""
        if pages and self.place.page is not None:
            self.place = Place(self.place.page + pages)
