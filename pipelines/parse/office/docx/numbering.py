"""What one paragraph of a Word document holds, and its number, counted as Word counts (ECMA-376 1, 17.9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipelines.core.document import ReferenceKind
from pipelines.parse.office.characters import numeral
from pipelines.parse.office.docx.styles import as_int
from pipelines.parse.office.ooxml import NAMESPACES, Element, is_on, qualified, value
from pipelines.parse.pieces import Pointer

_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_CROSS = frozenset({"REF", "NOTEREF"})


@dataclass(frozen=True, slots=True)
class Remark:
    """A place where a note or comment is anchored: `kind` is footnote, endnote or comment."""

    kind: str
    id: str


@dataclass(slots=True)
class WordParagraph:
    """A paragraph's text and what hangs on it, each in order.

    `breaks_before` counts the pages that begin before the first character, `breaks_within` those after it. Graphics in
    `before` stand ahead of the text. `formula` says that there is nothing but equations; `checked` whether it begins
    with a check box.
    """

    text: str = ""
    links: list[Pointer] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    before: list[Element] = field(default_factory=list)
    after: list[Element] = field(default_factory=list)
    formula: bool = False
    checked: bool = False
    breaks_before: int = 0
    breaks_within: int = 0


@dataclass(slots=True)
class WordField:
    """A field being read: its instruction, and its result as shown; `collecting` until the result begins."""

    instruction: list[str]
    collecting: bool = False
    result: list[str] = field(default_factory=list)


def link_of(field: WordField) -> tuple[ReferenceKind, str, str] | None:
    """Return kind, target and evidence of the reference that a field makes, None for fields of other kinds."""
    words = [quoted.replace("\\\\", "\\") or plain for quoted, plain in _WORD.findall("".join(field.instruction))]
    evidence = "".join(field.result).strip()
    if not words or not evidence:
        return None
    name = words[0].upper()
    if name == "HYPERLINK":
        return _hyperlink(words[1:], evidence)
    return (ReferenceKind.CROSS_REFERENCE, evidence, evidence) if name in _CROSS else None


def _hyperlink(words: list[str], evidence: str) -> tuple[ReferenceKind, str, str] | None:
    anchor = words[words.index("\\l") + 1] if "\\l" in words[:-1] else ""
    if words and not words[0].startswith("\\"):
        return ReferenceKind.HYPERLINK, f"{words[0]}#{anchor}" if anchor else words[0], evidence
    return (ReferenceKind.CROSS_REFERENCE, evidence, evidence) if anchor else None


_LEVELS = 9
"""ECMA-376 1, 17.9.6 (`w:lvl`)."""
_PLACE = re.compile(r"%([1-9])")
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
class _Number:
    """A list as paragraphs name it (`w:num`): the definition it counts with, and its own changes to it."""

    abstract: str
    levels: dict[int, _Level]
    starts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts; `marker` must be called once for each numbered paragraph, in the order of the document."""

    def __init__(self, root: Element | None) -> None:
        self._numbers: dict[str, _Number] = {}
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
            self._numbers[key] = _number(element, abstract, linked if linked is not None else definition)
        for key, number in self._numbers.items():
            self._levels_of_styles.update(
                {(key, level.style): at for at, level in number.levels.items() if level.style}
            )

    def level_of_style(self, number: str, style: str) -> int | None:
        """Return the level that a list keeps for paragraphs of a style."""
        return self._levels_of_styles.get((number, style))

    def is_list(self, number: str | None) -> bool:
        return number is not None and number in self._numbers

    def marker(self, number: str, level: int) -> str:
        """Count one paragraph and return its number as shown ("2.1", "a)"), `BULLET`, or "" for an unmarked one."""
        definition = self._numbers[number]
        level = min(max(level, 0), _LEVELS - 1)
        counts = self._counts.setdefault(definition.abstract, [None] * _LEVELS)
        self._step(number, definition, counts, level)
        own = definition.levels.get(level, _Level())
        if own.format == "bullet":
            return BULLET
        if own.format == "none":
            return _PLACE.sub("", own.text).strip()
        return _PLACE.sub(lambda place: _shown(definition, counts, int(place[1]) - 1, own.legal), own.text).strip()

    def _step(self, number: str, definition: _Number, counts: list[int | None], level: int) -> None:
        if level in definition.starts and (number, level) not in self._started:
            counts[level] = None
            self._started.add((number, level))
        for above in range(level):
            if counts[above] is None:  # a level that was skipped counts as begun
                counts[above] = _start(definition, above)
        before = counts[level]
        counts[level] = _start(definition, level) if before is None else before + 1
        for below in range(level + 1, _LEVELS):
            if _restarts(definition, below, level):
                counts[below] = None


def _restarts(definition: _Number, below: int, level: int) -> bool:
    """By default a level starts anew after any above it; `lvlRestart` names the one that counts, 0 none."""
    restart = definition.levels.get(below, _Level()).restart
    return restart is None or (restart > 0 and level < restart)


def _start(definition: _Number, level: int) -> int:
    return definition.starts.get(level, definition.levels.get(level, _Level()).start)


def _shown(definition: _Number, counts: list[int | None], level: int, legal: bool) -> str:
    count = counts[level]
    form = definition.levels.get(level, _Level()).format
    return numeral(_start(definition, level) if count is None else count, "decimal" if legal else form)


def _number(element: Element, abstract: str, definition: Element | None) -> _Number:
    levels = {} if definition is None else _levels(definition)
    starts = {}
    for override in element.iterfind("w:lvlOverride", NAMESPACES):
        at = as_int(override.get(qualified("w:ilvl"))) or 0
        levels.update(_levels(override))
        if (start := as_int(value(override, "w:startOverride"))) is not None:
            starts[at] = start
    return _Number(abstract, levels, starts)


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
