"""What a run has to do: the folder as it stands held against the catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from pipelines.core.document import Source
from pipelines.core.errors import LeadsOut
from pipelines.core.outcome import Status
from pipelines.ingest.compile import Item
from pipelines.ingest.keys import STOPPED, StageKeys
from pipelines.ingest.reading import REPEATABLE, parse_key
from pipelines.ingest.scan import Found, digest_file
from pipelines.store.catalog import Entry


@dataclass(frozen=True, slots=True)
class Plan:
    """`items` are to be compiled, `unchanged` have nothing to do, `left_out` are recorded with their reason.

    `gone` are entries whose file is no longer there, parts of a vanished container among them.
    """

    items: tuple[Item, ...] = ()
    unchanged: tuple[Entry, ...] = ()
    left_out: tuple[Entry, ...] = ()
    gone: tuple[Entry, ...] = ()


def plan(found: Iterable[Found], entries: Iterable[Entry], keys_of: Callable[[Source], StageKeys]) -> Plan:
    """Return what is to be done about each file found and each entry known; both are unique by URI."""
    known = {entry.uri: entry for entry in entries}
    items: list[Item] = []
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
    return Plan(tuple(items), tuple(unchanged), tuple(left_out), gone)


def is_final(entry: Entry, source: Source, keys_of: Callable[[Source], StageKeys]) -> bool:
    """Whether what the catalog has of a source is what a run would make of it."""
    if entry.digest != source.digest or entry.status not in REPEATABLE:
        return False
    keys = keys_of(source)
    if entry.artifacts.get(STOPPED) == keys.stopped:
        return True
    wanted = keys.by_stage() if entry.status.searchable else {"parse": parse_key(entry.status, keys)}
    return {stage: entry.artifacts.get(stage) for stage in wanted} == wanted


def _item(file: Found, known: Entry | None) -> Item | Entry:
    if known is not None and known.digest and _stamps(known) == _stamps(file):
        digest = known.digest
    else:
        try:
            digest = digest_file(file.path, file.within)
        except LeadsOut as error:
            return Entry(file.uri, "", file.size, Status.SKIPPED, reason=error.message)
        except OSError as error:
            return Entry(file.uri, "", file.size, Status.FAILED, reason=f"cannot be read: {error.strerror}")
    return Item(Source(file.uri, "", file.size, digest), file.path, file.modified_ns, changed_ns=file.changed_ns)


def _stamps(one: Entry | Found) -> tuple[int, int, int]:
    return one.size, one.modified_ns, one.changed_ns


def _add_members(
    known: dict[str, Entry], items: list[Item], unchanged: list[Entry], keys_of: Callable[[Source], StageKeys]
) -> None:
    """Parts of unchanged containers: unchanged themselves, or to be tried again; in order, so that parts have parts."""
    kept = {entry.uri for entry in unchanged}
    for entry in sorted(known.values(), key=lambda entry: entry.uri.count("!/")):
        if not entry.parent or entry.parent not in kept:
            continue
        source = Source(entry.uri, "", entry.size, entry.digest)
        if is_final(entry, source, keys_of):
            unchanged.append(entry)
            kept.add(entry.uri)
        else:
            items.append(Item(source, parent=entry.parent))


def _below(entry: Entry, items: list[Item]) -> bool:
    """Whether the entry is a part of something to be compiled: that will tell whether it is still there."""
    return bool(entry.parent) and any(entry.uri.startswith(item.source.uri + "!/") for item in items)
