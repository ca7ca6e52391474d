"""Faults of storage: each file of a knowledge base is damaged; it must be repaired or reported."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from pipelines.core.errors import StrataError
from pipelines.ingest.fsck import fsck
from pipelines.llm.cache import ReplyStore
from pipelines.llm.chat import Reply
from tests.faults.bench import Account, Bench, Outcome, answer, difference_after_ingest

Damage = Callable[[Path, Path], None]


def truncated(path: Path, other: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def zeroed(path: Path, other: Path) -> None:
    path.write_bytes(b"\0" * path.stat().st_size)


def flipped(path: Path, other: Path) -> None:
    """Change some bytes spread over the file."""
    data = bytearray(path.read_bytes())
    for place in range(len(data) // 7, len(data), max(1, len(data) // 5)):
        data[place] ^= 0x55
    path.write_bytes(data)


def removed(path: Path, other: Path) -> None:
    path.unlink()


def swapped(path: Path, other: Path) -> None:
    """Replace the content by that of another file of the same kind."""
    shutil.copy(other, path)


ROWS = (
    ("nodes", "id", "properties"),
    ("edges", "source, kind, target, key", "properties"),
    ("entries", "uri", "entry"),
    ("facts", "name", "value"),
)
DAMAGES: tuple[Damage, ...] = (truncated, zeroed, flipped, removed, swapped)


def damage_files(bench: Bench) -> Outcome:
    """Damage files of a knowledge base, each in a separate copy; then ask a question and ingest."""
    account = Account("files of a knowledge base damaged")
    cases = list(_cases(bench.whole))
    bench.chance.shuffle(cases)
    for name, damage in cases[: bench.times]:
        kb = bench.copy(bench.whole)
        damage(kb / name, _neighbour(kb / name))
        account.note(f"{damage.__name__} {name}", *_tried(bench, kb))
        shutil.rmtree(kb)
    return account.outcome()


def damage_rows(bench: Bench) -> Outcome:
    """Change characters inside the database, which SQLite cannot detect; no answer may be based on them."""
    account = Account("letters changed in the database")
    for number in range(bench.times):
        kb = bench.copy(bench.whole)
        told = _change_letters(kb / "strata.db", bench, number)
        account.note(told, *_tried(bench, kb))
        shutil.rmtree(kb)
    return account.outcome()


def _cases(kb: Path) -> Iterator[tuple[str, Damage]]:
    with closing(ReplyStore(kb / "replies.db")) as store:
        store.put("1", "distil", Reply("a pump of 40 bar"), "document:1")
    for path in sorted(path for path in kb.rglob("*") if path.is_file() and not path.name.endswith((".lock", ".txn"))):
        for damage in DAMAGES:
            if damage is not swapped or _neighbour(path) != path:
                yield path.relative_to(kb).as_posix(), damage


def _neighbour(path: Path) -> Path:
    """Another file of the same kind, or the file itself if there is none."""
    folder = path.parents[1] if "artifacts" in path.parts else path.parent
    others = sorted(one for one in folder.rglob("*") if one.is_file() and one != path and one.suffix == path.suffix)
    return others[0] if others else path


def _tried(bench: Bench, kb: Path) -> tuple[str, str]:
    """What was lost, and what wrong result was accepted."""
    try:
        let_in = _asked(bench, kb, warnings=True)
        return _mended(bench, kb), let_in
    except Exception as error:
        return f"{type(error).__name__}: {error}", ""


def _asked(bench: Bench, kb: Path, warnings: bool = False) -> str:
    """What is wrong with the answer; with `warnings`, a right answer may also warn of damage."""
    try:
        said = answer(kb)
    except StrataError:
        return ""
    right = said == bench.answer or (warnings and said.startswith(f"{bench.answer}\n"))
    return "" if right else f"answered {said!r}"


def _mended(bench: Bench, kb: Path) -> str:
    """Follow the instructions that a user gets; return what is wrong afterwards."""
    try:
        fsck(kb, repair=True, read_data=True)
    except StrataError as error:
        if "strata.db" not in f"{error.message} {error.hint}" and "no knowledge base" not in error.message:
            return f"fsck says neither what is damaged nor what to do: {error.message}"
        _without_database(kb)
    wrong = difference_after_ingest(bench.folder, kb, bench.state)
    if wrong and _is_named(kb):
        _without_database(kb)
        wrong = difference_after_ingest(bench.folder, kb, bench.state)
    return wrong or _asked(bench, kb)


def _is_named(kb: Path) -> bool:
    return any("strata.db" in one.subject for one in fsck(kb).findings)


def _without_database(kb: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        (kb / f"strata.db{ending}").unlink(missing_ok=True)


def _change_letters(path: Path, bench: Bench, number: int) -> str:
    table, key, column = ROWS[number % len(ROWS)]
    with closing(sqlite3.connect(path)) as db:
        *place, value = bench.chance.choice(db.execute(f"SELECT {key}, {column} FROM {table}").fetchall())
        data = _letters(value if isinstance(value, bytes) else str(value).encode(), bench)
        kept = data if isinstance(value, bytes) else data.decode("utf-8", "replace")
        marks = ", ".join("?" * len(place))
        db.execute(f"UPDATE {table} SET {column} = ? WHERE ({key}) = ({marks})", (kept, *place))
        db.commit()
    return f"{table}.{column} at {place}"


def _letters(data: bytes, bench: Bench) -> bytes:
    """The data with one letter or digit replaced."""
    places = [at for at, byte in enumerate(data) if chr(byte).isalnum()]
    if not places:
        return os.urandom(max(1, len(data)))
    at = bench.chance.choice(places)
    other = b"7" if data[at : at + 1] != b"7" else b"4"
    return data[:at] + other + data[at + 1 :]
