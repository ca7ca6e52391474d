"""Nodes and edges as rows for Neo4j, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, PropertyValue
from pipelines.store.neo4j.connection import ResultRow

EXPANDED = "expanded"
"""The property that lists which others repeat parts of a list, for people: see `_expanded`."""
OURS = frozenset(("id", "kb", "layer", "owner", "key", "hash", "owner_digest", EXPANDED))
"""Property names that the store itself uses; a node's or edge's own of that name is kept under another."""
_OWN = "own_"


T = TypeVar("T", Node, Edge)


@dataclass(frozen=True, slots=True)
class Hashed(Generic[T]):
    """A node or an edge with its hash, which is expensive and computed once."""

    item: T
    hash: bytes

    @property
    def text(self) -> str:
        """The hash as Neo4j keeps it: hexadecimal digits, which it packs into the record itself."""
        return self.hash.hex()


def read_hash(text: str) -> bytes:
    """Return the hash that `Hashed.text` is of."""
    return bytes.fromhex(text)


def node_row(hashed: Hashed[Node], kb: str) -> dict[str, object]:
    """Return all properties that the node has in Neo4j."""
    node = hashed.item
    told = _escaped(node.properties)
    if parts := _expanded(node, told):
        told |= parts | {EXPANDED: list(parts)}
    told |= {"id": node.id, "kb": kb, "layer": node.layer.value, "owner": node.owner, "hash": hashed.text}
    return told


def edge_row(hashed: Hashed[Edge]) -> dict[str, object]:
    """Return the ends of an edge, and `told`, all properties that it has in Neo4j."""
    edge = hashed.item
    told = _escaped(edge.properties)
    told |= {"key": edge.key, "owner": edge.owner, "hash": hashed.text}
    return {"source": edge.source, "target": edge.target, "key": edge.key, "told": told}


def read_node(row: ResultRow) -> Node:
    """Return the node of a row (labels, told)."""
    labels, told = row["labels"], _mapping(row["told"])
    kind = next(kind for kind in NodeKind if kind.value in _strings(labels))
    repeated = frozenset(_strings(told.get(EXPANDED, ())))
    own = {name: value for name, value in told.items() if name not in repeated}
    return Node(str(told["id"]), kind, str(told["owner"]), _unescaped(own))


def read_edge(row: ResultRow) -> Edge:
    """Return the edge of a row (source, kind, target, told)."""
    told = _mapping(row["told"])
    kind = EdgeKind(str(row["kind"]))
    return Edge(str(row["source"]), kind, str(row["target"]), str(told["owner"]), str(told["key"]), _unescaped(told))


def _expanded(node: Node, told: Mapping[str, object]) -> dict[str, object]:
    """The cells of a row by their columns, and the metadata of a document by their names, where these are free."""
    columns, values = node.properties.get("columns"), node.properties.get("values")
    pairs: list[tuple[str, str]] = []
    if node.kind is NodeKind.ROW and isinstance(columns, tuple) and isinstance(values, tuple):
        pairs = list(zip(columns, values, strict=False))
    elif node.kind is NodeKind.DOCUMENT and isinstance(known := node.properties.get("metadata"), tuple):
        pairs = [(name, value) for name, _, value in (one.partition(": ") for one in known)]
    taken = OURS | told.keys()
    free = [(name, value) for name, value in pairs if name.isprintable() and name and value and name not in taken]
    return dict(reversed(free))


def _escaped(properties: Mapping[str, PropertyValue]) -> dict[str, object]:
    return {
        _OWN + name if name in OURS or name.startswith(_OWN) else name: list(value)
        if isinstance(value, tuple)
        else value
        for name, value in properties.items()
    }


def _unescaped(told: Mapping[str, object]) -> dict[str, PropertyValue]:
    return {name.removeprefix(_OWN): _value(value) for name, value in told.items() if name not in OURS}


def _value(value: object) -> PropertyValue:
    if isinstance(value, str | bool | int | float):
        return value
    return tuple(_strings(value))


def _strings(value: object) -> Sequence[str]:
    return [str(one) for one in value] if isinstance(value, Iterable) else []


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise TypeError(f"not a map of properties: {value!r}")
    return value
