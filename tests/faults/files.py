"""Faults of source files: they change while they are read; other documents must not be affected."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from pipelines import build
from pipelines.core.errors import StrataError
from pipelines.ingest.fsck import fsck
from pipelines.ingest.report import Event, Phase, Stage
from tests.faults.bench import Account, Bench, Outcome, state_of
from tests.ingest.knowledge import entries_of

Change = Callable[[Path], None]


def taken_away(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    path.write_text(path.read_text()[:40])


def replaced(path: Path) -> None:
    other = path.with_name("other.tmp")
    other.write_text(path.read_text().replace("P-101A", "P-303C"))
    other.replace(path)


def replaced_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def unreadable(path: Path) -> None:
    path.chmod(0)


CHANGES: tuple[Change, ...] = (taken_away, cut, replaced, replaced_by_folder, unreadable)


def change_while_read(bench: Bench) -> Outcome:
    """Change a file between scan and parse, or during parse; the next run must have its new content."""
    account = Account("files changed while they are read")
    for number in range(bench.times):
        change, stage = CHANGES[number % len(CHANGES)], (Stage.SCAN, Stage.PARSE)[number // len(CHANGES) % 2]
        folder, kb = bench.copy(bench.folder), bench.new()
        path = folder / "manual.md"

        def change_file(event: Event, path: Path = path, change: Change = change, stage: Stage = stage) -> None:
            scanned = stage is Stage.SCAN and event.stage is Stage.SCAN and event.phase is Phase.DONE
            parsing = stage is Stage.PARSE and event.phase is Phase.STARTED and event.subject == path.name
            if (scanned or parsing) and event.stage is stage:
                change(path)

        try:
            build(folder, kb, progress=change_file)
            lost, let_in = _neighbours(kb), _believed(kb)
        except (StrataError, OSError) as error:
            lost, let_in = f"the run ended: {error}", ""
        account.note(f"{change.__name__} at {stage}", lost or _settled(bench, folder, kb), let_in)
    return account.outcome()


def _neighbours(kb: Path) -> str:
    found = [uri for uri in ("DS-2041.md", "reports/IR-3.txt") if entries_of(kb)[uri].status.searchable]
    return "" if len(found) == 2 else "a neighbour was lost"


def _believed(kb: Path) -> str:
    """What is wrong if the changed file was indexed: its content is not that of its recorded digest."""
    entry = entries_of(kb).get("manual.md")
    return "it was read, and is not what was found" if entry and entry.status.searchable else ""


def _settled(bench: Bench, folder: Path, kb: Path) -> str:
    path = folder / "manual.md"
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.chmod(0o644)
    fresh = bench.new()
    build(folder, fresh)
    build(folder, kb)
    if not fsck(kb, read_data=True).clean:
        return "fsck has findings"
    return "" if state_of(kb) == state_of(fresh) else "the next ingest does not make up for it"
