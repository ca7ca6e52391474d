"""Tests of a SQLite file that is read by many threads."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import psutil

from pipelines.core.sqlite_file import SqliteFile


def prepare(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE IF NOT EXISTS pumps (name TEXT)")


def opened(path: Path) -> int:
    return sum(file.path == str(path) for file in psutil.Process().open_files())


def test_connections_of_finished_threads_are_closed(tmp_path: Path) -> None:
    file = SqliteFile(tmp_path / "pumps.db", prepare, prepare)
    with file.transaction() as connection:
        connection.execute("INSERT INTO pumps VALUES ('K80-250')")
    read: list[tuple[object, ...]] = []
    for _ in range(50):
        thread = Thread(target=lambda: read.extend(file.rows("SELECT name FROM pumps")))
        thread.start()
        thread.join()
    assert read == [("K80-250",)] * 50
    assert opened(file.path) <= 3  # the writer, the last thread, and the one that ended last
    file.close()
    assert not opened(file.path)


def test_running_threads_keep_their_connections(tmp_path: Path) -> None:
    file = SqliteFile(tmp_path / "pumps.db", prepare, prepare)
    with ThreadPoolExecutor(8) as threads:
        for _ in range(20):
            assert list(threads.map(lambda _: list(file.rows("SELECT count(*) FROM pumps")), range(8))) == [[(0,)]] * 8
    file.close()
