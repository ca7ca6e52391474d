"""Removing every trace of a document: from graph, vectors, artifacts and the cache of replies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipelines.core import codec
from pipelines.core.errors import NotFound
from pipelines.core.names import INSIDE, called
from pipelines.graph.scan import STAGE as MENTIONS
from pipelines.graph.scan import cache_key
from pipelines.ingest.artifacts import ParsedRecord, read_distillate
from pipelines.ingest.corpus import link_corpus
from pipelines.ingest.load import Loader
from pipelines.ingest.progress import silent
from pipelines.llm.reply_store import ReplyStore
from pipelines.resources import Stores, open_stores
from pipelines.settings import Settings, load
from pipelines.store.catalog import Entry


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed: the entries' URIs (the parts of a container with it), and how many artifacts and replies."""

    uris: tuple[str, ...]
    artifacts: int
    replies: int


def forget(name: str, kb: Path, settings: Settings | None = None) -> Forgotten:
    """Remove the document with this URI or id, and the documents inside it; the others are linked anew without it.

    Its file stays in the folder: an ingest that finds it there takes it in again. Raises `NotFound`.
    """
    settings = settings or load(kb).settings
    with open_stores(kb, settings) as stores, stores.embedded.exclusive():
        gone = _named(name, stores)
        replies = _forget_replies(gone, stores)
        doomed = {pair for entry in gone for pair in _artifacts_of(entry, stores)}
        loader = Loader(stores, silent)
        loader.remove(gone)
        rest = [entry for entry in stores.catalog.entries() if entry.status.searchable]
        linking = link_corpus(rest, stores, settings)
        loader.load(rest, linking)
        loader.finish(linking)
        doomed -= {pair for entry in stores.catalog.entries() for pair in _artifacts_of(entry, stores)}
        for stage, key in doomed:
            stores.artifacts.remove(stage, key)
        return Forgotten(tuple(entry.uri for entry in gone), len(doomed), replies)


def _named(name: str, stores: Stores) -> list[Entry]:
    entries = stores.catalog.entries()
    meant = called(name, (entry.uri for entry in entries))
    if len(meant) > 1:
        raise NotFound(f"{len(meant)} documents are shown as {name}", ids=meant, hint="give the id of one")
    found = [entry for entry in entries if name == entry.document or entry.uri in meant]
    if not found:
        raise NotFound(f"no document {name}", ids=(name,), hint="`strata status` lists the documents")
    inside = tuple(f"{entry.uri}{INSIDE}" for entry in found)
    return [*found, *(entry for entry in entries if entry.uri.startswith(inside))]


def _forget_replies(gone: list[Entry], stores: Stores) -> int:
    if not stores.places.replies.is_file():
        return 0
    subjects = {entry.document for entry in gone}
    for entry in gone:
        if entry.status.searchable:
            subjects |= {chunk.id for chunk in read_distillate(stores, entry).chunks}
    store = ReplyStore(stores.places.replies)
    try:
        return store.forget(subjects)
    finally:
        store.close()


def _artifacts_of(entry: Entry, stores: Stores) -> set[tuple[str, str]]:
    """Every artifact that an entry stands on, by stage and key."""
    found = {(stage, key) for stage, key in entry.artifacts.items() if stage != "load"}
    if entry.document:
        found.add((MENTIONS, cache_key(entry.document)))
    parsed = stores.artifacts.get("parse", entry.artifacts.get("parse", "none"))
    if parsed is not None:
        record = codec.decode(parsed, ParsedRecord)
        found |= {("picture", digest) for digest in record.pictures}
        found |= {("member", member.digest) for member in record.members}
    return found
