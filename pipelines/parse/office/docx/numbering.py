"""Content of a Word paragraph, and list numbers counted as Word counts them (ECMA-376 1, 17.9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipelines.core.document import ReferenceKind
from pipelines.parse.office.characters import numeral
from pipelines.parse.office.docx.styles import as_int
from pipelines.parse.office.ooxml import NAMESPACES, Element, is_on, qualified, value
from pipelines.parse.pieces import Pointer

_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_CROSS_REFERENCES = frozenset({"REF", "NOTEREF"})


@dataclass(frozen=True, slots=True)
class NoteMark:
    """The anchor of a note or comment: `kind` is "footnote", "endnote" or "comment"."""

    kind: str
    id: str


@dataclass(slots=True)
class WordParagraph:
    """A paragraph's text with its links, note marks and drawings, each in order.

    `before` and `after` are the drawings before and after the first text. `breaks_before` counts page breaks before
    the first text, `breaks_within` those after it. `formula` says that the paragraph consists of equations, `checked`
    that it begins with a check box.
    """

    text: str = ""
    links: list[Pointer] = field(default_factory=list)
    note_marks: list[NoteMark] = field(default_factory=list)
    before: list[Element] = field(default_factory=list)
    after: list[Element] = field(default_factory=list)
    formula: bool = False
    checked: bool = False
    breaks_before: int = 0
    breaks_within: int = 0


@dataclass(slots=True)
class WordField:
    """A field being read: its instruction and its displayed result; `collecting` until the result begins."""

    instruction: list[str]
    collecting: bool = False
    result: list[str] = field(default_factory=list)


def link_of(field: WordField) -> tuple[ReferenceKind, str, str] | None:
    """Return kind, target and evidence of the reference that a field contains, None for other fields."""
    words = [quoted.replace("\\\\", "\\") or plain for quoted, plain in _WORD.findall("".join(field.instruction))]
    evidence = "".join(field.result).strip()
    if not words or not evidence:
        return None
    name = words[0].upper()
    if name == "HYPERLINK":
        return _hyperlink(words[1:], evidence)
    return (ReferenceKind.CROSS_REFERENCE, evidence, evidence) if name in _CROSS_REFERENCES else None


def _hyperlink(words: list[str], evidence: str) -> tuple[ReferenceKind, str, str] | None:
    anchor = words[words.index("\\l") + 1] if "\\l" in words[:-1] else ""
    if words and not words[0].startswith("\\"):
        return ReferenceKind.HYPERLINK, f"{words[0]}#{anchor}" if anchor else words[0], evidence
    return (ReferenceKind.CROSS_REFERENCE, evidence, evidence) if anchor else None


_LEVELS = 9
"""ECMA-376 1, 17.9.6 (`w:lvl`)."""
_PLACEHOLDER = re.compile(r"%([1-9])")
BULLET = "•"


@dataclass(frozen=True, slots=True)
class _Level:
    format: str = "decimal"
    text: str = ""
    start: int = 1
    restart: int | None = None
    legal: bool = False
    style: str = ""


@dataclass(slots=True)
class _List:
    """A list instance (`w:num`): the id of its abstract definition, with which it shares counts, and its levels."""

    abstract: str
    levels: dict[int, _Level]
    starts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts list paragraphs; `marker` must be called once for each of them, in document order."""

    def __init__(self, root: Element | None) -> None:
        self._numbers: dict[str, _List] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._started: set[tuple[str, int]] = set()
        self._levels_of_styles: dict[tuple[str, str], int] = {}
        if root is not None:
            self._load(root)

    def _load(self, root: Element) -> None:
        abstracts = {
            item.get(qualified("w:abstractNumId"), ""): item for item in root.iterfind("w:abstractNum", NAMESPACES)
        }
        by_style = {value(item, "w:styleLink"): item for item in abstracts.values() if value(item, "w:styleLink")}
        for element in root.iterfind("w:num", NAMESPACES):
            key, abstract = element.get(qualified("w:numId"), ""), value(element, "w:abstractNumId") or ""
            definition = abstracts.get(abstract)
            linked = by_style.get(value(definition, "w:numStyleLink"))
            self._numbers[key] = _read_number(element, abstract, linked if linked is not None else definition)
        for key, number in self._numbers.items():
            self._levels_of_styles.update(
                {(key, level.style): at for at, level in number.levels.items() if level.style}
            )

    def level_of_style(self, number: str, style: str) -> int | None:
        """Return the level that a list assigns to paragraphs of a style, None if it assigns none."""
        return self._levels_of_styles.get((number, style))

    def is_list(self, number: str | None) -> bool:
        return number is not None and number in self._numbers

    def marker(self, number: str, level: int) -> str:
        """Count a paragraph and return its displayed number ("2.1", "a)"), `BULLET`, or "" if it has no marker."""
        definition = self._numbers[number]
        level = min(max(level, 0), _LEVELS - 1)
        counts = self._counts.setdefault(definition.abstract, [None] * _LEVELS)
        self._count_up(number, definition, counts, level)
        own = definition.levels.get(level, _Level())
        if own.format == "bullet":
            return BULLET
        if own.format == "none":
            return _PLACEHOLDER.sub("", own.text).strip()
        return _PLACEHOLDER.sub(
            lambda place: _formatted(definition, counts, int(place[1]) - 1, own.legal), own.text
        ).strip()

    def _count_up(self, number: str, definition: _List, counts: list[int | None], level: int) -> None:
        if level in definition.starts and (number, level) not in self._started:
            counts[level] = None
            self._started.add((number, level))
        for above in range(level):
            if counts[above] is None:  # a skipped level counts as started
                counts[above] = _start(definition, above)
        before = counts[level]
        counts[level] = _start(definition, level) if before is None else before + 1
        for below in range(level + 1, _LEVELS):
            if _restarts(definition, below, level):
                counts[below] = None


def _restarts(definition: _List, below: int, level: int) -> bool:
    """Whether the level `below` restarts after a paragraph of `level`.

    By default it does after any level above; `lvlRestart` sets the level that restarts it, 0 for none.
    """
    restart = definition.levels.get(below, _Level()).restart
    return restart is None or (restart > 0 and level < restart)


def _start(definition: _List, level: int) -> int:
    return definition.starts.get(level, definition.levels.get(level, _Level()).start)


def _formatted(definition: _List, counts: list[int | None], level: int, legal: bool) -> str:
    count = counts[level]
    form = definition.levels.get(level, _Level()).format
    return numeral(_start(definition, level) if count is None else count, "decimal" if legal else form)


def _read_number(element: Element, abstract: str, definition: Element | None) -> _List:
    levels = {} if definition is None else _levels(definition)
    starts = {}
    for override in element.iterfind("w:lvlOverride", NAMESPACES):
        at = as_int(override.get(qualified("w:ilvl"))) or 0
        levels.update(_levels(override))
        if (start := as_int(value(override, "w:startOverride"))) is not None:
            starts[at] = start
    return _List(abstract, levels, starts)


def _levels(element: Element) -> dict[int, _Level]:
    return {as_int(item.get(qualified("w:ilvl"))) or 0: _level(item) for item in element.iterfind("w:lvl", NAMESPACES)}


def _level(element: Element) -> _Level:
    start = as_int(value(element, "w:start"))
    form = value(element, "w:numFmt") or "decimal"
    if element.find("w:lvlPicBulletId", NAMESPACES) is not None:
        form = "bullet"
    return _Level(
        format=form,
        text=value(element, "w:lvlText") or "",
        start=1 if start is None else start,
        restart=as_int(value(element, "w:lvlRestart")),
        legal=is_on(element, "w:isLgl"),
        style=value(element, "w:pStyle") or "",
    )
