"""Tests of ingesting with Neo4j attached: killed runs and forgotten documents."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines import build
from pipelines.ingest.erase import forget
from pipelines.ingest.fsck import fsck
from pipelines.ingest.report import Event
from pipelines.settings import Settings
from pipelines.store.neo4j.connection import Neo4jAddress
from pipelines.store.neo4j.store import Neo4jStore
from tests.ingest.knowledge import FEW, exported, kill_after, lines_of, write_folder

pytestmark = pytest.mark.neo4j


@pytest.mark.slow
def test_after_a_killed_and_resumed_ingest_both_graphs_are_complete(
    neo4j_address: Neo4jAddress, neo4j_store: Callable[..., Neo4jStore], tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "folder")
    events: list[Event] = []
    build(folder, tmp_path / "uninterrupted", progress=events.append)
    whole = exported(tmp_path / "uninterrupted")
    store = {"neo4j_uri": neo4j_address.uri, "neo4j_password": neo4j_address.password}
    settings = Settings.model_validate({"store": store, "ingest": FEW})
    # Killed while documents are compiled, while they are loaded, and while Neo4j is written, which is the last stage.
    for number, (event, delay) in enumerate([(len(events) // 2, 0.0), (len(events) - 2, 0.0), (len(events) + 1, 0.05)]):
        kb = tmp_path / f"killed-{number}-{tmp_path.name}"
        kb.mkdir()
        (kb / "strata.toml").write_text(
            "".join(["[store]\n", *(f'{name} = "{value}"\n' for name, value in store.items())])
        )
        kill_after(event, folder, kb, delay)
        build(folder, kb, settings)
        assert fsck(kb, settings).clean
        assert exported(kb) == lines_of(neo4j_store(kb.name)) == whole


def test_a_forgotten_document_is_removed_from_neo4j(
    neo4j_address: Neo4jAddress, neo4j_store: Callable[..., Neo4jStore], tmp_path: Path
) -> None:
    store = {"neo4j_uri": neo4j_address.uri, "neo4j_password": neo4j_address.password}
    settings = Settings.model_validate({"store": store, "ingest": FEW})
    kb = tmp_path / f"forgotten-{tmp_path.name}"
    build(write_folder(tmp_path / "folder"), kb, settings)
    forget("DS-2041.md", kb, settings)
    left = lines_of(neo4j_store(kb.name))
    assert left == exported(kb)
    assert "ISO VG 46" not in left
