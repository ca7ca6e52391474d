"""The rows of documents in the graph, computed from their artifacts: here, or ahead of time by worker processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace

from pipelines.core import codec
from pipelines.core.graph import Subgraph
from pipelines.core.work.job import JobContext, JobResult, SubmitAll
from pipelines.graph.document_graph import build_graph, redirect
from pipelines.ingest.feedback import CONFIRMED, ConfirmedQuestion, with_confirmed
from pipelines.ingest.report import Stage
from pipelines.store.artifact import ArtifactStore, read_distillate, read_document
from pipelines.store.catalog import Entry
from pipelines.store.graph import SubgraphRows, rows_of

DOCUMENTS_AT_ONCE = 32
"""Documents of a job."""
SHARED_FROM = 4 * DOCUMENTS_AT_ONCE
"""Minimum documents for which workers compute rows: starting them takes as long as computing those of a hundred."""


@dataclass(frozen=True, slots=True)
class RowsInput:
    """A document, and what linking and users have decided about its tags, entities and atoms.

    `replaced` has the replacements of merged entities and tags, `quarantined` the ids of atoms that are not searched.
    """

    entry: Entry
    replaced: Mapping[str, str]
    quarantined: tuple[str, ...]
    confirmed: tuple[ConfirmedQuestion, ...]


def document_rows(artifacts: ArtifactStore, document: RowsInput) -> SubgraphRows:
    """Return the rows of a document. Raises `ArtifactUnreadable`."""
    own = read_distillate(artifacts, document.entry)
    distillate = with_confirmed(own, document.confirmed)
    whole = redirect(build_graph(read_document(artifacts, document.entry), distillate), document.replaced)
    confirmed = frozenset(atom.id for atom in distillate.atoms[len(own.atoms) :])
    return rows_of(_marked(_marked(whole, frozenset(document.quarantined), "quarantined"), confirmed, CONFIRMED))


def pack_rows(job: JobContext, artifacts: ArtifactStore, documents: Sequence[RowsInput]) -> bytes:
    """Return the packed rows of documents: the function of a job. Raises `ArtifactUnreadable`."""
    job.begin(Stage.LOAD.value)
    with codec.collector_paused():
        return codec.pack([document_rows(artifacts, one) for one in documents])


class RowsAhead:
    """The rows of documents that are about to be written; if they are many, workers compute them ahead of time."""

    def __init__(self, artifacts: ArtifactStore, submit_all: SubmitAll | None = None) -> None:
        """Take the artifacts, and how jobs are submitted; None if all rows are to be computed here."""
        self._artifacts = artifacts
        self._submit_all = submit_all
        self._jobs: dict[str, Future[JobResult]] = {}
        self._rows: dict[str, SubgraphRows] = {}

    def start(self, documents: Sequence[RowsInput]) -> None:
        """Start computing the rows of these documents."""
        if self._submit_all is None or len(documents) < SHARED_FROM:
            return
        batches = [documents[at : at + DOCUMENTS_AT_ONCE] for at in range(0, len(documents), DOCUMENTS_AT_ONCE)]
        jobs = self._submit_all(pack_rows, [(self._artifacts, batch) for batch in batches])
        for batch, job in zip(batches, jobs, strict=True):
            self._jobs |= dict.fromkeys((one.entry.document for one in batch), job)

    def take(self, document: RowsInput) -> SubgraphRows:
        """Return the rows of a document, computed here if no worker has. Raises `ArtifactUnreadable`."""
        id = document.entry.document
        if id in self._jobs:
            self._receive(self._jobs[id])
        return self._rows.pop(id, None) or document_rows(self._artifacts, document)

    def _receive(self, job: Future[JobResult]) -> None:
        """Wait for a job and keep its rows; there are none if a document made it fail."""
        result = job.result().result
        self._jobs = {id: other for id, other in self._jobs.items() if other is not job}
        with codec.collector_paused():
            rows = codec.unpack(result, tuple[SubgraphRows, ...]) if result is not None else ()
        self._rows = {one.owner: one for one in rows}


def _marked(subgraph: Subgraph, ids: frozenset[str], mark: str) -> Subgraph:
    """Return the subgraph with a property set for some atoms: quarantined (not searched), or confirmed by a user."""
    if not ids:
        return subgraph
    nodes = tuple(
        replace(node, properties={**node.properties, mark: True}) if node.id in ids else node for node in subgraph.nodes
    )
    return replace(subgraph, nodes=nodes)
