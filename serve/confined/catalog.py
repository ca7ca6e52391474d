"""The catalog of the folders that somebody sees."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import NoReturn

from pipelines.core.codec import encode
from pipelines.core.errors import StoreError
from pipelines.store.catalog import Catalog, Entry
from pipelines.store.facts import INGEST, INGEST_FACT, LINKED_FACT, WRITING_FACT, Ingest
from serve.access import Scope


def refuse() -> NoReturn:
    """Raise `StoreError`: a view is read."""
    raise StoreError("a part of a knowledge base cannot be written")


class ConfinedCatalog:
    """See `Catalog`. Of the facts about the whole it tells whether an ingest goes on, and no counts."""

    def __init__(self, catalog: Catalog, scope: Scope) -> None:
        self._catalog, self._scope = catalog, scope

    def entries(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self._catalog.entries() if self._scope.holds(entry.uri))

    def fact(self, name: str) -> str | None:
        if name == INGEST_FACT:
            last = INGEST.read(self._catalog)
            return encode(Ingest(0, last.finished)).decode() if last else None
        return self._catalog.fact(name) if name in (LINKED_FACT, WRITING_FACT) else None

    def record(self, entry: Entry) -> None:
        refuse()

    def remove(self, uri: str) -> None:
        refuse()

    def set_fact(self, name: str, value: str) -> None:
        refuse()

    def transaction(self) -> AbstractContextManager[None]:
        refuse()
