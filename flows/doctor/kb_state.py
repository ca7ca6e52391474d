"""The knowledge base: whether it is there and whole, who writes it, and whether what it rests on can be read."""

from __future__ import annotations

from collections.abc import Sequence

from flows.doctor.diagnosis import Diagnosis, Subject, bad, doubtful, good
from pipelines.core.errors import StoreError, StoreLocked
from pipelines.ingest.keys import COMPILED
from pipelines.resources import Stores, open_stores
from pipelines.store.catalog import Entry
from pipelines.store.facts import incompleteness, remedy, state
from pipelines.store.folder import KnowledgeBaseFolder

SAMPLE = 50
"""Documents whose artifacts are looked at, spread evenly over all."""


def knowledge(subject: Subject) -> Diagnosis:
    """How the knowledge base is; of its documents a sample is looked at."""
    if not KnowledgeBaseFolder(subject.kb).exists:
        return good(f"none at {subject.kb} yet", "`strata ingest FOLDER` makes one")
    with open_stores(subject.kb, subject.settings) as stores:
        return _found(stores)


def _found(stores: Stores) -> Diagnosis:
    there = state(stores.catalog)
    documents = f"{there.searchable} of {there.documents} documents can be found"
    try:
        with stores.embedded.exclusive():
            pass
    except StoreLocked as error:
        return doubtful(f"{documents}; {error.message}", "questions are answered from what is there")
    except StoreError:
        documents += ", read-only"
    if lacks := incompleteness(there):
        return doubtful(lacks, remedy(there))
    searchable = [entry for entry in stores.catalog.entries() if entry.status.searchable]
    sample = searchable[:: max(1, len(searchable) // SAMPLE)]
    broken = _without_artifacts(sample, stores)
    if broken:
        text = f"{documents}; of {len(sample)} looked at {len(broken)} lack artifacts: {broken[0]}"
        return bad(text, "`strata fsck --repair`, then `strata ingest` again")
    return good(f"{documents}; {len(sample)} looked at are whole")


def _without_artifacts(entries: Sequence[Entry], stores: Stores) -> list[str]:
    return [
        entry.uri
        for entry in entries
        if any(
            stage in entry.artifacts and stores.artifacts.get(stage, entry.artifacts[stage]) is None
            for stage in COMPILED
        )
    ]
