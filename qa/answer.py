"""An answer: its text, its claims with citations that were checked, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipelines.core.provenance import Box, Span
from pipelines.llm.chat import Usage

NOT_IN_DOCUMENTS = "The documents do not say."


@dataclass(frozen=True, slots=True)
class Citation:
    """A quoted passage of a document, numbered from 1; `quote` is exactly `span` of the document's text."""

    number: int
    document: str
    uri: str
    title: str
    quote: str
    chunk: str
    span: Span
    page: int | None = None
    label: str = ""
    cells: str = ""
    heading_path: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()
    score: float = 0.0

    @property
    def place(self) -> str:
        """The place as a reader says it: "page 3", "sheet Prices, B2:D4"."""
        parts = []
        if self.cells:
            parts.append(f"sheet {self.label}" if self.label else "sheet")
            parts.append(self.cells)
        elif self.page is not None:
            parts.append(f"page {self.page}" + (f" ({self.label})" if self.label not in ("", str(self.page)) else ""))
        elif self.label:
            parts.append(self.label)
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the answer, with the numbers of the citations that carry it."""

    text: str
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A node of the trace: what was done (`kind`), what came of it, and the steps inside it."""

    kind: str
    text: str = ""
    score: float | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a strategy returns.

    `abstained` says that the documents do not hold the answer: then `text` is `NOT_IN_DOCUMENTS` and the citations
    are the nearest passages, if any. `extractive` says that the text is quoted, not written. `dropped` lists what a
    model claimed and the check refused, `conflicts` what sources say against each other.
    """

    question: str
    text: str
    strategy: str
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    abstained: bool = False
    extractive: bool = False
    conflicts: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    trace: tuple[Step, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
