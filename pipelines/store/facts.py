"""Facts: typed values in the catalog about the whole knowledge base; and its completeness, computed from them.

The completeness is also described in sentences, for users who question an incomplete knowledge base.
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
"""Maximum remarks of one kind; the catalog reads them as one value."""


@dataclass(frozen=True, slots=True)
class CatalogFact(Generic[T]):
    """A value that a catalog stores as JSON under `name`; `default` is returned if none is recorded.

    pairs = TAG_PAIRS.read(catalog)
    TAG_PAIRS.write(catalog, (*pairs, TagPair("leak", "leakage")))
    """

    name: str
    type: type[T]
    default: T

    def read(self, catalog: Catalog) -> T:
        value = catalog.fact(self.name)
        return codec.decode(value, self.type) if value else self.default

    def write(self, catalog: Catalog, value: T) -> None:
        catalog.set_fact(self.name, codec.encode(value).decode())

    def forget(self, catalog: Catalog) -> None:
        catalog.set_fact(self.name, "")


class HasId(Protocol):
    """A remark of a user."""

    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=HasId)


@dataclass(frozen=True, slots=True)
class Remarks(Generic[R]):
    """The remarks of one kind by users, oldest first, stored in `fact`.

    In messages, `called` is the word for them, `command` lists them, and `undone_by` is its subcommand to undo one.
    """

    fact: CatalogFact[tuple[R, ...]]
    called: str
    command: str
    undone_by: str

    def read(self, catalog: Catalog) -> tuple[R, ...]:
        return self.fact.read(catalog)

    def add(self, catalog: Catalog, remark: R, replaces: Callable[[R], bool]) -> None:
        """Store a remark and drop those that it replaces. Raises `SourceError` if there are `MOST_REMARKS` others."""
        with catalog.transaction():
            others = tuple(one for one in self.read(catalog) if not replaces(one))
            if len(others) >= MOST_REMARKS:
                hint = f"`strata {self.command} {self.undone_by}` makes room"
                raise SourceError(f"the maximum of {MOST_REMARKS} {self.called} is reached", hint=hint)
            self.fact.write(catalog, (*others, remark))

    def take_back(self, catalog: Catalog, id: str) -> R:
        """Drop the remark with this id, and return it. Raises `NotFound`."""
        with catalog.transaction():
            kept = self.read(catalog)
            found = next((one for one in kept if one.id == id), None)
            if found is None:
                raise NotFound(f"no {self.called} {id}", ids=(id,), hint=f"`strata {self.command}` lists them")
            self.fact.write(catalog, tuple(one for one in kept if one.id != id))
            return found

    def revise(self, catalog: Catalog, revised: Callable[[R], R | None]) -> None:
        """Replace each remark by the result of `revised`, or drop it if that is None."""
        with catalog.transaction():
            kept = self.read(catalog)
            left = tuple(new for one in kept if (new := revised(one)) is not None)
            if left != kept:
                self.fact.write(catalog, left)


@dataclass(frozen=True, slots=True)
class Ingest:
    """A started ingest: the number of documents that it found in the folder, and whether it has finished.

    `found` is 0 until the folder is scanned; parts of containers are not counted.
    """

    found: int = 0
    finished: bool = False


LINKED_FACT = "linked"
"""The key of the links in the stores, as plain text; empty while they are outdated."""
WRITING_FACT = "writing"
"""Set during a load: if it is set before a run, an earlier run was killed."""
INGEST_FACT = "ingest"
INGEST: CatalogFact[Ingest | None] = CatalogFact(INGEST_FACT, Ingest, None)
"""The last ingest; None in a knowledge base of an earlier version, which did not record it."""
TAG_PAIRS: CatalogFact[tuple[TagPair, ...]] = CatalogFact("tag pairs", tuple[TagPair, ...], ())
"""The pairs of users' terms and tags of the corpus that were learned from question-answer samples."""
VECTOR_STORE: CatalogFact[str] = CatalogFact("vector store", str, "lancedb")
"""The store of the active vectors, as in the setting `store.vectors`."""
TABLE_VERSIONS: CatalogFact[Mapping[str, Mapping[str, int]]] = CatalogFact(
    "vectors", Mapping[str, Mapping[str, int]], {}
)
"""The versions of the active tables of vectors, by their folder: see `pipelines.store.vector.Versioned`."""


@dataclass(frozen=True, slots=True)
class KnowledgeState:
    """How much of its folder a knowledge base contains.

    `documents` is the number of files in the catalog, `searchable` how many of them are searchable. `begun` is whether
    an ingest was ever started, `finished` whether the last one has finished, and `found` the number of documents that
    it found. `links_behind` is whether the links between documents are missing or outdated.
    """

    documents: int = 0
    searchable: int = 0
    found: int = 0
    begun: bool = False
    finished: bool = False
    links_behind: bool = False

    @property
    def empty(self) -> bool:
        """Whether it has no searchable document."""
        return self.searchable == 0

    @property
    def whole(self) -> bool:
        """Whether it contains everything that the last ingest had to load."""
        return self.finished and not self.links_behind


def state(catalog: Catalog) -> KnowledgeState:
    """Return the state of a knowledge base; needs no lock."""
    entries = catalog.entries()
    searchable = sum(entry.status.searchable for entry in entries)
    behind = bool(searchable) and not catalog.fact(LINKED_FACT)
    last = INGEST.read(catalog)
    if last is None:
        return KnowledgeState(len(entries), searchable, 0, bool(entries), bool(searchable) and not behind, behind)
    return KnowledgeState(len(entries), searchable, last.found, True, last.finished, behind)


AGAIN = "run `strata ingest` again: it continues where it stopped"


class Completeness:
    """The state of a knowledge base, read again only if it may have changed."""

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
    """Return whether the stores are being written, or a run was killed while writing."""
    return bool(catalog.fact(WRITING_FACT))


def incompleteness(knowledge: KnowledgeState) -> str:
    """Return a sentence about what is missing from a knowledge base, empty if it is complete."""
    if knowledge.begun and not knowledge.finished:
        return f"{_unfinished(knowledge)} Loaded: {_loaded(knowledge)}."
    if not knowledge.documents:
        return "The knowledge base is empty: nothing has been ingested."
    if knowledge.empty:
        return f"The knowledge base is empty: of its {knowledge.documents} files none could be read."
    if knowledge.links_behind:
        return "The links between the documents are missing or outdated."
    return ""


def remedy(knowledge: KnowledgeState) -> str:
    """Return what the user can do about an incomplete knowledge base, empty if it is complete."""
    if not incompleteness(knowledge):
        return ""
    if not (knowledge.begun or knowledge.documents):
        return "`strata ingest FOLDER` adds documents"
    return "`strata status` says why" if knowledge.finished and knowledge.documents and knowledge.empty else AGAIN


def _unfinished(knowledge: KnowledgeState) -> str:
    if knowledge.empty:
        return "The knowledge base is empty: an ingest was started and has not finished."
    return "An ingest was started and has not finished; the answer rests on what is loaded."


def _loaded(knowledge: KnowledgeState) -> str:
    """Return "2 of 5 documents"; without the total if parts of containers, which it does not count, exceed it."""
    of = f" of {knowledge.found}" if knowledge.found >= max(1, knowledge.searchable) else ""
    return f"{knowledge.searchable}{of} document{'' if max(knowledge.searchable, knowledge.found) == 1 else 's'}"
