"""The schema of the graph in Neo4j: labels, migrations with constraints and indexes, nodes and edges as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pipelines.core.errors import StoreMismatch
from pipelines.core.graph import Edge, EdgeKind, Layer, Node, NodeKind, PropertyValue
from pipelines.store.neo4j.connection import Connection, ResultRow

BASE = "Strata"
"""The label of every node, by which the ends of edges are found."""
PENDING = "Pending"
"""The label of a placeholder for a node that is not written yet, at which edges end. Readers do not see it."""
ROOT = "KnowledgeBase"
"""The label of the root node of a knowledge base, which is not a part of the graph: it has the digests of owners
without a document node, and the migrations of the database."""
_OWNER, _MIGRATION = "StrataOwner", "StrataMigration"
"""Labels of nodes that had this data in earlier versions."""
UNFINISHED = "unfinished"
"""The digest of an owner that is being written in several transactions, or must be written again."""
FULL_TEXT = "strata_text"
"""The full-text index of the names and texts of nodes."""
_SEARCHED = ("Document", "Section", "Chunk", "Table", "Figure", "Atom", "Row", "Tag", "Entity")
_ATOMS = {"question": "AtomicQuestion", "statement": "AtomicStatement"}

LABELS = frozenset([PENDING, *(layer.value for layer in Layer), *(kind.value for kind in NodeKind), *_ATOMS.values()])
"""All labels that a node can have in addition to the base."""
CELL = " (cell)"
"""Behind the name of a column that is also the name of a property of every row."""
EXPANDED = "expanded"
"""The property with the names of those properties that repeat parts of a list for readability: see `_expanded`."""
OURS = frozenset(("id", "kb", "layer", "owner", "key", "hash", "owner_digest", EXPANDED))
"""Property names that the store uses; properties of nodes and edges with these names get a prefix."""
_OWN = "own_"


T = TypeVar("T", Node, Edge)


def labels_of(node: Node) -> tuple[str, ...]:
    """Return the labels of a node in addition to the base: its layer, its kind, and the kind of an atom."""
    found = [node.layer.value, node.kind.value]
    atom = node.properties.get("kind") if node.kind is NodeKind.ATOM else None
    if isinstance(atom, str) and atom in _ATOMS:
        found.append(_ATOMS[atom])
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Migration:
    """A numbered migration with idempotent statements."""

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
        "m005_cells_and_metadata_by_name",  # the next sync writes existing rows and documents again
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
    """Apply the missing migrations, and create the root node of `kb`.

    Raises `StoreMismatch` if the database is of a later version, with unknown migrations.
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
    """Return the names of the applied migrations, in order."""
    rows = connection.run(
        f"MATCH (m:{_MIGRATION}) RETURN m.name AS name UNION MATCH (k:{ROOT}) UNWIND k.migrations AS name RETURN name"
    )
    return sorted(str(row["name"]) for row in rows)


@dataclass(frozen=True, slots=True)
class HashedItem(Generic[T]):
    """A node or an edge with its hash, to compute the hash only once."""

    item: T
    hash: bytes

    @property
    def text(self) -> str:
        """The hash in Neo4j: hexadecimal digits, which Neo4j stores compactly in the record of the node or edge."""
        return self.hash.hex()


def node_row(hashed: HashedItem[Node], kb: str) -> dict[str, object]:
    """Return the properties of the node in Neo4j."""
    node = hashed.item
    row = _escaped(node.properties)
    if parts := _expanded(node, row):
        row |= parts | {EXPANDED: list(parts)}
    row |= {"id": node.id, "kb": kb, "layer": node.layer.value, "owner": node.owner, "hash": hashed.text}
    return row


def edge_row(hashed: HashedItem[Edge]) -> dict[str, object]:
    """Return the ends of an edge, its key, and its `properties` in Neo4j."""
    edge = hashed.item
    properties = _escaped(edge.properties)
    properties |= {"key": edge.key, "owner": edge.owner, "hash": hashed.text}
    return {"source": edge.source, "target": edge.target, "key": edge.key, "properties": properties}


def read_node(row: ResultRow) -> Node:
    """Return the node of a row (labels, properties)."""
    labels, held = row["labels"], _mapping(row["properties"])
    kind = next(kind for kind in NodeKind if kind.value in _strings(labels))
    repeated = frozenset(_strings(held.get(EXPANDED, ())))
    own = {name: value for name, value in held.items() if name not in repeated}
    return Node(str(held["id"]), kind, str(held["owner"]), _unescaped(own))


def read_edge(row: ResultRow) -> Edge:
    """Return the edge of a row (source, kind, target, properties)."""
    held = _mapping(row["properties"])
    kind = EdgeKind(str(row["kind"]))
    return Edge(str(row["source"]), kind, str(row["target"]), str(held["owner"]), str(held["key"]), _unescaped(held))


def _expanded(node: Node, used: Mapping[str, object]) -> dict[str, object]:
    """Return the cells of a row by column, or the metadata of a document by name.

    If a property of the node has the name of a column ("name", "id"), the cell is `name (cell)`.
    """
    columns, values = node.properties.get("columns"), node.properties.get("values")
    pairs: list[tuple[str, str]] = []
    taken = OURS | used.keys()
    if node.kind is NodeKind.ROW and isinstance(columns, tuple) and isinstance(values, tuple):
        pairs = [
            (f"{name}{CELL}" if name in taken else name, value) for name, value in zip(columns, values, strict=False)
        ]
    elif node.kind is NodeKind.DOCUMENT and isinstance(known := node.properties.get("metadata"), tuple):
        pairs = [(name, value) for name, _, value in (one.partition(": ") for one in known)]
    free = [(name, value) for name, value in pairs if name.isprintable() and name and value and name not in taken]
    return dict(reversed(free))


def _escaped(properties: Mapping[str, PropertyValue]) -> dict[str, object]:
    return {
        _OWN + name if name in OURS or name.startswith(_OWN) else name: list(value)
        if isinstance(value, tuple)
        else value
        for name, value in properties.items()
    }


def _unescaped(held: Mapping[str, object]) -> dict[str, PropertyValue]:
    return {name.removeprefix(_OWN): _value(value) for name, value in held.items() if name not in OURS}


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
