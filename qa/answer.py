"""An answer: its text, its claims with citations that were checked, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pipelines.core.provenance import Box, Span
from pipelines.llm.chat import Usage

NOT_IN_DOCUMENTS = "The documents do not say."


class Ending(StrEnum):
    """How a question ended. The last three say nothing about what the documents hold."""

    ANSWERED = "answered"
    NOT_IN_DOCUMENTS = "not_in_documents"
    MODEL_FAILED = "model_failed"
    """The language model gave no reply, or none that could be used."""
    NOTHING_MATCHES = "nothing_matches"
    """Each part of the filter is known, and no passage fits all of them."""
    EMPTY = "empty"
    """The knowledge base holds no document that can be found."""

    @property
    def exit_code(self) -> int:
        """The code that a command ends with (README)."""
        return _EXIT_CODES.get(self, 0)


_EXIT_CODES = {Ending.NOTHING_MATCHES: 4, Ending.EMPTY: 5, Ending.MODEL_FAILED: 6}


@dataclass(frozen=True, slots=True)
class PlaceWords:
    """How the places of passages are worded: `{first}` and `{last}` are pages, `{name}` is that of a sheet."""

    page: str = "page {first}"
    pages: str = "pages {first}-{last}"
    slide: str = "slide {first}"
    slides: str = "slides {first}-{last}"
    sheet: str = "sheet {name}"


@dataclass(frozen=True, slots=True)
class Citation:
    """A quoted passage of a document, numbered from 1; `quote` is exactly `span` of the document's text.

    `pages` are all the pages that the quote touches, `context` the line that says what its columns are where the
    quote is a row of a table. `superseded_by` is the URI of the newest document that takes the place of the quoted one.
    """

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
    context: str = ""
    superseded_by: str = ""

    @property
    def place(self) -> str:
        """The place as a reader says it: "page 3", "pages 3-4", "slide 2", "sheet Prices, B2:D4"."""
        return self.placed(PlaceWords())

    def placed(self, words: PlaceWords) -> str:
        """Return the place in these words, empty where none is known."""
        if self.cells:
            sheet = words.sheet.format(name=self.label) if self.label else ""
            return ", ".join(part for part in (sheet, self.cells) if part)
        if not self.pages:
            return self.label
        slides = self.uri.lower().rsplit(".", 1)[-1] in ("pptx", "ppt", "odp")
        one, several = (words.slide, words.slides) if slides else (words.page, words.pages)
        first, last = self.pages[0], self.pages[-1]
        where = (one if first == last else several).format(first=first, last=last)
        return where + (f" ({self.label})" if self.label not in ("", str(first)) else "")

    @property
    def pages(self) -> tuple[int, ...]:
        """All pages touched, ascending."""
        found = {box.page for box in self.boxes} | ({self.page} if self.page is not None else set())
        return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the answer, with the numbers of the citations that carry it."""

    text: str
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that was found for the answer, whether it is cited or not; `score` in [0, 1]."""

    chunk: str
    uri: str
    pages: tuple[int, ...]
    score: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A node of the trace: what was done (`kind`), what came of it, and the steps inside it."""

    kind: str
    text: str = ""
    score: float | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, as `KnowledgeBase.ask` and every strategy return it.

    `ending` says how it ended; unless that is `ANSWERED`, `text` is a sentence that says so, `hint` what can be done,
    and the citations are the nearest passages, if any. What was found and done before a failure is told as well.
    `warnings` say what the answer may lack: calls that failed while the rest sufficed, an ingest that has not ended.
    `failed_calls` counts calls of the model without a usable reply. `extractive` says that the text is quoted, not
    written. `short` is the bare answer that a model gave (a name, a number), what EM and F1 are computed from. `found`
    are the passages found, best first. `missing` says what the documents leave open: where they do not hold the answer
    the claims are what they tell of it all the same. `dropped` lists what a model claimed and the check refused,
    `conflicts` the sources that contradict each other. `confidence` in [0, 1] is how surely the documents hold the
    answer, before the threshold of abstention.
    """

    question: str
    text: str
    strategy: str = ""
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    ending: Ending = Ending.ANSWERED
    hint: str = ""
    warnings: tuple[str, ...] = ()
    failed_calls: int = 0
    extractive: bool = False
    short: str = ""
    missing: str = ""
    confidence: float | None = None
    found: tuple[Found, ...] = ()
    conflicts: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    trace: tuple[Step, ...] = ()
    usage: Usage = field(default_factory=Usage)
    dollars: float = 0.0
    seconds: float = 0.0

    @property
    def abstained(self) -> bool:
        """Whether the documents do not hold the answer; a failure is no abstention."""
        return self.ending is Ending.NOT_IN_DOCUMENTS
