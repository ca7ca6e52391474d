"""Changes the embedder of a knowledge base: builds new vectors beside the present ones, compares both, and switches."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import KnowledgeBaseNotFound, SettingsError
from pipelines.core.graph import CORPUS_OWNER
from pipelines.ingest.corpus import link_corpus
from pipelines.ingest.embedding import embed_records, read_records
from pipelines.ingest.feedback import confirmed_questions, with_confirmed_records
from pipelines.ingest.keys import Makers, stage_keys
from pipelines.ingest.load import loaded_entry
from pipelines.ingest.workers import makers_of
from pipelines.llm.embedder import Embedder, Side
from pipelines.llm.embedders import open_embedder
from pipelines.resources import (
    EMBEDDER,
    Stores,
    open_stores,
    open_vectors,
    record_vectors,
    recorded_settings,
    vectors_name,
)
from pipelines.settings import Settings, load
from pipelines.store.artifact import read_artifact, read_distillate
from pipelines.store.catalog import Entry
from pipelines.store.facts import LINKED_FACT
from pipelines.store.folder import KnowledgeBaseFolder
from pipelines.store.vector import EmbeddedRecords, RecordKind

PROBES = 500
"""Maximum atoms used as queries to compare two embedders."""
FIRST = 5


@dataclass(frozen=True, slots=True)
class Reindexed:
    """The result of a reindexing.

    `before` and `after` are the names of the embedders, `records` is the number of embedded records. A recall is the
    share (0 to 1) of the `probes` atoms that retrieve their own chunk among the first five. `dropped` are the removed
    folders of vectors.
    """

    before: str
    after: str
    records: int
    recall_before: float
    recall_after: float
    probes: int
    dropped: tuple[str, ...] = ()


def reindex(kb: Path, settings: Settings | None = None, drop_old: bool = False) -> Reindexed:
    """Embed all records with a new embedder, and search its vectors from then on.

    The present vectors are used until the last step, which is a single transaction.

    Args:
        kb: the folder of the knowledge base.
        settings: all settings, with `embed` for the new embedder; by default those of strata.toml and the environment.
        drop_old: remove the vectors of other embedders afterwards.

    Raises:
        KnowledgeBaseNotFound: `kb` is not a knowledge base.
        SettingsError: the new embedder is the present one.
        MissingExtra: the embedder's library is not installed.
        StoreLocked: another run is writing to the stores.

    Example:
        done = reindex(Path("kb"), Settings(embed=EmbedSettings(name="e5")))
        print(done.recall_before, done.recall_after)
    """
    if not KnowledgeBaseFolder(kb).exists:
        raise KnowledgeBaseNotFound(str(kb))
    settings = settings or load(kb).settings
    present = settings.model_copy(update={"embed": recorded_settings(kb)})
    with open_stores(kb, present) as stores, stores.embedded.exclusive():
        embedder = open_embedder(settings.embed.at_endpoint_of(settings.llm), stores.folder.embeddings)
        try:
            return _reindex(stores, embedder, settings, drop_old)
        finally:
            embedder.close()


def _reindex(stores: Stores, embedder: Embedder, settings: Settings, drop_old: bool) -> Reindexed:
    name = vectors_name(embedder.info)
    if embedder.info == stores.embedder.info:
        raise SettingsError(f"{name} is the present embedder")
    shutil.rmtree(stores.folder.vectors / name, ignore_errors=True)
    beside = replace(stores, vectors=open_vectors(settings, stores.folder, embedder.info), embedder=embedder)
    entries = stores.searchable()
    makers = makers_of(settings, beside)
    moved = [_embed(entry, beside, settings, makers) for entry in entries]
    for embedded in stores.vectors.records(owners=[CORPUS_OWNER]):
        beside.vectors.write([], read_records(embed_records(embedded.records, embedder)))
    beside.vectors.optimize()
    probes = _probes(stores)
    before, after = _recall(stores, probes), _recall(beside, probes)
    _switch(beside, moved, settings)
    records = sum(len(embedded.records) for embedded in beside.vectors.records())
    dropped = _drop_others(stores.folder.vectors, name) if drop_old else ()
    return Reindexed(vectors_name(stores.embedder.info), name, records, before, after, len(probes), dropped)


def _embed(entry: Entry, beside: Stores, settings: Settings, makers: Makers) -> Entry:
    """Write the vectors of a document by the new embedder, and return its entry with their key."""
    source = Source(entry.uri, "", entry.size, entry.digest)
    key = stage_keys(source, settings, makers).embed
    data = beside.artifacts.get("embed", key)
    if data is None:
        data = embed_records(read_records(read_artifact(beside.artifacts, entry, "embed")).records, beside.embedder)
        beside.artifacts.put("embed", key, data)
    embedded, given = read_records(data), confirmed_questions(beside.catalog).get(entry.document, ())
    if given:
        embedded = with_confirmed_records(embedded, read_distillate(beside.artifacts, entry), given, beside.embedder)
    beside.vectors.write([entry.document], embedded)
    return replace(entry, artifacts={**entry.artifacts, "embed": key})


def _switch(beside: Stores, entries: Sequence[Entry], settings: Settings) -> None:
    linking = link_corpus(entries, beside, settings)
    beside.vectors.write(sorted(linking.failed), EmbeddedRecords())
    with beside.catalog.transaction():
        for document in linking.failed:
            beside.graph.remove(document)
        for entry in entries:
            beside.catalog.record(loaded_entry(entry, linking))
        beside.catalog.set_fact(LINKED_FACT, linking.key)
        EMBEDDER.write(beside.catalog, beside.embedder.info)
        record_vectors(beside)


def _probes(stores: Stores) -> list[tuple[str, str]]:
    """Return the texts of atoms with the ids of their chunks, spread evenly over all atoms."""
    atoms = [(one.text, one.chunk) for batch in stores.vectors.records((RecordKind.ATOM,)) for one in batch.records]
    step = max(1, len(atoms) // PROBES)
    return atoms[::step][:PROBES]


def _recall(stores: Stores, probes: Sequence[tuple[str, str]]) -> float:
    if not probes:
        return 0.0
    vectors = stores.embedder.embed([text for text, _ in probes], Side.QUERY)
    found = sum(
        any(hit.id == chunk for hit in stores.vectors.search(RecordKind.CHUNK, vector, FIRST))
        for vector, (_, chunk) in zip(vectors, probes, strict=True)
    )
    return found / len(probes)


def _drop_others(folder: Path, kept: str) -> tuple[str, ...]:
    others = sorted(path for path in folder.iterdir() if path.is_dir() and path.name != kept)
    for path in others:
        shutil.rmtree(path)
    return tuple(path.name for path in others)
