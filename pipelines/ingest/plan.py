"""The plan of a run, from a comparison of the folder with the catalog; and the catalog entries that result from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pipelines.core.document import Source
from pipelines.core.errors import LeadsOut
from pipelines.core.ids import INSIDE
from pipelines.core.outcome import Failure, Status
from pipelines.ingest.keys import REPEATABLE, STOPPED, StageKeys
from pipelines.ingest.scan import FoundFile, digest_file
from pipelines.ingest.task import Compiled, SourceItem
from pipelines.store.catalog import Catalog, Entry


@dataclass(frozen=True, slots=True)
class IngestPlan:
    """The plan of a run: compile `items`, keep `unchanged`, record `left_out` with their reasons.

    `gone` are the entries whose file, or whose container, no longer exists.
    """

    items: tuple[SourceItem, ...] = ()
    unchanged: tuple[Entry, ...] = ()
    left_out: tuple[Entry, ...] = ()
    gone: tuple[Entry, ...] = ()

    def repeated(self, entries: Mapping[str, Entry]) -> int:
        """Return the number of items that were wholly compiled before, with the same content."""
        known = ((entries.get(item.source.uri), item.source.digest) for item in self.items)
        return sum(
            entry is not None and entry.digest == now and entry.status is Status.INDEXED
            and not entry.counts.get("unfinished")
            for entry, now in known
        )  # fmt: skip

    def failures(self) -> tuple[Failure, ...]:
        """Return the failures of files left out, unless they are skipped, and of unchanged, unsearchable documents."""
        scanned = (
            Failure(entry.uri, "scan", entry.reason, status=entry.status, retryable=True)
            for entry in self.left_out
            if entry.status is not Status.SKIPPED
        )
        parsed = (
            Failure(entry.uri, "parse", entry.reason, status=entry.status)
            for entry in self.unchanged
            if not entry.status.searchable and entry.status is not Status.EMPTY
        )
        return (*scanned, *parsed)


def plan(found: Iterable[FoundFile], entries: Iterable[Entry], keys_of: Callable[[Source], StageKeys]) -> IngestPlan:
    """Return what to do for each file of the folder and each entry of the catalog.

    Args:
        found: the files, unique by URI.
        entries: the entries, unique by URI.
        keys_of: returns the keys of a source's artifacts for the present settings.
    """
    known = {entry.uri: entry for entry in entries}
    items: list[SourceItem] = []
    unchanged: list[Entry] = []
    left_out: list[Entry] = []
    present: set[str] = set()
    for file in found:
        present.add(file.uri)
        if file.status is not None:
            left_out.append(Entry(file.uri, "", file.size, file.status, "", file.reason, modified_ns=file.modified_ns))
            continue
        item = _item(file, known.get(file.uri))
        if isinstance(item, Entry):
            left_out.append(item)
        elif (entry := known.get(file.uri)) is not None and is_final(entry, item.source, keys_of):
            unchanged.append(replace(entry, modified_ns=file.modified_ns, changed_ns=file.changed_ns))
        else:
            items.append(item)
    _add_members(known, items, unchanged, keys_of)
    kept = present | {entry.uri for entry in unchanged} | {item.source.uri for item in items}
    gone = tuple(entry for entry in known.values() if entry.uri not in kept and not _below(entry, items))
    return IngestPlan(tuple(items), tuple(unchanged), tuple(left_out), gone)


def is_final(entry: Entry, source: Source, keys_of: Callable[[Source], StageKeys]) -> bool:
    """Return whether compiling a source again would give the same catalog entry."""
    if entry.digest != source.digest or entry.status not in REPEATABLE:
        return False
    keys = keys_of(source)
    if entry.artifacts.get(STOPPED) == keys.stopped:
        return True
    wanted = keys.by_stage() if entry.status.searchable else {"parse": keys.of_parse(entry.status)}
    return {stage: entry.artifacts.get(stage) for stage in wanted} == wanted


def _item(file: FoundFile, known: Entry | None) -> SourceItem | Entry:
    if known is not None and known.digest and _stamps(known) == _stamps(file):
        digest = known.digest
    else:
        try:
            digest = digest_file(file.path, file.within)
        except LeadsOut as error:
            return Entry(file.uri, "", file.size, Status.SKIPPED, reason=error.message)
        except OSError as error:
            return Entry(file.uri, "", file.size, Status.FAILED, reason=f"cannot be read: {error.strerror}")
    return SourceItem(Source(file.uri, "", file.size, digest), file.path, file.modified_ns, changed_ns=file.changed_ns)


def _stamps(one: Entry | FoundFile) -> tuple[int, int, int]:
    return one.size, one.modified_ns, one.changed_ns


def _add_members(
    known: dict[str, Entry], items: list[SourceItem], unchanged: list[Entry], keys_of: Callable[[Source], StageKeys]
) -> None:
    """Add the parts of unchanged containers, outer ones first, to `unchanged`, or to `items` if they are retried."""
    kept = {entry.uri for entry in unchanged}
    for entry in sorted(known.values(), key=lambda entry: entry.uri.count(INSIDE)):
        if not entry.parent or entry.parent not in kept:
            continue
        source = Source(entry.uri, "", entry.size, entry.digest)
        if is_final(entry, source, keys_of):
            unchanged.append(entry)
            kept.add(entry.uri)
        else:
            items.append(SourceItem(source, parent=entry.parent))


def _below(entry: Entry, items: list[SourceItem]) -> bool:
    """Return whether the entry is a part of an item to be compiled, which decides whether the part still exists."""
    return bool(entry.parent) and any(entry.uri.startswith(item.source.uri + INSIDE) for item in items)


@dataclass(slots=True)
class RunEntries:
    """The catalog entries of a run, computed from its plan, its compiled documents and the present catalog.

    `keep_missing` keeps documents whose file no longer exists; `found` is the number of documents in the folder;
    `stopped` is True if the run ended early.
    """

    catalog: Catalog
    keep_missing: bool
    plan: IngestPlan = field(default_factory=IngestPlan)
    compiled: dict[str, Compiled] = field(default_factory=dict)
    found: int = 0
    stopped: bool = False

    def searchable(self) -> tuple[Entry, ...]:
        """Return the entries of all documents that the knowledge base will contain, in order of URI."""
        entries = [compiled.entry for compiled in self.compiled.values()]
        entries += [*self.plan.unchanged, *self.kept()]
        return tuple(sorted((entry for entry in entries if entry.status.searchable), key=lambda entry: entry.uri))

    def unsearchable(self) -> tuple[Entry, ...]:
        """Return the new entries of the documents that were left out or failed."""
        entries = [compiled.entry for compiled in self.compiled.values() if not compiled.entry.status.searchable]
        return (*entries, *self.plan.left_out)

    def gone(self) -> tuple[Entry, ...]:
        """Return the entries without a file, and the parts that their container no longer has.

        Parts are not included if the run was stopped.
        """
        kept = {entry.uri for entry in self.kept()}
        gone = [entry for entry in self.plan.gone if entry.uri not in kept]
        for entry in self.catalog.entries():
            container = self.compiled.get(entry.parent)
            if container is not None and entry.uri not in self.compiled and not self.stopped:
                gone.append(entry)
        return tuple({entry.uri: entry for entry in gone}.values())

    def kept(self) -> tuple[Entry, ...]:
        """Return the retained entries: those without a file if `keep_missing`, and those that a stop left untouched."""
        kept = list(self.plan.gone) if self.keep_missing else []
        if self.stopped:
            missed = {item.source.uri for item in self.plan.items} - set(self.compiled)
            kept += [entry for entry in self.catalog.entries() if entry.uri in missed]
        return tuple(kept)

    def changes(self) -> dict[str, int]:
        """Return the number of documents done, unchanged, removed and left out."""
        before = {entry.uri for entry in self.plan.unchanged}
        return {
            "done": len([uri for uri in self.compiled if uri not in before]),
            "unchanged": len(self.plan.unchanged),
            "removed": len(self.gone()),
            "left out": len(self.plan.left_out),
        }
