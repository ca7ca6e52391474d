"""Distilled knowledge: the content of chunks in units for retrieval (PIKE-RAG 5.1.2, 5.2.2, 5.3.1; figure 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pipelines.core.document import Chunk
from pipelines.core.ids import content_id, normalize
from pipelines.core.provenance import Provenance


class AtomKind(StrEnum):
    QUESTION = "question"
    STATEMENT = "statement"


@dataclass(frozen=True, slots=True)
class Atom:
    """An atomic question that a chunk answers, or an atomic statement that it makes.

    `provenance` is the supporting part of the source: the sentence for a statement, the chunk for a question.
    `templated` marks a question that was generated from the names of a table's row and column.
    """

    id: str
    chunk: str
    kind: AtomKind
    text: str
    provenance: Provenance
    templated: bool = False

    @staticmethod
    def make_id(chunk: str, kind: AtomKind, text: str) -> str:
        return content_id("atom", chunk, kind.value, text)


@dataclass(frozen=True, slots=True)
class Tag:
    """A term of the corpus. Its id is its normalized text, so chunks that share a term share the tag."""

    id: str
    text: str
    tag_class: str = ""
    aliases: tuple[str, ...] = ()

    @staticmethod
    def make_id(text: str) -> str:
        return content_id("tag", normalize(text))


@dataclass(frozen=True, slots=True)
class TagClass:
    """A class of tags ("component", "failure mode"), induced from the corpus (PIKE-RAG figure 7)."""

    id: str
    name: str
    description: str = ""

    @staticmethod
    def make_id(name: str) -> str:
        return content_id("class", normalize(name))


@dataclass(frozen=True, slots=True)
class TagPair:
    """A term of users and the corresponding term of the corpus, with the weight of the evidence for the pair."""

    query_term: str
    corpus_tag: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class ChunkTag:
    """A tag of a chunk; `weight` in (0, 1] is the tag's relevance to it."""

    chunk: str
    tag: str
    text: str
    weight: float = 1.0
    tag_class: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing. Before linking its id is its normalized name; linking may merge several into one."""

    id: str
    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()

    @staticmethod
    def make_id(name: str) -> str:
        return content_id("entity", normalize(name))


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention of an entity in a chunk; `provenance.span` is the span of the name in the document's text."""

    chunk: str
    entity: str
    surface: str
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between a head and a tail entity, with its evidence in the source.

    `origin` is "model", or "co-occurrence" if no language model found it.
    """

    id: str
    chunk: str
    head: str
    type: str
    tail: str
    provenance: Provenance
    origin: str = "model"

    @staticmethod
    def make_id(chunk: str, head: str, type: str, tail: str) -> str:
        return content_id("relation", chunk, head, type, tail)


@dataclass(frozen=True, slots=True)
class Field:
    """One typed value of a row: the column's name, the value as written, and its type."""

    name: str
    value: str
    type: str = "text"


@dataclass(frozen=True, slots=True)
class Row:
    """Tabular knowledge: one row of a table as typed pairs (PIKE-RAG figure 4)."""

    id: str
    chunk: str
    table: str
    fields: tuple[Field, ...]
    provenance: Provenance

    @staticmethod
    def make_id(chunk: str, table: str, number: int) -> str:
        return content_id("row", chunk, table, number)


@dataclass(frozen=True, slots=True)
class Distillate:
    """The knowledge distilled from one document, with its summarized chunks.

    `summaries` maps the ids of its sections and of the document to their summaries. `dropped` counts the parts of model
    replies that a check rejected, by reason ("entity not in text", ...). `unfinished` are the ids of chunks and
    sections whose model calls failed: they are indexed by their text, and the next run tries again.
    """

    document: str
    chunks: tuple[Chunk, ...]
    atoms: tuple[Atom, ...] = ()
    tags: tuple[ChunkTag, ...] = ()
    entities: tuple[Entity, ...] = ()
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    rows: tuple[Row, ...] = ()
    summaries: dict[str, str] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    unfinished: tuple[str, ...] = ()
