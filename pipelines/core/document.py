"""A parsed document with its text, sections, blocks and references; and its chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite

from pipelines.core.ids import content_id
from pipelines.core.provenance import Provenance, Span
from pipelines.core.table import Table


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document came from.

    `uri` is the POSIX path relative to the ingested folder; a member of a container adds `!/` and its name
    ("mail.eml!/offer.pdf"). `digest` is the SHA-256 of the bytes, `size` their number.
    """

    uri: str
    media_type: str
    size: int
    digest: str

    @property
    def document_id(self) -> str:
        return content_id("document", self.uri, self.digest)

    @property
    def name(self) -> str:
        return self.uri.rsplit("/", 1)[-1]


class BlockKind(StrEnum):
    TITLE = "title"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    FIGURE = "figure"
    CODE = "code"
    FORMULA = "formula"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    NOTE = "note"
    """A speaker's note or a reviewer's comment."""
    PAGE_HEADER = "page_header"
    PAGE_FOOTER = "page_footer"


@dataclass(frozen=True, slots=True)
class Figure:
    """An image: the digest of its bytes, and all text that describes it."""

    id: str
    digest: str
    media_type: str
    width: int = 0
    height: int = 0
    caption: str = ""
    ocr_text: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of the document in reading order.

    `text` is exactly `provenance.span` of the document's text, except for page headers and footers, which are not part
    of it and have an empty span. `level` is the depth of a heading (title 0) or of a list item (from 1). `confidence`
    is the mean confidence of the OCR engine's lines, 1 for native text. `caption_of` is the id of the table or figure
    that a caption belongs to. `breaks` are the positions in `text` at which the parts in its second box, the third and
    so on begin: a paragraph may go on in the next column or on the next page.
    """

    id: str
    kind: BlockKind
    text: str
    provenance: Provenance
    level: int = 0
    table: Table | None = None
    figure: Figure | None = None
    caption_of: str = ""
    confidence: float = 1.0
    breaks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text below it, up to the next heading of the same or a higher level.

    The root section (empty title, level 0, empty parent) spans the document. `path` contains the titles from the
    outermost section to this one; `number` is the number in the section's heading, if any ("4.2").
    """

    id: str
    title: str
    level: int
    span: Span
    parent: str = ""
    number: str = ""
    path: tuple[str, ...] = ()
    page: int | None = None


class ReferenceKind(StrEnum):
    HYPERLINK = "hyperlink"
    CROSS_REFERENCE = "cross_reference"
    CITATION = "citation"
    ATTACHMENT = "attachment"
    REPLY = "reply"
    MEMBER = "member"
    """A member of an archive."""
    MENTION = "mention"
    """The title, number or file name of another document."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An unresolved reference from a document.

    `target` is the target as written: a URL, a relative path, a title, a number. `section` is the referenced part of
    the target ("4.2"), if the text names one. `evidence` is the referring text.
    """

    kind: ReferenceKind
    target: str
    evidence: str
    provenance: Provenance
    section: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A physical page, slide or sheet; sizes in points (0 if the format has none, or no finite one).

    `text_source` is "native", "ocr" or "none". `issue` says what could not be read, empty if everything was.
    """

    number: int
    label: str = ""
    width: float = 0.0
    height: float = 0.0
    text_source: str = "native"
    issue: str = ""

    def __post_init__(self) -> None:
        for size in ("width", "height"):
            if not isfinite(getattr(self, size)):
                object.__setattr__(self, size, 0.0)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed source. The blocks' texts, in order, are slices of `text`; sections are in order of their start.

    `metadata` maps names to strings (author, created, modified, subject, sender, ...); dates are ISO 8601.
    """

    id: str
    source: Source
    title: str
    text: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()
    references: tuple[Reference, ...] = ()
    pages: tuple[Page, ...] = ()
    furniture: tuple[Block, ...] = ()
    language: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    engine: str = ""
    notes: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(block.table for block in self.blocks if block.table is not None)

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(block.figure for block in self.blocks if block.figure is not None)


def document_date(metadata: Mapping[str, str]) -> str:
    """Return the date by which a document is filtered and ordered: the stated date, else that of the last change.

    ISO 8601 as in the metadata; empty if there is none.
    """
    return next((metadata[name] for name in ("date", "modified", "created") if metadata.get(name)), "")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of a document's text, never rewritten; `text == provenance.span.slice(document.text)`.

    `position` counts the chunks of the document from 0. `context` is text that is needed to understand the chunk but is
    not part of it (the header of a table split between rows). `summary` summarizes the chunk, `forward_summary` the
    text before it (PIKE-RAG 5.2.1).
    """

    id: str
    document: str
    section: str
    position: int
    text: str
    provenance: Provenance
    heading_path: tuple[str, ...] = ()
    context: str = ""
    summary: str = ""
    forward_summary: str = ""
    language: str = ""

    @staticmethod
    def make_id(document: str, start: int, end: int) -> str:
        """Return the id of a chunk by its position: the document's id already identifies its bytes."""
        return content_id("chunk", document, start, end)

    def quotes(self, text: str) -> bool:
        """Whether a text occurs verbatim in the chunk or its context, ignoring white space."""
        return " ".join(text.split()) in " ".join(f"{self.context} {self.text}".split())
