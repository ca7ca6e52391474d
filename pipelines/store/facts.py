"""What a catalog records of the knowledge base as a whole, beside its entries, and how complete it is by that.

A fact has a name and a type; the sentences tell those who ask an unfinished knowledge base.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pipelines.core import codec
from pipelines.core.errors import NotFound, SourceError
from pipelines.core.knowledge import TagPair
from pipelines.store.catalog import Catalog

T = TypeVar("T")
MOST_REMARKS = 5000
"""Things of one kind that people may have said; the catalog reads them as one value."""


@dataclass(frozen=True, slots=True)
class CatalogFact(Generic[T]):
    """A value that a catalog keeps under `name`, as JSON; `default` where none is recorded.

    pairs = TAG_PAIRS.read(catalog)
    TAG_PAIRS.write(catalog, (*pairs, TagPair("leak", "leakage")))
    """

    name: str
    type: type[T]
    default: T

    def read(self, catalog: Catalog) -> T:
        told = catalog.fact(self.name)
        return codec.decode(told, self.type) if told else self.default

    def write(self, catalog: Catalog, value: T) -> None:
        catalog.set_fact(self.name, codec.encode(value).decode())

    def forget(self, catalog: Catalog) -> None:
        catalog.set_fact(self.name, "")


class HasId(Protocol):
    """Something that a person said."""

    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=HasId)


@dataclass(frozen=True, slots=True)
class Remarks(Generic[R]):
    """Things of one kind that people said, oldest first, kept in `fact`.

    `called` is the word for them, `command` shows them, and `undone_by` is its subcommand that takes one back.
    """

    fact: CatalogFact[tuple[R, ...]]
    called: str
    command: str
    undone_by: str

    def read(self, catalog: Catalog) -> tuple[R, ...]:
        return self.fact.read(catalog)

    def add(self, catalog: Catalog, remark: R, replaces: Callable[[R], bool]) -> None:
        """Keep a remark, in place of those that it replaces. Raises `SourceError` beyond `MOST_REMARKS`."""
        with catalog.transaction():
            others = tuple(one for one in self.read(catalog) if not replaces(one))
            if len(others) >= MOST_REMARKS:
                hint = f"`strata {self.command} {self.undone_by}` makes room"
                raise SourceError(f"{MOST_REMARKS} of {self.called} are kept already", hint=hint)
            self.fact.write(catalog, (*others, remark))

    def take_back(self, catalog: Catalog, id: str) -> R:
        """Drop the remark of this id, and return it. Raises `NotFound`."""
        with catalog.transaction():
            kept = self.read(catalog)
            found = next((one for one in kept if one.id == id), None)
            if found is None:
                raise NotFound(f"no {self.called} {id}", ids=(id,), hint=f"`strata {self.command}` lists what there is")
            self.fact.write(catalog, tuple(one for one in kept if one.id != id))
            return found

    def revise(self, catalog: Catalog, revised: Callable[[R], R | None]) -> None:
        """Replace each remark by what `revised` returns for it, and drop it for None."""
        with catalog.transaction():
            kept = self.read(catalog)
            left = tuple(new for one in kept if (new := revised(one)) is not None)
            if left != kept:
                self.fact.write(catalog, left)


@dataclass(frozen=True, slots=True)
class Ingest:
    """An ingest that was begun: how many documents it found in the folder, and whether it went through to its end.

    `found` is 0 until the folder was looked through; parts of containers are not counted.
    """

    found: int = 0
    finished: bool = False


LINKED_FACT = "linked"
"""The key of the links that the stores hold, as it is; empty while they are behind."""
WRITING_FACT = "writing"
"""Set while a load goes on: a run that finds it set was preceded by one that was killed."""
INGEST_FACT = "ingest"
INGEST: CatalogFact[Ingest | None] = CatalogFact(INGEST_FACT, Ingest, None)
"""The ingest that was begun last; None in what was built before ingests were recorded."""
TAG_PAIRS: CatalogFact[tuple[TagPair, ...]] = CatalogFact("tag pairs", tuple[TagPair, ...], ())
"""The pairs of users' words and the corpus's tags that were learned from question-answer samples."""
VECTOR_STORE: CatalogFact[str] = CatalogFact("vector store", str, "lancedb")
"""The vector store that holds the active vectors, as the setting `store.vectors` names it."""
TABLE_VERSIONS: CatalogFact[Mapping[str, Mapping[str, int]]] = CatalogFact(
    "vectors", Mapping[str, Mapping[str, int]], {}
)
"""The versions of the active vectors' tables, by the name of their folder: see `pipelines.store.vector.Versioned`."""


@dataclass(frozen=True, slots=True)
class KnowledgeState:
    """What a knowledge base holds, and whether that is all it was to hold.

    `documents` counts the files in the catalog, `searchable` those that can be found. `begun` says that an ingest was
    ever begun, `finished` that the last one went through to its end; `found` is the number of documents that it found.
    `links_behind` says that the links between the documents are missing or older than they are.
    """

    documents: int = 0
    searchable: int = 0
    found: int = 0
    begun: bool = False
    finished: bool = False
    links_behind: bool = False

    @property
    def empty(self) -> bool:
        """Whether no question can be answered from it."""
        return self.searchable == 0

    @property
    def whole(self) -> bool:
        """Whether it holds all that the last ingest set out to bring into it."""
        return self.finished and not self.links_behind


def state(catalog: Catalog) -> KnowledgeState:
    """Return how far the knowledge base has come; needs no lock."""
    entries = catalog.entries()
    searchable = sum(entry.status.searchable for entry in entries)
    behind = bool(searchable) and not catalog.fact(LINKED_FACT)
    last = INGEST.read(catalog)
    if last is None:
        return KnowledgeState(len(entries), searchable, 0, bool(entries), bool(searchable) and not behind, behind)
    return KnowledgeState(len(entries), searchable, last.found, True, last.finished, behind)


def record_ingest(catalog: Catalog, ingest: Ingest) -> None:
    """Note that an ingest was begun, or that it has ended."""
    INGEST.write(catalog, ingest)


AGAIN = "run `strata ingest` again: it goes on where it was"


class Completeness:
    """The state of a knowledge base; it is read again only where it may have changed."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._marks: tuple[str | None, str | None] | None = None
        self._state = KnowledgeState()

    def look(self) -> KnowledgeState:
        """Return the current state."""
        marks = (self._catalog.fact(INGEST_FACT), self._catalog.fact(LINKED_FACT))
        if marks != self._marks or not self._state.whole:
            self._marks, self._state = marks, state(self._catalog)
        return self._state


def being_written(catalog: Catalog) -> bool:
    """Return whether the stores are being written, or were when a run was stopped."""
    return bool(catalog.fact(WRITING_FACT))


def incompleteness(there: KnowledgeState) -> str:
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
    if not incompleteness(there):
        return ""
    return "`strata status` says why" if there.finished and there.documents and there.empty else AGAIN


def _unfinished(there: KnowledgeState) -> str:
    if there.empty:
        return "The knowledge base is empty: an ingest was started and has not finished."
    return "An ingest was started and has not finished; the answer rests on what is loaded."


def _loaded(there: KnowledgeState) -> str:
    """Parts of containers count as documents too, and are not known before their containers are read."""
    of = f" of {there.found}" if there.found >= max(1, there.searchable) else ""
    return f"{there.searchable}{of} document{'' if max(there.searchable, there.found) == 1 else 's'}"
