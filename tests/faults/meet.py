"""Concurrent access to one knowledge base: a second writer is refused, and readers see consistent data."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

from pipelines import build
from pipelines.core.errors import StrataError
from tests.faults.bench import Account, Bench, Outcome, answer
from tests.faults.process import ingesting, strata

ASKERS = 4


def ingest_twice(bench: Bench) -> Outcome:
    """Start a second ingest during one: it must end with one line of error, and the first must complete."""
    account = Account("two ingests at once")
    for _ in range(bench.times):
        kb = bench.new()
        first = ingesting(bench.folder, kb)
        assert first.stdout is not None
        first.stdout.readline()
        second = strata("ingest", bench.folder, "--kb", kb, "--no-flow", "--quiet")
        _, err = first.communicate()
        wrong = "" if first.returncode == 0 else f"the first ended with {first.returncode}: {err[-200:]}"
        if second.code == 0:
            account.note("the first was faster", wrong)
        else:
            clear = second.code == 5 and second.clear and "another process is writing" in second.err
            account.note("second refused", wrong or ("" if clear else f"{second.code}: {second.err[-300:]}"))
    return account.outcome()


def ask_while_ingesting(bench: Bench) -> Outcome:
    """Ask during ingests: each answer must be that of the state before or after, or an error."""
    account = Account("askers while an ingest runs")
    kb = bench.copy(bench.whole)
    edited = bench.copy(bench.folder)
    manual = edited / "manual.md"
    manual.write_text(manual.read_text().replace("4000", "5000"))
    other = bench.new()
    build(edited, other)
    right = {bench.answer, answer(other)}
    over, lock = threading.Event(), threading.Lock()

    def ask() -> None:
        while not over.is_set():
            lost, let_in = _asked(kb, right)
            with lock:
                account.note("asked", lost, let_in)

    askers = [threading.Thread(target=ask) for _ in range(ASKERS)]
    for thread in askers:
        thread.start()
    for number in range(2 * bench.times):
        build(edited if number % 2 == 0 else bench.folder, kb)
    over.set()
    for thread in askers:
        thread.join()
    shutil.rmtree(kb)
    return account.outcome()


def _asked(kb: Path, right: set[str]) -> tuple[str, str]:
    try:
        said = answer(kb)
    except StrataError:
        return "", ""
    except Exception as error:
        return f"{type(error).__name__}: {error}", ""
    # An answer during an ingest has a warning.
    return "", "" if said in right or "An ingest was started and has not finished" in said else f"answered {said!r}"
