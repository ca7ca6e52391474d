"""Who may read and write the files of a knowledge base.

They are made for their owner alone, whatever the umask, since they hold what documents say; and one that cannot be
written, on a disk of backups or of another user, can still be read.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO
from urllib.parse import quote

from pipelines.core.errors import StoreError


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner may enter, and the folders above it; one that is there stays as it is."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def private_file(path: Path) -> Path:
    """Make an empty file that only its owner may read; one that is there stays as it is."""
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    return path


def append_to(path: Path) -> TextIO:
    """Open a text file to append to it, made for its owner alone where it is not there."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8")


def is_open_to_others(path: Path) -> bool:
    """Whether other users may read a file, as far as its own mode and that of its folder say."""
    if os.name != "posix" or not path.exists():
        return False
    return bool(path.stat().st_mode & 0o044 and path.parent.stat().st_mode & 0o011)


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
