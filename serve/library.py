"""The open knowledge bases of a server, by name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from pipelines.core.document import Document, Source
from pipelines.core.errors import NotFound
from pipelines.settings import load
from pipelines.store.artifact import read_document
from pipelines.store.catalog import Entry
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings
from serve.access import Scope
from serve.confined import confined
from serve.settings import ServeSettings

DOCUMENTS_KEPT = 16
"""Parsed documents that are cached: a reader requests a document page by page."""


def document_key(entry: Entry) -> str:
    """Return the id of a file, also of one that was never parsed."""
    return entry.document or Source(entry.uri, entry.media_type, entry.size, entry.digest).document_id


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A cache of parsed documents."""

    kept: OrderedDict[tuple[str, str], Document] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True, slots=True)
class OpenBase:
    """An open knowledge base; `folder` is the folder of its documents, None if unknown.

    With a `scope`, it contains only the documents of these folders.
    """

    name: str
    knowledge: KnowledgeBase
    settings: QaSettings
    folder: Path | None = None
    scope: Scope | None = None
    _parsed: _Parsed = field(default_factory=_Parsed)

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries of the catalog in order of URI."""
        return self.knowledge.stores.catalog.entries()

    def entry(self, id: str) -> Entry:
        """Return the entry with this id. Raises `NotFound`."""
        for entry in self.entries():
            if document_key(entry) == id:
                return entry
        raise NotFound("no document with that id", hint="the page Documents lists them, and so does GET documents")

    def document(self, entry: Entry) -> Document | None:
        """Return the parsed document of a file, None if there is none. Raises `ArtifactUnreadable`."""
        if not entry.status.searchable or "parse" not in entry.artifacts:
            return None
        parsed, key = self._parsed, (entry.uri, entry.artifacts["parse"])
        with parsed.lock:
            if key in parsed.kept:
                parsed.kept.move_to_end(key)
                return parsed.kept[key]
        document = read_document(self.knowledge.stores.artifacts, entry)
        with parsed.lock:
            parsed.kept[key] = document
            while len(parsed.kept) > DOCUMENTS_KEPT:
                parsed.kept.popitem(last=False)
        return document


@dataclass(frozen=True, slots=True)
class Library:
    """Open knowledge bases by name, in the given order."""

    whole: Mapping[str, OpenBase]
    _parts: dict[tuple[str, Scope], OpenBase] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def names(self) -> tuple[str, ...]:
        """Return the names."""
        return tuple(self.whole)

    def named(self, name: str, scope: Scope | None) -> OpenBase:
        """Return the knowledge base with this name, restricted to a scope if given. Raises `NotFound`."""
        if name not in self.whole:
            raise NotFound(
                "no knowledge base with that name", hint="the first page lists them, and so does GET /api/kb"
            )
        whole = self.whole[name]
        if scope is None:
            return whole
        with self._lock:
            if (name, scope) not in self._parts:
                knowledge = whole.knowledge.over(confined(whole.knowledge.stores, scope))
                self._parts[name, scope] = OpenBase(name, knowledge, whole.settings, whole.folder, scope)
            return self._parts[name, scope]


@contextmanager
def open_library(settings: ServeSettings) -> Iterator[Library]:
    """Open the knowledge bases of a server, named after their folders, with a number if names collide.

    Raises the errors of `KnowledgeBase.open`.
    """
    bases: dict[str, OpenBase] = {}
    with ExitStack() as opened:
        for place, kb in enumerate(settings.knowledge_bases):
            chosen = load(kb, None, QaSettings).settings
            knowledge = opened.enter_context(KnowledgeBase.open(kb, chosen))
            folder = settings.folders[place] if place < len(settings.folders) else None
            name = _free_name(kb.resolve().name or "kb", bases)
            bases[name] = OpenBase(name, knowledge, chosen, folder)
        yield Library(bases)


def _free_name(name: str, taken: Mapping[str, object]) -> str:
    """Return a unique name that can be a part of a URL."""
    plain = name.replace("/", "-").encode("utf-8", "replace").decode()
    number = 2
    free = plain
    while free in taken:
        free, number = f"{plain}-{number}", number + 1
    return free
