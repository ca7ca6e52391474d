"""How full a knowledge base is: empty, half built, or whole."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.ingest.corpus import LINKED_FACT
from pipelines.ingest.load import WRITING_FACT
from pipelines.resources import Stores

AGAIN = "run `strata ingest` again: it goes on where it was"


@dataclass(frozen=True, slots=True)
class Fullness:
    """`searchable` of the `known` files are loaded; `unfinished` says that an ingest began and has not ended."""

    searchable: int
    known: int
    unfinished: bool

    @property
    def sentence(self) -> str:
        """What is amiss, empty where nothing is."""
        if self.unfinished and not self.searchable:
            return "The knowledge base is empty: an ingest was begun and has not ended."
        if self.unfinished:
            loaded = f"{self.searchable} document{'' if self.searchable == 1 else 's'}"
            return f"An ingest was begun and has not ended: the answer rests on the {loaded} loaded so far."
        if not self.known:
            return "The knowledge base is empty: nothing has been ingested."
        if not self.searchable:
            return f"The knowledge base is empty: of its {self.known} files none could be read."
        return ""

    @property
    def hint(self) -> str:
        """What can be done about it, empty where nothing is amiss."""
        if not self.sentence:
            return ""
        return "`strata status` says why" if self.known and not self.searchable and not self.unfinished else AGAIN


def fullness(stores: Stores) -> Fullness:
    """Return how full the knowledge base is at this moment."""
    entries = stores.catalog.entries()
    never_linked = stores.catalog.fact(LINKED_FACT) is None and not entries
    return Fullness(
        sum(entry.status.searchable for entry in entries), len(entries), is_unfinished(stores) or never_linked
    )


def is_unfinished(stores: Stores) -> bool:
    """Return whether the stores are being written, or were when a run was stopped."""
    return bool(stores.catalog.fact(WRITING_FACT))
