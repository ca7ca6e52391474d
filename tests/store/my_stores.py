"""Example stores as a user would write them outside of the package, each in a pickle file."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from threading import Lock

import numpy as np

from pipelines.core.errors import StoreMismatch
from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms
from pipelines.store.graph import subgraph_digest
from pipelines.store.vector import EmbeddedRecords, Filter, Record, RecordKind, Scored


class MyVectors:
    """A `VectorStore` whose searches scan every record."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self._file, self._dimension = folder.with_suffix(".pickle"), dimension

    def write(self, owners: Collection[str], embedded: EmbeddedRecords) -> None:
        if embedded.records and embedded.vectors.shape[1] != self._dimension:
            raise StoreMismatch("another dimension")
        kept = {key: one for key, one in self._load().items() if one[0].owner not in owners}
        for record, vector in zip(embedded.records, embedded.vectors, strict=True):
            kept[record.kind, record.id] = record, vector
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_bytes(pickle.dumps(kept))

    def search(self, kind: RecordKind, vector: Vectors, limit: int, where: Filter = Filter()) -> list[Scored]:
        found = []
        for record, row in self._found(kind, where):
            size = np.linalg.norm(row) * np.linalg.norm(vector)
            if size:
                found.append(Scored(record.id, record.chunk, float(row @ vector / size)))
        return _best(found, limit)

    def match(
        self, kind: RecordKind, wanted: Mapping[str, float], limit: int, where: Filter = Filter()
    ) -> list[Scored]:
        counts = [(record, Counter(terms(record.text, record.language))) for record, _ in self._found(kind, Filter())]
        mean = sum(bag.total() for _, bag in counts) / len(counts) if counts else 1.0
        found = []
        for record, bag in counts:
            score = 0.0
            for term in wanted.keys() & bag.keys():
                having = sum(term in other for _, other in counts)
                rarity = math.log(1 + (len(counts) - having + 0.5) / (having + 0.5))
                score += (
                    wanted[term] * rarity * 2.2 * bag[term] / (bag[term] + 1.2 * (0.25 + 0.75 * bag.total() / mean))
                )
            if score > 0 and _fits(record, where):
                found.append(Scored(record.id, record.chunk, score))
        return _best(found, limit)

    def records(
        self, kinds: Collection[RecordKind] = (), owners: Collection[str] | None = None
    ) -> Iterator[EmbeddedRecords]:
        for (kind, _), (record, vector) in sorted(self._load().items(), key=lambda one: one[0]):
            if (not kinds or kind in kinds) and (owners is None or record.owner in owners):
                yield EmbeddedRecords((record,), vector[None])

    def optimize(self, *, erase: bool = False) -> None:
        """There is nothing to optimize; the file is rewritten on each change."""

    def close(self) -> None:
        """There is nothing to close."""

    def _found(self, kind: RecordKind, where: Filter) -> list[tuple[Record, Vectors]]:
        return [one for one in self._load().values() if one[0].kind is kind and _fits(one[0], where)]

    def _load(self) -> dict[tuple[RecordKind, str], tuple[Record, Vectors]]:
        return pickle.loads(self._file.read_bytes()) if self._file.exists() else {}


def _best(found: list[Scored], limit: int) -> list[Scored]:
    return sorted(found, key=lambda one: (-one.score, one.id))[: max(0, limit)]


def _fits(record: Record, where: Filter) -> bool:
    folders = tuple(folder.rstrip("/") + "/" for folder in where.folders)
    return (
        (not where.documents or record.uri in where.documents or record.owner in where.documents)
        and (not folders or record.uri.startswith(folders))
        and (not where.media_types or record.media_type in where.media_types)
        and (not where.tags or bool(set(where.tags) & set(record.tags)))
        and (not where.pages or record.page in where.pages)
        and (not where.since or record.date >= where.since)
        and (not where.until or "" < record.date <= where.until + "~")
    )


class MyGraph:
    """A `GraphStore` held in memory."""

    def __init__(self, folder: Path) -> None:
        self._file, self._lock = folder.with_suffix(".pickle"), Lock()
        self._held: dict[str, Subgraph] = pickle.loads(self._file.read_bytes()) if self._file.exists() else {}

    def write(self, subgraph: Subgraph) -> None:
        nodes = {node.id: node for node in subgraph.nodes}
        edges = {edge.id: edge for edge in subgraph.edges}
        with self._lock:
            self._take(
                lambda node: node.id in nodes, lambda edge: edge.id in edges
            )  # an item belongs to its last writer
            self._held[subgraph.owner] = Subgraph(subgraph.owner, tuple(nodes.values()), tuple(edges.values()))
            self._save()

    def remove(self, owner: str) -> None:
        with self._lock:
            gone = {node.id for node in self._held.pop(owner, Subgraph(owner)).nodes}
            self._take(lambda node: False, lambda edge: edge.source in gone or edge.target in gone)
            self._save()

    def nodes(
        self, kinds: Collection[NodeKind] = (), ids: Collection[str] | None = None, owner: str | None = None
    ) -> Iterator[Node]:
        found = (node for one in self._held.values() for node in one.nodes)
        for node in sorted(found, key=lambda node: node.id):
            if (not kinds or node.kind in kinds) and (ids is None or node.id in ids) and owner in (None, node.owner):
                yield node

    def edges(
        self,
        kinds: Collection[EdgeKind] = (),
        sources: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        owner: str | None = None,
    ) -> Iterator[Edge]:
        found = (edge for one in self._held.values() for edge in one.edges)
        for edge in sorted(found, key=lambda edge: (edge.source, edge.kind.value, edge.target, edge.key)):
            ends = (sources is None or edge.source in sources) and (targets is None or edge.target in targets)
            if ends and (not kinds or edge.kind in kinds) and owner in (None, edge.owner):
                yield edge

    def owners(self) -> Mapping[str, str]:
        return {name: subgraph_digest(one) for name, one in sorted(self._held.items()) if one.nodes or one.edges}

    def close(self) -> None:
        """There is nothing to close."""

    def _take(self, node_goes: object, edge_goes: object) -> None:
        for name, one in self._held.items():
            nodes = tuple(node for node in one.nodes if not node_goes(node))  # type: ignore[operator]
            edges = tuple(edge for edge in one.edges if not edge_goes(edge))  # type: ignore[operator]
            self._held[name] = Subgraph(name, nodes, edges)

    def _save(self) -> None:
        self._file.write_bytes(pickle.dumps(self._held))
