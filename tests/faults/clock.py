"""Faults of the clock: it is set back, or files have wrong dates; no change may be lost."""

from __future__ import annotations

import os

from pipelines import build
from tests.faults.bench import Account, Bench, Outcome, state_of
from tests.faults.process import events_of, ingesting

_YEAR = 366 * 86_400


def set_clock_back(bench: Bench) -> Outcome:
    """Ingest, change a file but not its date and size, ingest with an earlier clock; compare with a fresh ingest."""
    account = Account("clocks set back")
    for number in range(bench.times):
        folder, kb = bench.copy(bench.folder), bench.copy(bench.whole)
        if number % 2:
            kb = bench.new()
            events_of(ingesting(folder, kb, shift=_YEAR))
        path = folder / ("manual.md", "DS-2041.md")[number // 2 % 2]
        dated = path.stat()
        path.write_text(path.read_text().replace("P-101A", "P-202B").replace("4000", "5000"))
        os.utime(path, ns=(dated.st_atime_ns, dated.st_mtime_ns - (number % 3) * _YEAR * 10**9))
        events_of(ingesting(folder, kb, shift=-_YEAR))
        fresh = bench.new()
        build(folder, fresh)
        account.note(path.name, "" if state_of(kb) == state_of(fresh) else "a change was lost")
    return account.outcome()
