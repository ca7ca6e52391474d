"""How complete a knowledge base is, and the sentences that tell those who ask it."""

from __future__ import annotations

from pipelines.store.catalog import Catalog
from pipelines.store.facts import INGEST_FACT, LINKED_FACT, WRITING_FACT, KnowledgeState, state

AGAIN = "run `strata ingest` again: it goes on where it was"


class Completeness:
    """The state of a knowledge base; it is read again only where it may have changed."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._marks: tuple[str | None, str | None] | None = None
        self._state = KnowledgeState()

    def look(self) -> KnowledgeState:
        """Return the state by now."""
        marks = (self._catalog.fact(INGEST_FACT), self._catalog.fact(LINKED_FACT))
        if marks != self._marks or not self._state.whole:
            self._marks, self._state = marks, state(self._catalog)
        return self._state


def being_written(catalog: Catalog) -> bool:
    """Return whether the stores are being written, or were when a run was stopped."""
    return bool(catalog.fact(WRITING_FACT))


def amiss(there: KnowledgeState) -> str:
    """Return as a sentence what is missing from a knowledge base, empty where nothing is."""
    if there.begun and not there.finished:
        return f"{_unfinished(there)} Loaded: {_loaded(there)}."
    if not there.documents:
        return "The knowledge base is empty: nothing has been ingested."
    if there.empty:
        return f"The knowledge base is empty: of its {there.documents} files none could be read."
    if there.links_behind:
        return "The links between the documents are missing or behind."
    return ""


def remedy(there: KnowledgeState) -> str:
    """Return what to do about what is missing, empty where nothing is."""
    if not amiss(there):
        return ""
    return "`strata status` says why" if there.finished and there.documents and there.empty else AGAIN


def _unfinished(there: KnowledgeState) -> str:
    if there.empty:
        return "The knowledge base is empty: an ingest was begun and has not ended."
    return "An ingest was begun and has not ended; the answer rests on what is loaded."


def _loaded(there: KnowledgeState) -> str:
    """Parts of containers count as documents too, and are not known before their containers are read."""
    of = f" of {there.found}" if there.found >= max(1, there.searchable) else ""
    return f"{there.searchable}{of} document{'' if max(there.searchable, there.found) == 1 else 's'}"
