"""Erasure: removes the data of documents that are no longer in the catalog from all files of a knowledge base.

A pending erasure is recorded in the catalog before anything is removed, and the record is deleted at the end, so that
the next run completes an erasure that was killed. A run without removals does not erase.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path

from pipelines.core import codec
from pipelines.core.document import Source
from pipelines.core.errors import NotFound
from pipelines.core.graph import NodeKind
from pipelines.core.ids import INSIDE, called
from pipelines.core.outcome import Status
from pipelines.graph.corpus_links import CACHE_KEY, kept_documents
from pipelines.graph.corpus_links import STAGE as LINKS
from pipelines.graph.mentions import STAGE as MENTIONS
from pipelines.graph.mentions import cache_key
from pipelines.graph.near_names import STAGE as NEAR
from pipelines.ingest.corpus import link_corpus, read_profiles
from pipelines.ingest.feedback import forget_answers, forget_conversations
from pipelines.ingest.gate import STAGE as RECALL
from pipelines.ingest.keys import StageKeys, stage_keys
from pipelines.ingest.load import Loader, project
from pipelines.ingest.report import forget_failures, silent
from pipelines.ingest.sources.mirror import forget_copies
from pipelines.ingest.task import SourceItem
from pipelines.ingest.verdicts import VERDICTS, forget_verdicts
from pipelines.ingest.vocabulary import drop_classes
from pipelines.ingest.workers import makers_of
from pipelines.llm.cache import ReplyStore
from pipelines.llm.embedders import keep_vectors
from pipelines.resources import Stores, open_stores, vectors_name
from pipelines.retrieve.index_cache import FILE as INDEX_FILE
from pipelines.retrieve.index_cache import graph_state, is_cached
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import Settings, load
from pipelines.store.artifact import Parts
from pipelines.store.catalog import Catalog, Entry
from pipelines.store.facts import TAG_PAIRS

ERASE_FACT = "erase"
"""The name of the catalog fact with the `Extent` of a pending erasure; its value is empty if there is none."""
KeysOf = Callable[[Source], StageKeys]


class Extent(StrEnum):
    """What an erasure has to clean."""

    FILES = "files"
    """Artifacts and cached replies, of documents that were never loaded into the stores."""
    STORES = "stores"
    """Also the stores, from which documents are or were removed."""


@dataclass(frozen=True, slots=True)
class Erased:
    """The number of removed artifacts and replies; `complete` is False if a reader blocked the log of the database."""

    artifacts: int = 0
    replies: int = 0
    complete: bool = True


def noted_erasure(catalog: Catalog) -> Extent | None:
    """Return the extent of the pending erasure, or None if there is none."""
    noted = catalog.fact(ERASE_FACT)
    return Extent(noted) if noted else None


def note_erasure(catalog: Catalog, extent: Extent) -> None:
    """Record a pending erasure in the catalog, unless one of the same or the larger extent is recorded."""
    if noted_erasure(catalog) not in (extent, Extent.STORES):
        catalog.set_fact(ERASE_FACT, extent)


def end_erasure_note(catalog: Catalog, finished: bool) -> None:
    """After compiling, delete the record that was made for it if it `finished`; otherwise make sure there is one."""
    due = noted_erasure(catalog)
    if due is Extent.FILES and finished:
        catalog.set_fact(ERASE_FACT, "")
    elif due is None and not finished:
        note_erasure(catalog, Extent.FILES)


def is_losing(before: Iterable[Entry], after: Iterable[Entry]) -> bool:
    """Return whether a file, or an earlier content of a file, is not in the catalog any more.

    Files that cannot be read at present do not count as removed.
    """
    after = list(after)
    unread = {entry.uri for entry in after if entry.status is Status.FAILED and not entry.digest}
    held = {(entry.uri, entry.digest) for entry in after}
    return any((entry.uri, entry.digest) not in held for entry in before if entry.uri not in unread and entry.digest)


def erase(stores: Stores, keys_of: KeysOf, pending: Collection[Source] = (), keep_cache: bool = False) -> Erased:
    """Carry out the pending erasure, keeping the data of all catalog entries and of `pending`, uncompiled sources.

    `keep_cache` keeps the cached replies of models and vectors of texts.
    """
    extent = noted_erasure(stores.catalog)
    if extent is None:
        return Erased()
    entries = stores.catalog.entries()
    forget_failures(stores.catalog, {entry.uri for entry in entries})
    if VERDICTS.read(stores.catalog):
        forget_verdicts(stores.catalog, read_profiles([one for one in entries if "card" in one.artifacts], stores))
    left = {entry.document for entry in entries}
    forget_answers(stores.catalog, left)
    forget_conversations(stores.catalog, left)
    wanted = _Wanted(stores, keys_of, entries, pending)
    replies = 0 if keep_cache else _drop_replies(stores, wanted.documents)
    artifacts = stores.artifacts.sweep(wanted)
    complete = _wipe_stores(stores, keep_cache) if extent is Extent.STORES else True
    if complete:
        stores.catalog.set_fact(ERASE_FACT, "")
    return Erased(artifacts, replies, complete)


class _Wanted:
    """A predicate of the artifacts to keep; `documents` has the ids of the documents to keep."""

    def __init__(self, stores: Stores, keys_of: KeysOf, entries: Iterable[Entry], pending: Iterable[Source]) -> None:
        self._artifacts = stores.artifacts
        self._keys_of = keys_of
        self._kept: set[tuple[str, str]] = set()
        self.documents: set[str] = set()
        self._containers = any(next(iter(stores.artifacts.keys(stage)), None) for stage in ("picture", "member"))
        for entry in entries:
            self._keep(Source(entry.uri, "", entry.size, entry.digest), entry.artifacts)
            self.documents.add(entry.document)
        for source in pending:
            self._keep(source, {})
        self.documents.discard("")
        if kept_documents(stores.artifacts) <= self.documents:
            self._kept.add((LINKS, CACHE_KEY))

    def __call__(self, stage: str, key: str) -> bool:
        return stage in (RECALL, NEAR) or (stage, key) in self._kept  # RECALL and NEAR have digests and no text

    def _keep(self, source: Source, held: dict[str, str]) -> None:
        keys = self._keys_of(source)
        parses = {keys.raw, keys.turned_away, keys.parse, *([held["parse"]] if "parse" in held else [])}
        self.documents.add(source.document_id)
        self._kept.update(keys.by_stage().items(), held.items(), (("parse", key) for key in parses))
        self._kept.add((MENTIONS, cache_key(source.document_id)))
        for parts in self._parts(parses) if self._containers else ():
            self._kept.update(("picture", picture) for picture in parts.pictures)
            for member in parts.members:
                self._kept.add(("member", member.digest))
                self._keep(SourceItem(source).part(member).source, {})

    def _parts(self, parses: Iterable[str]) -> Iterator[Parts]:
        for key in parses:
            data = self._artifacts.get("parse", key)
            if data is not None:
                yield codec.decode(data, Parts)


def _drop_replies(stores: Stores, documents: Collection[str]) -> int:
    if not stores.folder.replies.is_file():
        return 0
    store = ReplyStore(stores.folder.replies)
    try:
        return store.keep_only(documents)
    finally:
        store.close()


def _wipe_stores(stores: Stores, keep_cache: bool) -> bool:
    embeddings = stores.folder.embeddings
    _drop_facts(stores)
    _drop_indexes(stores)
    present = vectors_name(stores.embedder.info)
    for folder in stores.folder.vectors.glob("*"):
        if folder.name != present:
            shutil.rmtree(folder, ignore_errors=True)
    if embeddings.is_file() and not keep_cache:
        texts = (record.text for batch in stores.vectors.records() for record in batch.records)
        keep_vectors(embeddings, stores.embedder.info, texts)
    with ThreadPoolExecutor(1) as threads:  # neither needs Python's lock
        wiped = threads.submit(stores.vectors.optimize, erase=True)
        complete = stores.embedded.wipe()
        wiped.result()
    return complete


def _drop_indexes(stores: Stores) -> None:
    """Remove the retrieval indexes, except the main file of the current one."""
    state = graph_state(stores.graph.owners(), stores.embedder.info)
    for folder in stores.folder.root.glob("retrieval*"):
        present = folder == stores.index_folder and is_cached(folder, state)
        for path in folder.iterdir() if present else ():
            if path.name != INDEX_FILE:
                path.unlink()
        if not present:
            shutil.rmtree(folder, ignore_errors=True)


def _drop_facts(stores: Stores) -> None:
    """Drop the recorded tag classes and tag pairs that no document has any more."""
    classes = {node.id for node in stores.graph.nodes([NodeKind.TAG_CLASS])}
    drop_classes(stores.catalog, classes)
    pairs = TAG_PAIRS.read(stores.catalog)
    tags = {str(node.properties.get("name")) for node in stores.graph.nodes([NodeKind.TAG])} if pairs else set()
    left = tuple(pair for pair in pairs if pair.corpus_tag in tags)
    if left != pairs:
        TAG_PAIRS.write(stores.catalog, left)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The URIs of the removed entries (including the parts of containers), and the number of artifacts and replies.

    `complete` is False if a reader of the knowledge base prevented the log of the database from being emptied; the
    next `forget` or ingest does this.
    """

    uris: tuple[str, ...]
    artifacts: int
    replies: int
    complete: bool = True


def forget(name: str, kb: Path, settings: Settings | None = None, keep_cache: bool = False) -> Forgotten:
    """Remove a document and the documents inside it, and link the others again.

    Its text is removed from all files of the knowledge base, and from Neo4j if the settings name one. The source file
    stays in the folder, so the next ingest adds the document again unless the file is deleted. A removal that was
    killed is completed by the next one, or by an ingest.

    Args:
        name: the URI of the document, exact or as displayed, or its id.
        kb: the folder of the knowledge base.
        settings: all settings; by default those of the knowledge base's strata.toml and the environment.
        keep_cache: keep the cached replies of models about the document.

    Raises:
        KnowledgeBaseNotFound: `kb` is not a knowledge base.
        NotFound: no document has this name, or several have it.
        StoreLocked: another run is writing to the stores.

    Example:
        print(forget("reports/2023.pdf", Path("kb")).uris)
    """
    settings = settings or load(kb).settings
    with open_stores(kb, settings) as stores, stores.embedded.exclusive():
        gone = _named(name, stores)
        if not gone and noted_erasure(stores.catalog) is None:
            raise _unknown(name, stores)
        note_erasure(stores.catalog, Extent.STORES)
        loader = Loader(stores, silent)
        loader.remove(gone)
        rest = stores.searchable()
        linking = link_corpus(rest, stores, settings)
        loader.load(rest, linking)
        loader.finish(linking)
        with suppress(Exception):  # a failure is reported by the first question, and must not stop the erasure
            Retriever.of(stores, settings.retrieve).keep_index()
        loader.end()
        makers = makers_of(settings, stores)
        erased = erase(stores, lambda source: stage_keys(source, settings, makers), keep_cache=keep_cache)
        project(stores, settings, silent)
        forget_copies(stores.folder.sources, [entry.uri for entry in gone if not entry.parent])
        if not gone:  # this call has only completed an erasure that was killed
            raise _unknown(name, stores)
        return Forgotten(tuple(entry.uri for entry in gone), erased.artifacts, erased.replies, erased.complete)


def _named(name: str, stores: Stores) -> list[Entry]:
    entries = stores.catalog.entries()
    meant = called(name, (entry.uri for entry in entries))
    if len(meant) > 1:
        raise NotFound(f"{len(meant)} documents are displayed as {name}", ids=meant, hint="give the id of one")
    found = [entry for entry in entries if name == entry.document or entry.uri in meant]
    inside = tuple(f"{entry.uri}{INSIDE}" for entry in found)
    return [*found, *(entry for entry in entries if entry.uri.startswith(inside))]


def _unknown(name: str, stores: Stores) -> NotFound:
    near = get_close_matches(name, [entry.uri for entry in stores.catalog.entries()], n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`strata status --all` lists the documents"
    return NotFound(f"no document {name}", ids=(name,), hint=hint)
