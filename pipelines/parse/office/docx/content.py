"""What one paragraph of a Word document holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipelines.core.document import ReferenceKind
from pipelines.parse.office.ooxml import Element


@dataclass(frozen=True, slots=True)
class Link:
    """A reference out of a paragraph; `evidence` is the text that points."""

    kind: ReferenceKind
    target: str
    evidence: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """A place where a note or comment is anchored: `kind` is footnote, endnote or comment."""

    kind: str
    id: str


@dataclass(slots=True)
class Content:
    """A paragraph's text and what hangs on it, each in order.

    `breaks_before` counts the pages that begin before the first character, `breaks_within` those after it. Graphics in
    `before` stand ahead of the text. `formula` says that there is nothing but equations; `checked` whether it begins
    with a check box.
    """

    text: str = ""
    links: list[Link] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    before: list[Element] = field(default_factory=list)
    after: list[Element] = field(default_factory=list)
    formula: bool = False
    checked: bool = False
    breaks_before: int = 0
    breaks_within: int = 0
