"""Headings that nobody marked as such: short paragraphs, all bold or larger, in a document without headings."""

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
"""Characters and words of a heading: a line and a half. Longer bold paragraphs are warnings and summaries."""
_LARGER = 1.1
"""Times the size of the running text from which type is larger: a point in ten; half points within text are less."""
_MOST = 0.5
"""Share of a document's paragraphs that headings are at most."""
_BLOCK = 3
"""Paragraphs in one look below one another that head nothing: an address, the lines of a cover."""
_ENDS = (".", ",", ";", ":", "!", "。", "，", "；", "：", "…")
_ADMONITION = re.compile(rf"{any_of('notice')}\s*(?:[:!.：！–—-]|$)", re.IGNORECASE)
"""The label of a warning, alone or before its text; "Notes on safety" is a heading."""
TITLE = 0


@dataclass(frozen=True, slots=True)
class Look:
    """How all of a paragraph is set: its size in points, 0 where unknown, and its weight."""

    size: float = 0.0
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Looking:
    """A paragraph of the document and how it looks; `position` is that of its piece."""

    position: int
    text: str
    look: Look


class Lookalikes:
    """Collects the paragraphs of the running text; of a document that has headings there is nothing to tell."""

    def __init__(self, told: bool = False) -> None:
        self.told = told
        """Whether the document has headings that it marks as such."""
        self._seen: list[Looking] = []

    def add(self, position: int, text: str, look: Look) -> None:
        """Take in the paragraph that became the piece at `position`."""
        self._seen.append(Looking(position, text, look))

    def headings(self, last: int) -> dict[int, int]:
        """Return the levels of what looks like headings, by position; nothing where the document tells them."""
        return {} if self.told else dict(lookalikes(self._seen, last))


def lookalikes(paragraphs: Sequence[Looking], last: int) -> Mapping[int, int]:
    """Return the levels of the paragraphs that look like headings, by position; `TITLE` for the document's title.

    `last` is the position of the document's last piece, which heads nothing.

    Nothing where most of a document stands out: there the look says nothing. A number that a heading begins with
    ("2.1") gives its level; the others rank by size, then weight.
    """
    body = _body(paragraphs)
    marked = [one for one in paragraphs if _stands_out(one.look, body) and _title_like(one.text)]
    marked = _that_head(marked, last)
    if not marked or len(marked) > max(1, _MOST * len(paragraphs)):
        return {}
    title = _title(marked, paragraphs)
    looks = sorted({one.look for one in marked if one is not title}, key=lambda look: (-look.size, not look.bold))
    levels = {one.position: _depth(one.text) or looks.index(one.look) + 1 for one in marked if one is not title}
    return levels if title is None else {title.position: TITLE, **levels}


def _body(paragraphs: Sequence[Looking]) -> Look:
    """The look that most of the text has."""
    characters: Counter[Look] = Counter()
    for one in paragraphs:
        characters[one.look] += len(one.text)
    return characters.most_common(1)[0][0] if characters else Look()


def _stands_out(look: Look, body: Look) -> bool:
    larger = look.size >= _LARGER * body.size > 0
    # Bold type half a point smaller (10.5 in 11: .955) is a heading still; a point smaller it is a note.
    return larger or (look.bold and not body.bold and look.size >= 0.95 * body.size)


def _title_like(text: str) -> bool:
    if len(text) > _LONGEST or len(text.split()) > _MOST_WORDS or "\n" in text.strip():
        return False
    if not any(letter.isalpha() for letter in text) or caption_subject(text) is not None or _ADMONITION.match(text):
        return False
    return not text.rstrip().endswith(_ENDS)


def _that_head(marked: Sequence[Looking], last: int) -> list[Looking]:
    """Return those that something follows: of three lines in one look below one another none is a heading."""
    runs: list[list[Looking]] = []
    for one in marked:
        above = runs[-1][-1] if runs else None
        if above is not None and above.position == one.position - 1 and above.look == one.look:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [one for run in runs if len(run) < _BLOCK for one in run if one.position < last]


def _title(marked: Sequence[Looking], paragraphs: Sequence[Looking]) -> Looking | None:
    """The first paragraph, where no other heading looks like it."""
    first = marked[0]
    alone = all(one.look != first.look for one in marked[1:])
    return first if first is paragraphs[0] and alone and not section_number(first.text) else None


def _depth(text: str) -> int:
    number = section_number(text)
    return number_depth(number) if number[:1].isdigit() else 0


L = TypeVar("L", bound=Lookalikes)


class Story(Generic[L]):
    """Appends blocks in reading order; a format adds how its elements are read.

    `place` is where the next block stands, without a page where the file does not tell pages. Lines of code are held
    until something else follows, and become one block.
    """

    def __init__(self, builder: DocumentBuilder, looks: L, place: Place) -> None:
        self._builder = builder
        self._looks = looks
        self.place = place
        self._code: list[str] = []

    def finish(self) -> None:
        """Append what is still held back and find headings by their look; called once, at the end."""
        self._flush()
        self._builder.promote(self._looks.headings(self._builder.last))

    def _flush(self) -> None:
        """Append the lines of code held so far."""
        if self._code:
            self._builder.code("\n".join(self._code), self.place)
            self._code.clear()

    def _turn(self, pages: int) -> None:
        """Go on by so many pages."""
        if pages and self.place.page is not None:
            self.place = Place(self.place.page + pages)
