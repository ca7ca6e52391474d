from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.knowledge import Entity
from pipelines.retrieve.build_index import build_index
from pipelines.retrieve.index import Index
from pipelines.store.embedded_store import EmbeddedStore
from tests.retrieve.small_graph import NAMES, TEXTS, document


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    opened = EmbeddedStore.open(tmp_path / "strata.db")
    for name in TEXTS:
        opened.graph.write(document(name))
    names = sorted({entity for entities in NAMES.values() for entity in entities})
    nodes = [Node(Entity.make_id(name), NodeKind.ENTITY, CORPUS_OWNER, {"name": name}) for name in names]
    reference = Edge("document:d", EdgeKind.REFERENCES, "document:e", CORPUS_OWNER, "1", {"chunk": "chunk:d"})
    opened.graph.write(Subgraph(CORPUS_OWNER, tuple(nodes), (reference,)))
    yield opened
    opened.close()


@pytest.fixture
def index(store: EmbeddedStore) -> Index:
    return build_index(store.graph)
