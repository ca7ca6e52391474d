"""An ingest with Neo4j attached that is killed, and taken up by the next."""

import io
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines import build
from pipelines.ingest.fsck import fsck
from pipelines.ingest.progress import Event
from pipelines.resources import open_stores
from pipelines.settings import Settings
from pipelines.store.export import Format, export
from pipelines.store.graph import GraphStore
from pipelines.store.neo4j.connection import Neo4jAddress
from pipelines.store.neo4j.store import Neo4jStore
from tests.ingest.knowledge import write_folder

pytestmark = pytest.mark.neo4j

INGEST_AND_DIE = """
import os, signal, sys, threading
from pathlib import Path
from pipelines import build
from pipelines.settings import load
events = 0
def die(event):
    global events
    events += 1
    if events == int(sys.argv[3]):
        threading.Timer(float(sys.argv[4]), os.kill, (os.getpid(), signal.SIGKILL)).start()
build(sys.argv[1], sys.argv[2], load(Path(sys.argv[2])).settings, progress=die)
"""
"""Dies so many seconds after so many events."""


def lines(store: GraphStore) -> str:
    out = io.StringIO()
    export(store, Format.JSONL, out)
    return out.getvalue()


def embedded_lines(kb: Path) -> str:
    with open_stores(kb, Settings()) as stores:
        return lines(stores.graph)


@pytest.mark.slow
def test_killed_with_neo4j_attached_and_started_again_both_graphs_are_whole(
    neo4j_address: Neo4jAddress, neo4j_store: Callable[..., Neo4jStore], tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "folder")
    events: list[Event] = []
    build(folder, tmp_path / "undisturbed", progress=events.append)
    whole = embedded_lines(tmp_path / "undisturbed")
    store = {"neo4j_uri": neo4j_address.uri, "neo4j_password": neo4j_address.password}
    settings = Settings.model_validate({"store": store})
    # While documents are compiled, while they are loaded, and while Neo4j is written: its stage begins last.
    for number, (event, delay) in enumerate([(len(events) // 2, 0.0), (len(events) - 2, 0.0), (len(events) + 1, 0.05)]):
        kb = tmp_path / f"killed-{number}-{tmp_path.name}"
        kb.mkdir()
        (kb / "strata.toml").write_text(
            "".join(["[store]\n", *(f'{name} = "{value}"\n' for name, value in store.items())])
        )
        command = [sys.executable, "-c", INGEST_AND_DIE, str(folder), str(kb), str(event), str(delay)]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
        build(folder, kb, settings)
        assert fsck(kb, settings).clean
        assert embedded_lines(kb) == lines(neo4j_store(kb.name)) == whole
