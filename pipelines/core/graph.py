"""Nodes and edges of the three-layer graph, and the list of what they may be (design, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pipelines.core.ids import content_id

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
