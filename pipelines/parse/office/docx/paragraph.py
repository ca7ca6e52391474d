"""What one paragraph of a Word document holds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipelines.core.document import ReferenceKind
from pipelines.parse.office.ooxml import Element
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
