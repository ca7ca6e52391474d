"""SQLite files where nothing can be written: a knowledge base on a disk of backups, or of another user."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from pipelines.core.errors import StoreError


def can_write(path: Path) -> bool:
    """Whether a file can be written or made, and others beside it, as SQLite's log is."""
    here = path.parent
    while not here.exists():
        here = here.parent
    return os.access(here, os.W_OK | os.X_OK) and (not path.exists() or os.access(path, os.W_OK))


def read_only_uri(path: Path) -> str:
    """Return the URI by which SQLite reads a file that it cannot write beside.

    With its log there, the log is read too, as somebody may be writing. Without one the file is whole, and is taken
    not to change. Raises `StoreError` where a log was left behind that cannot be read without writing.
    """
    log, index = (path.with_name(f"{path.name}-{kind}") for kind in ("wal", "shm"))
    if log.exists() and not index.exists() and log.stat().st_size:
        message = "the last changes of the knowledge base are in a log that only a writer can read"
        raise StoreError(message, ids=(str(path),), hint="open it once where it can be written to")
    how = "mode=ro" if log.exists() and index.exists() else "mode=ro&immutable=1"
    return f"file:{quote(os.fsencode(path.absolute()))}?{how}"
