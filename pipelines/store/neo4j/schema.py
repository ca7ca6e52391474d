"""The graph in Neo4j: its labels, constraints and indexes by numbered, recorded steps; nodes and edges as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pipelines.core.errors import StoreMismatch
from pipelines.core.graph import Edge, EdgeKind, Layer, Node, NodeKind, PropertyValue
from pipelines.store.neo4j.connection import Connection, ResultRow

BASE = "Strata"
"""The label of every node, by which an edge finds its ends."""
PENDING = "Pending"
"""The label of a place that edges lead to before its node is written. Not a node to the outside."""
ROOT = "KnowledgeBase"
"""The label of the one node of each knowledge base that is no part of its graph: what is noted of its owners that have
no document's node, and the steps that the database has been through."""
_OWNER, _MIGRATION = "StrataOwner", "StrataMigration"
"""Labels of the nodes on which earlier versions noted that."""
UNFINISHED = "unfinished"
"""In place of the digest of an owner that is being written in several transactions, or has to be."""
FULL_TEXT = "strata_text"
"""The full-text index over the names and texts of all nodes that have one."""
_SEARCHED = ("Document", "Section", "Chunk", "Table", "Figure", "Atom", "Row", "Tag", "Entity")
_ATOMS = {"question": "AtomicQuestion", "statement": "AtomicStatement"}

LABELS = frozenset([PENDING, *(layer.value for layer in Layer), *(kind.value for kind in NodeKind), *_ATOMS.values()])
"""All labels that a node may have or lose besides the base."""
EXPANDED = "expanded"
"""The property that lists which others repeat parts of a list, for people: see `_expanded`."""
OURS = frozenset(("id", "kb", "layer", "owner", "key", "hash", "owner_digest", EXPANDED))
"""Property names that the store itself uses; a node's or edge's own of that name is kept under another."""
_OWN = "own_"


T = TypeVar("T", Node, Edge)


def labels_of(node: Node) -> tuple[str, ...]:
    """Return the labels of a node besides the base: its layer, its kind, an atom's own kind."""
    found = [node.layer.value, node.kind.value]
    atom = node.properties.get("kind") if node.kind is NodeKind.ATOM else None
    if isinstance(atom, str) and atom in _ATOMS:
        found.append(_ATOMS[atom])
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Migration:
    """A numbered step; its statements may be run again without harm."""

    name: str
    statements: tuple[str, ...]


MIGRATIONS = (
    Migration(
        "m001_nodes_by_id_and_owner",
        (
            f"CREATE CONSTRAINT strata_id IF NOT EXISTS FOR (n:{BASE}) REQUIRE (n.kb, n.id) IS UNIQUE",
            f"CREATE INDEX strata_owner IF NOT EXISTS FOR (n:{BASE}) ON (n.kb, n.owner)",
        ),
    ),
    Migration(
        "m002_edges_by_owner",
        tuple(
            f"CREATE INDEX strata_{kind.value.lower()}_owner IF NOT EXISTS FOR ()-[r:{kind.value}]-() ON (r.owner)"
            for kind in EdgeKind
        ),
    ),
    Migration(
        "m003_names",
        (
            "CREATE INDEX strata_document_uri IF NOT EXISTS FOR (n:Document) ON (n.uri)",
            "CREATE INDEX strata_tag_name IF NOT EXISTS FOR (n:Tag) ON (n.name)",
            "CREATE INDEX strata_entity_name IF NOT EXISTS FOR (n:Entity) ON (n.name)",
        ),
    ),
    Migration(
        "m004_full_text",
        (f"CREATE FULLTEXT INDEX {FULL_TEXT} IF NOT EXISTS FOR (n:{'|'.join(_SEARCHED)}) ON EACH [n.name, n.text]",),
    ),
    Migration(
        "m005_cells_and_metadata_by_name",  # what was written before is written anew by the next sync
        (
            f"MATCH (n:{BASE}) WHERE n:Row OR n:Document SET n.hash = ''",
            f"MATCH (o:{_OWNER}) SET o.digest = '{UNFINISHED}'",
        ),
    ),
    Migration(
        "m006_notes_on_documents_and_root",
        (
            f"CREATE CONSTRAINT strata_kb IF NOT EXISTS FOR (k:{ROOT}) REQUIRE k.kb IS UNIQUE",
            "DROP CONSTRAINT strata_owners IF EXISTS",
            f"MATCH (o:{_OWNER}) WHERE o.digest <> '{UNFINISHED}'"
            f" MATCH (n:{BASE} {{kb: o.kb, id: o.owner}}) WHERE n:Document AND n.owner = o.owner"
            " SET n.owner_digest = o.digest DELETE o",
            f"MATCH (o:{_OWNER}) WITH o.kb AS kb, collect(o) AS noted MERGE (k:{ROOT} {{kb: kb}})"
            " SET k.name = kb, k.digests = coalesce(k.digests, []) + [o IN noted | o.digest + ' ' + o.owner]"
            " FOREACH (o IN noted | DELETE o)",
        ),
    ),
)


def migrate(connection: Connection, kb: str) -> None:
    """Take the steps that this database has not been through, and make the root of `kb`.

    Raises `StoreMismatch` where it knows later ones.
    """
    done = set(applied(connection))
    if unknown := sorted(done - {step.name for step in MIGRATIONS}):
        raise StoreMismatch("a later version of Strata wrote to this Neo4j", ids=tuple(unknown))
    for step in MIGRATIONS:
        if step.name not in done:
            for statement in step.statements:
                connection.run(statement)
            connection.run("CALL db.awaitIndexes(300)")
    names = [step.name for step in MIGRATIONS]
    rows = connection.run(f"MATCH (k:{ROOT} {{kb: $kb}}) RETURN k.migrations AS names", kb=kb)
    if [row["names"] for row in rows] != [names]:
        connection.run(f"MERGE (k:{ROOT} {{kb: $kb}}) SET k.name = $kb", kb=kb)
        connection.run(f"MATCH (k:{ROOT}) SET k.migrations = $names", names=names)
        connection.run(f"MATCH (m:{_MIGRATION}) DELETE m")


def applied(connection: Connection) -> list[str]:
    """Return the names of the steps that this database has been through, in order."""
    rows = connection.run(
        f"MATCH (m:{_MIGRATION}) RETURN m.name AS name UNION MATCH (k:{ROOT}) UNWIND k.migrations AS name RETURN name"
    )
    return sorted(str(row["name"]) for row in rows)


@dataclass(frozen=True, slots=True)
class HashedItem(Generic[T]):
    """A node or an edge with its hash, which is expensive and computed once."""

    item: T
    hash: bytes

    @property
    def text(self) -> str:
        """The hash as Neo4j keeps it: hexadecimal digits, which it packs into the record itself."""
        return self.hash.hex()


def read_hash(text: str) -> bytes:
    """Return the hash that `HashedItem.text` is of."""
    return bytes.fromhex(text)


def node_row(hashed: HashedItem[Node], kb: str) -> dict[str, object]:
    """Return all properties that the node has in Neo4j."""
    node = hashed.item
    told = _escaped(node.properties)
    if parts := _expanded(node, told):
        told |= parts | {EXPANDED: list(parts)}
    told |= {"id": node.id, "kb": kb, "layer": node.layer.value, "owner": node.owner, "hash": hashed.text}
    return told


def edge_row(hashed: HashedItem[Edge]) -> dict[str, object]:
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
