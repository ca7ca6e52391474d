"""Nodes and edges of the three-layer graph, and their kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pipelines.core.ids import content_id

PropertyValue = str | int | float | bool | tuple[str, ...]
"""Types of property values: those that both Neo4j and JSON support."""


class Layer(StrEnum):
    """The layers of PIKE-RAG figure 3; each is also a label in Neo4j."""

    RESOURCE = "InformationResource"
    CORPUS = "Corpus"
    KNOWLEDGE = "DistilledKnowledge"


class NodeKind(StrEnum):
    DOCUMENT = "Document"
    UNRESOLVED = "Unresolved"
    """A target of a reference that is not in the knowledge base."""
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
"""The owner of nodes and edges that belong to no single document: tags, classes, entities, links between documents."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node; `owner` is the id of the document that it belongs to, or `CORPUS_OWNER`."""

    id: str
    kind: NodeKind
    owner: str
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)

    @property
    def layer(self) -> Layer:
        return self.kind.layer


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge. Two edges of one kind between the same nodes differ by `key`, such as the type of a relation."""

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
    """Nodes and edges of one owner, which are written and removed together."""

    owner: str
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()


class GraphFormat(StrEnum):
    """Export formats of a graph."""

    JSONL = "jsonl"
    GRAPHML = "graphml"
    CYPHER = "cypher"
