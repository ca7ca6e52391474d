"""An answer: its text, its claims with checked citations, and its trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pipelines.core.provenance import Box, Provenance, Span
from pipelines.llm.chat import Usage

NOT_IN_DOCUMENTS = "The documents do not say."


class Ending(StrEnum):
    """How a question ended. The last three say nothing about the content of the documents."""

    ANSWERED = "answered"
    NOT_IN_DOCUMENTS = "not_in_documents"
    MODEL_FAILED = "model_failed"
    """The language model gave no usable reply."""
    NOTHING_MATCHES = "nothing_matches"
    """Each part of the filter exists, but no passage passes all of them."""
    EMPTY = "empty"
    """The knowledge base has no searchable document."""

    @property
    def exit_code(self) -> int:
        """The exit code of a command (README)."""
        return _EXIT_CODES.get(self, 0)


_EXIT_CODES = {Ending.NOTHING_MATCHES: 4, Ending.EMPTY: 5, Ending.MODEL_FAILED: 6}


@dataclass(frozen=True, slots=True)
class Citation:
    """A quoted passage of a document, numbered from 1; `quote` is exactly `span` of the document's text.

    `pages` are the pages of the quote. `context` is the header row if the quote is a table row, else `before` and
    `after` are the sentences beside it. `superseded_by` is the URI of the newest document that replaces the quoted one,
    or "".
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
    before: str = ""
    after: str = ""

    @property
    def provenance(self) -> Provenance:
        """The place of the quote."""
        return Provenance(self.document, self.span, self.page, self.label, self.cells, self.boxes)

    @property
    def place(self) -> str:
        """The place in words: "page 3", "pages 3-4", "slide 2", "sheet Prices, B2:D4"; "" if it is unknown."""
        return self.provenance.place(self.uri)

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages of the quote, ascending."""
        return self.provenance.pages()


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the answer, with the numbers of the citations that support it."""

    text: str
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A passage found for the question, cited or not; `score` is in [0, 1]."""

    chunk: str
    uri: str
    pages: tuple[int, ...]
    score: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A node of the trace: the kind of step, its result, and the steps inside it."""

    kind: str
    text: str = ""
    score: float | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, as `KnowledgeBase.ask` and every strategy return it.

    - `ending`: how it ended. Unless `ANSWERED`, `text` states the reason and `hint` what the user can do.
    - `short`: the bare answer of a model (a name, a number), from which EM and F1 are computed.
    - `claims`, `citations`: the statements and quotes; if the documents do not answer, what they say about the subject.
    - `missing`: what the documents do not say. `conflicts`: sources that contradict each other.
    - `warnings`: possible defects of the answer: failed calls, an unfinished ingest. `dropped`: rejected claims.
    - `failed_calls`: the number of calls to the model without a usable reply.
    - `extractive`: whether the text is quoted. `found`: the passages found, best first.
    - `confidence`: the probability, in [0, 1], that the documents contain the answer, before the threshold is applied.
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
        """Whether the documents do not contain the answer; False for a failure."""
        return self.ending is Ending.NOT_IN_DOCUMENTS
