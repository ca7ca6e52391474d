"""Removing every trace of a document, down to its bytes: from graph, vectors, artifacts and the caches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import NotFound
from pipelines.core.uris import INSIDE, called
from pipelines.ingest.corpus import link_corpus
from pipelines.ingest.erase import Extent, erase, expect, expected
from pipelines.ingest.keys import StageKeys, stage_keys
from pipelines.ingest.load import Loader
from pipelines.ingest.progress import silent
from pipelines.ingest.project import project
from pipelines.ingest.workers import makers_of
from pipelines.resources import Stores, open_stores
from pipelines.settings import Settings, load
from pipelines.store.catalog import Entry


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed: the entries' URIs (the parts of a container with it), and how many artifacts and replies.

    `complete` is off where somebody who reads the knowledge base kept its log from being emptied; the next `forget`
    or ingest makes up for it.
    """

    uris: tuple[str, ...]
    artifacts: int
    replies: int
    complete: bool = True


def forget(name: str, kb: Path, settings: Settings | None = None, keep_cache: bool = False) -> Forgotten:
    """Remove the document with this URI or id, and the documents inside it; the others are linked anew without it.

    No byte of its text stays in a file of the knowledge base, nor in its Neo4j where the settings name one;
    `keep_cache` keeps what a model replied about it. Its own file stays in the folder: an ingest that finds it there
    takes it in again. One that was killed is finished by the next, or by an ingest. Raises `NotFound`.
    """
    settings = settings or load(kb).settings
    with open_stores(kb, settings) as stores, stores.embedded.exclusive():
        gone = _named(name, stores)
        if not gone and expected(stores.catalog) is None:
            raise _unknown(name)
        expect(stores.catalog, Extent.STORES)
        loader = Loader(stores, silent)
        loader.remove(gone)
        rest = [entry for entry in stores.catalog.entries() if entry.status.searchable]
        linking = link_corpus(rest, stores, settings)
        loader.load(rest, linking)
        loader.finish(linking)
        makers = makers_of(settings, stores)

        def keys_of(source: Source) -> StageKeys:
            return stage_keys(source, settings, makers)

        erased = erase(stores, keys_of, keep_cache=keep_cache)
        project(stores, settings, silent)
        if not gone:  # what a killed one began is done now
            raise _unknown(name)
        return Forgotten(tuple(entry.uri for entry in gone), erased.artifacts, erased.replies, erased.complete)


def _named(name: str, stores: Stores) -> list[Entry]:
    entries = stores.catalog.entries()
    meant = called(name, (entry.uri for entry in entries))
    if len(meant) > 1:
        raise NotFound(f"{len(meant)} documents are shown as {name}", ids=meant, hint="give the id of one")
    found = [entry for entry in entries if name == entry.document or entry.uri in meant]
    inside = tuple(f"{entry.uri}{INSIDE}" for entry in found)
    return [*found, *(entry for entry in entries if entry.uri.startswith(inside))]


def _unknown(name: str) -> NotFound:
    return NotFound(f"no document {name}", ids=(name,), hint="`strata status` lists the documents")
