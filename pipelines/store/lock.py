"""One writer at a time: a lock that ends with its process, whichever way that ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipelines.core.errors import StoreError, StoreLocked

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> None:
        os.lseek(handle, 1 << 20, os.SEEK_SET)  # beyond what is written, so that others can read the process id
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold the lock file `path` inside; readers never ask for it.

    Raises `StoreLocked`, which names the process that holds it, at once and without waiting, and
    `StoreError` where it cannot be made.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"the knowledge base cannot be written to: {error.strerror}", ids=(str(path),)) from error
    try:
        try:
            _try_lock(handle)
        except OSError as error:
            raise _locked(path) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0) if hasattr(os, "pwrite") else None
        yield
    finally:
        os.close(handle)


def _locked(path: Path) -> StoreLocked:
    try:
        holder = path.read_text().strip()
    except OSError:
        holder = ""
    by = f" (process {holder})" if holder else ""
    return StoreLocked(f"another process is writing this knowledge base{by}", hint="wait until it has ended")
