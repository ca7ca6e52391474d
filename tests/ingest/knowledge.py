"""A small folder of documents, and helpers to read and compare knowledge bases."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from pipelines.core.graph import Edge, GraphFormat, Node
from pipelines.resources import open_stores
from pipelines.sections import IngestSettings
from pipelines.settings import Settings
from pipelines.store.catalog import Entry
from pipelines.store.export import export
from pipelines.store.graph import GraphStore
from pipelines.store.vector import Record

FEW = IngestSettings(workers=1, documents_at_once=2)
"""For tests with a few small documents: starting a process takes two processor seconds."""

MANUAL = """# MM-7 Maintenance Manual

## 1 Safety

Close valve V-12 before you open the pump P-101A.

## 2 Bearings

### 2.1 Oil

Change the oil of the bearing every 4000 hours. See DS-2041 for the oil grade.
"""
DATA_SHEET = """# DS-2041 Pump P-101A

The pump P-101A delivers 40 m3/h at 6 bar.

| Oil grade | Quantity |
| --- | --- |
| ISO VG 46 | 1.2 l |
"""
REPORT = """Incident report IR-3

The pump P-101A overheated because the oil was not changed. Section 2.1 of the Maintenance Manual was not followed.
"""

BUILD_AND_DIE = """
import os, signal, sys, threading
from pipelines import build
events = 0
def die(event):
    global events
    events += 1
    if events == int(sys.argv[3]) and float(sys.argv[4]):
        threading.Timer(float(sys.argv[4]), os.kill, (os.getpid(), signal.SIGKILL)).start()
    elif events == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
build(sys.argv[1], sys.argv[2], progress=die)
"""


def write_folder(folder: Path) -> Path:
    """Write three documents that refer to one another, and return the folder."""
    (folder / "reports").mkdir(parents=True, exist_ok=True)
    (folder / "manual.md").write_text(MANUAL)
    (folder / "DS-2041.md").write_text(DATA_SHEET)
    (folder / "reports" / "IR-3.txt").write_text(REPORT)
    return folder


def kill_after(events: int, folder: Path, kb: Path, delay: float = 0.0) -> None:
    """Build in a process that is killed after the given number of events, plus `delay` seconds."""
    command = [sys.executable, "-c", BUILD_AND_DIE, str(folder), str(kb), str(events), str(delay)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL


def graph_of(kb: Path) -> tuple[list[Node], list[Edge]]:
    with open_stores(kb, Settings()) as stores:
        return list(stores.graph.nodes()), list(stores.graph.edges())


def vectors_of(kb: Path) -> dict[tuple[Record, ...], bytes]:
    with open_stores(kb, Settings()) as stores:
        batches = list(stores.vectors.records())
    return {batch.records: np.round(batch.vectors, 5).tobytes() for batch in batches}


def exported(kb: Path) -> str:
    """The graph as `strata graph export` writes it."""
    with open_stores(kb, Settings()) as stores:
        return lines_of(stores.graph)


def lines_of(store: GraphStore) -> str:
    """A graph as JSON Lines."""
    out = io.StringIO()
    export(store, GraphFormat.JSONL, out)
    return out.getvalue()


def entries_of(kb: Path) -> dict[str, Entry]:
    with open_stores(kb, Settings()) as stores:
        return {entry.uri: entry for entry in stores.catalog.entries()}


def assert_same(one: Path, other: Path) -> None:
    """Assert that two knowledge bases hold the same graph and the same vectors."""
    assert graph_of(one) == graph_of(other)
    assert vectors_of(one) == vectors_of(other)
