"""Shapes of a slide that are read together: tiles, columns with headings, and steps.

Presentations put a value above its name, a date above a milestone, or a heading above a list, several of them side by
side. Read one after the other, a name would be followed by the value of the next tile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, Protocol, TypeVar

from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.office.shape_order import ShapeFrame

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)

_MOST_SHAPES = 60
"""Maximum shapes with text of a slide that are compared: more are a drawing, and the time grows quadratically."""
_MOST_STACKED = 3
"""Maximum shapes of a stack: a value, its name, and a comment. More are the columns of a table."""
_LEVEL = 0.02
"""Maximum difference of edges that are on one level, as a fraction of the slide: people align by eye."""
_FARTHEST = 1.5
"""Maximum gap of shapes that belong together, in heights of the higher one: programs fit text boxes to their text."""
_COMMON = 0.6
"""Minimum common width of shapes above each other, as a fraction of the narrower one."""
_LONGEST_LINE = 80
"""Maximum characters of a line of a tile, or of a heading: one line of a slide in small type."""
OOXML_ARROWS = frozenset({"chevron", "homePlate", "rightArrow", "downArrow", "notchedRightArrow", "stripedRightArrow",
                          "rightArrowCallout", "downArrowCallout"})  # fmt: skip
"""Shapes that point to the next step (ECMA-376 1, 20.1.10.56)."""
_OWN_NUMBER = re.compile(r"\d{1,2}[.)]?\s+")
_SECTION_LEVEL = 2
"""Level of the heading of a column: below the title of the slide."""
_LEAST_STEPS = 3
"""Minimum shapes of a row of steps: two arrows may point at each other."""


class Reading(Enum):
    """How shapes are read: each by itself, as lines of one block, as a heading with what is below, or as list items."""

    ALONE = auto()
    BLOCK = auto()
    SECTION = auto()
    STEPS = auto()


@dataclass(frozen=True, slots=True)
class TextShape(Generic[T]):
    """A shape with its place and its paragraphs; none if it has no text.

    `framed` says that it is a drawn shape, no text box, with paragraphs that are no list; `arrow` that it shows a step.
    """

    item: T
    frame: ShapeFrame
    lines: tuple[str, ...]
    framed: bool = False
    arrow: bool = False


@dataclass(frozen=True, slots=True)
class Arrangement(Generic[T]):
    """Shapes that are read together, from top to bottom or in the order of the steps."""

    reading: Reading
    shapes: tuple[TextShape[T], ...]


class ShapeWriter(Protocol[T_contra]):
    """Appends the shapes of one slide to a document."""

    def append(self, item: T_contra) -> None:
        """Append a shape by itself, with its links."""

    def append_links(self, item: T_contra) -> None:
        """Append the links in the text of a shape."""

    def place(self, items: Sequence[T_contra]) -> Place:
        """Return the place of shapes on the slide."""


def append_arranged(shapes: Sequence[TextShape[T]], builder: DocumentBuilder, writer: ShapeWriter[T]) -> None:
    """Append shapes, given in reading order, as they are read together."""
    for arrangement in arranged(shapes):
        first, *others = arrangement.shapes
        if arrangement.reading is Reading.ALONE:
            writer.append(first.item)
        elif arrangement.reading is Reading.SECTION:
            builder.heading(" ".join(" ".join(first.lines).split()), _SECTION_LEVEL, writer.place([first.item]))
            writer.append_links(first.item)
            for other in others:
                writer.append(other.item)
        else:
            _append_lines(arrangement, builder, writer)


def _append_lines(arrangement: Arrangement[T], builder: DocumentBuilder, writer: ShapeWriter[T]) -> None:
    """Append shapes as one paragraph with their lines, or as numbered list items."""
    items = [shape.item for shape in arrangement.shapes]
    lines = [line for shape in arrangement.shapes for line in shape.lines]
    if arrangement.reading is Reading.BLOCK:
        builder.paragraph("\n".join(lines), writer.place(items))
    else:
        for number, (item, line) in enumerate(zip(items, lines, strict=True), 1):
            builder.list_item(step(number, line), 1, writer.place([item]))
    for item in items:
        writer.append_links(item)


def arranged(shapes: Sequence[TextShape[T]]) -> list[Arrangement[T]]:
    """Return shapes, given in reading order, in arrangements; each is at the place of its first shape."""
    together: dict[int, Arrangement[T]] = {}
    if sum(bool(shape.lines) for shape in shapes) <= _MOST_SHAPES:
        for reading, places in (*_stacks(shapes), *_steps(shapes), *_cards(shapes)):
            found = Arrangement(reading, tuple(shapes[place] for place in places))
            if together.keys().isdisjoint(places):
                together.update(dict.fromkeys(places, found))
    alone = (Arrangement(Reading.ALONE, (shape,)) for shape in shapes)
    in_order = [together.get(place, one) for place, one in enumerate(alone)]
    return list({id(one): one for one in in_order}.values())


def step(number: int, text: str) -> str:
    """Return the text of a step with its number, which it may have of its own.

    >>> step(2, "2 Review"), step(3, "Test")
    ('2. Review', '3. Test')
    """
    return f"{number}. {_OWN_NUMBER.sub('', text.strip(), count=1)}"


def _cards(shapes: Sequence[TextShape[T]]) -> Iterator[tuple[Reading, list[int]]]:
    """Yield drawn shapes of a few short lines, several of them with the same number: a name and a function."""
    cards: dict[int, list[int]] = {}
    for place, shape in enumerate(shapes):
        if shape.framed and 1 < len(shape.lines) <= _MOST_STACKED and max(map(len, shape.lines)) <= _LONGEST_LINE:
            cards.setdefault(len(shape.lines), []).append(place)
    yield from ((Reading.BLOCK, [place]) for places in cards.values() if len(places) > 1 for place in places)


def _stacks(shapes: Sequence[TextShape[T]]) -> Iterator[tuple[Reading, list[int]]]:
    """Yield stacks of shapes that have others of the same structure beside them, with the reading of each."""
    below = _nearest_below(shapes)
    stacks = [_chain(place, below) for place in sorted(below.keys() - set(below.values()))]
    for stack in stacks:
        alike = [other for other in stacks if _on_one_level(shapes, stack, other)]
        readings = {_reading([shapes[place] for place in one]) for one in alike}
        if len(alike) > 1 and len(stack) <= _MOST_STACKED and len(readings) == 1 and Reading.ALONE not in readings:
            yield readings.pop(), stack


def _nearest_below(shapes: Sequence[TextShape[T]]) -> dict[int, int]:
    """Return for each shape the one that is closest below it, and to which it is the closest above."""
    pairs = sorted(
        (lower.frame.top - upper.frame.bottom, one, other)
        for one, upper in enumerate(shapes)
        for other, lower in enumerate(shapes)
        if upper.lines and lower.lines and _is_above(upper.frame, lower.frame)
    )
    below: dict[int, int] = {}
    taken: set[int] = set()
    for _, one, other in pairs:
        if one not in below and other not in taken:
            below[one] = other
            taken.add(other)
    return below


def _is_above(upper: ShapeFrame, lower: ShapeFrame) -> bool:
    """Whether a shape is above another one, not much farther than the higher of them, and as wide for the most part."""
    gap = lower.top - upper.bottom
    highest = max(upper.bottom - upper.top, lower.bottom - lower.top)
    common = min(upper.right, lower.right) - max(upper.left, lower.left)
    narrower = min(upper.right - upper.left, lower.right - lower.left)
    return -_LEVEL <= gap <= _FARTHEST * highest and upper.top < lower.top and common >= _COMMON * narrower > 0


def _chain(place: int, below: dict[int, int]) -> list[int]:
    found = [place]
    while found[-1] in below:
        found.append(below[found[-1]])
    return found


def _on_one_level(shapes: Sequence[TextShape[T]], stack: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two stacks have the same number of shapes, each at the same height."""
    tops = [(shapes[one].frame.top, shapes[two].frame.top) for one, two in zip(stack, other, strict=False)]
    return len(stack) == len(other) and all(abs(one - two) <= _LEVEL for one, two in tops)


def _reading(stack: Sequence[TextShape[T]]) -> Reading:
    if all(len(shape.lines) == 1 and len(shape.lines[0]) <= _LONGEST_LINE for shape in stack):
        return Reading.BLOCK
    head, *rest = stack
    has_head = len(head.lines) == 1 and len(head.lines[0]) <= _LONGEST_LINE
    return Reading.SECTION if has_head and len(rest) == 1 else Reading.ALONE


def _steps(shapes: Sequence[TextShape[T]]) -> Iterator[tuple[Reading, list[int]]]:
    """Yield runs of arrows in one row or column, each with one line."""
    run: list[int] = []
    for place, shape in enumerate((*shapes, None)):
        fits = shape is not None and shape.arrow and len(shape.lines) == 1
        if run and not (fits and shape is not None and _in_line(shapes[run[-1]].frame, shape.frame)):
            if len(run) >= _LEAST_STEPS:
                yield Reading.STEPS, run
            run = []
        if fits:
            run.append(place)


def _in_line(one: ShapeFrame, other: ShapeFrame) -> bool:
    return abs(one.top - other.top) <= _LEVEL or abs(one.left - other.left) <= _LEVEL
