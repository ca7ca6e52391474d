"""Nodes and edges of the three-layer graph, and the list of what they may be (design, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from pipelines.core.ids import content_id, normalize

PropertyValue = str | int | float | bool | tuple[str, ...]
"""What a property may hold: what Neo4j and JSON both can."""


class Layer(StrEnum):
    """The layers of PIKE-RAG figure 3; each is also a label in Neo4j."""

    RESOURCE = "InformationResource"
    CORPUS = "Corpus"
    KNOWLEDGE = "DistilledKnowledge"


class NodeKind(StrEnum):
    DOCUMENT = "Document"
    UNRESOLVED = "Unresolved"
    """What a document refers to and the knowledge base does not hold."""
    SECTION = "Section"
    CHUNK = "Chunk"
    TABLE = "Table"
    FIGURE = "Figure"
    ATOM = "Atom"
    TAG = "Tag"
    TAG_CLASS = "TagClass"
    ENTITY = "Entity"
    ROW = "Row"

    @property
    def layer(self) -> Layer:
        if self in (NodeKind.DOCUMENT, NodeKind.UNRESOLVED):
            return Layer.RESOURCE
        if self in (NodeKind.SECTION, NodeKind.CHUNK, NodeKind.TABLE, NodeKind.FIGURE):
            return Layer.CORPUS
        return Layer.KNOWLEDGE


class EdgeKind(StrEnum):
    REFERENCES = "REFERENCES"
    SAME_CONTENT = "SAME_CONTENT"
    SUPERSEDES = "SUPERSEDES"
    HAS_SECTION = "HAS_SECTION"
    HAS_CHUNK = "HAS_CHUNK"
    NEXT = "NEXT"
    HAS_TABLE = "HAS_TABLE"
    HAS_FIGURE = "HAS_FIGURE"
    CAPTION_OF = "CAPTION_OF"
    HAS_ATOM = "HAS_ATOM"
    HAS_TAG = "HAS_TAG"
    IN_CLASS = "IN_CLASS"
    MENTIONS = "MENTIONS"
    RELATED = "RELATED"
    HAS_ROW = "HAS_ROW"


CORPUS_OWNER = "corpus"
"""The owner of what no single document owns: tags, classes, entities, and the edges that link documents."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node; `owner` is the id of the document it goes with, or `CORPUS_OWNER`."""

    id: str
    kind: NodeKind
    owner: str
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)

    @property
    def layer(self) -> Layer:
        return self.kind.layer


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge. Two edges of one kind between the same nodes differ by `key` (a relation's type, say)."""

    source: str
    kind: EdgeKind
    target: str
    owner: str
    key: str = ""
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return content_id("edge", self.source, self.kind.value, self.target, self.key)


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Nodes and edges that are written and removed together; all have the owner that it names."""

    owner: str
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()


class GraphFormat(StrEnum):
    """The forms in which a graph is exported."""

    JSONL = "jsonl"
    GRAPHML = "graphml"
    CYPHER = "cypher"


class GraphSchema(BaseModel):
    """Types and patterns that are allowed; an empty tuple allows everything. Spelling and case do not count."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entity_types: tuple[str, ...] = Field((), description="the entity types that the graph may hold; empty: any")
    relation_types: tuple[str, ...] = Field((), description="the relation types that the graph may hold; empty: any")
    patterns: tuple[tuple[str, str, str], ...] = Field(
        (), description="the allowed (head type, relation type, tail type); empty: any"
    )

    @property
    def confines(self) -> bool:
        """Whether there is anything that it does not allow."""
        return bool(self.entity_types or self.relation_types or self.patterns)

    @property
    def kinds(self) -> tuple[str, ...]:
        """All entity types that it names, those of patterns among them."""
        ends = [end for head, _, tail in self.patterns for end in (head, tail)]
        return _distinct((*self.entity_types, *ends))

    @property
    def relations(self) -> tuple[str, ...]:
        """All relation types that it names, those of patterns among them."""
        return _distinct((*self.relation_types, *(relation for _, relation, _ in self.patterns)))

    def allows_entity(self, kind: str) -> bool:
        return not self.entity_types or normalize(kind) in map(normalize, self.entity_types)

    def allows_relation(self, head: str, relation: str, tail: str) -> bool:
        """Whether an entity of type `head` may relate so to one of type `tail`."""
        if self.relation_types and normalize(relation) not in map(normalize, self.relation_types):
            return False
        wanted = tuple(map(normalize, (head, relation, tail)))
        return not self.patterns or any(tuple(map(normalize, pattern)) == wanted for pattern in self.patterns)


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(normalize(name), name)
    return tuple(found.values())
