"""The shape of the graph in Neo4j: its labels, and constraints and indexes by numbered, recorded steps."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.errors import StoreMismatch
from pipelines.core.graph import EdgeKind, Layer, Node, NodeKind
from pipelines.store.neo4j.connection import Connection

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
