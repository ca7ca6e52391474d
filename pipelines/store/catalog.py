"""What a catalog is to Strata: the ledger in which every file of the folder ends indexed, skipped or failed."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from pipelines.core.outcome import Status


@dataclass(frozen=True, slots=True)
class Entry:
    """One file, or one member of a container.

    `modified_ns` and `changed_ns` are the file's time stamps when `digest` was taken: where they and the size are as
    they were, it is not read. The latter cannot be set, so that a file with an old date and other content is noticed.
    `parent` is the URI of the container it was taken from. `artifacts` are the digests under which the results of
    the stages lie, by stage. `counts` tells pages, chunks, atoms and the like by name. `stage` is the one that a
    document failed in after it was parsed.
    """

    uri: str
    digest: str
    size: int
    status: Status
    document: str = ""
    reason: str = ""
    media_type: str = ""
    title: str = ""
    modified_ns: int = 0
    parent: str = ""
    artifacts: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stage: str = ""
    changed_ns: int = 0

    def unloaded(self) -> Entry:
        """Return the entry without the key of what was loaded of it, so that the next load writes its document."""
        return replace(self, artifacts={stage: key for stage, key in self.artifacts.items() if stage != "load"})


@runtime_checkable
class Catalog(Protocol):
    """Entries by URI, and a few facts about the knowledge base itself."""

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries in order of URI."""
        ...

    def record(self, entry: Entry) -> None:
        """Write `entry` in place of the one with its URI."""
        ...

    def remove(self, uri: str) -> None:
        """Remove an entry; an unknown URI is no error."""
        ...

    def fact(self, name: str) -> str | None:
        """Return what was last recorded under `name`, None where nothing was."""
        ...

    def set_fact(self, name: str, value: str) -> None: ...

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written inside lands together or not at all; in the embedded store with the graph's writes."""
        ...
