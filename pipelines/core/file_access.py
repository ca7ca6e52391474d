"""Permissions of the files of a knowledge base.

Files and folders are created for their owner only, whatever the umask, because they contain text of documents. A file
that cannot be written, on a backup disk or owned by another user, can still be read.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO
from urllib.parse import quote

from pipelines.core.errors import StoreError


def private_folder(path: Path) -> Path:
    """Create a folder with access for its owner only, and its parents; an existing folder is left unchanged."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def private_file(path: Path) -> Path:
    """Create an empty file with access for its owner only; an existing file is left unchanged."""
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    return path


def append_to(path: Path) -> TextIO:
    """Open a text file for appending; a new file is accessible to its owner only."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8")


def is_open_to_others(path: Path) -> bool:
    """Whether the modes of a file and of its folder let other users read it."""
    if os.name != "posix" or not path.exists():
        return False
    return bool(path.stat().st_mode & 0o044 and path.parent.stat().st_mode & 0o011)


def can_write(path: Path) -> bool:
    """Whether a file can be written or created, and other files beside it, such as SQLite's log."""
    here = path.parent
    while not here.exists():
        here = here.parent
    return os.access(here, os.W_OK | os.X_OK) and (not path.exists() or os.access(path, os.W_OK))


def read_only_uri(path: Path) -> str:
    """Return the URI by which SQLite opens a file read-only in a folder that cannot be written.

    If a log exists, it is read as well, since another process may be writing. Without one the file is complete and is
    assumed not to change. Raises `StoreError` if a log remains that cannot be read without write access.
    """
    log, index = (path.with_name(f"{path.name}-{kind}") for kind in ("wal", "shm"))
    if log.exists() and not index.exists() and log.stat().st_size:
        message = "the last changes of the knowledge base are in a log that only a writer can read"
        raise StoreError(message, ids=(str(path),), hint="open it once where it can be written to")
    how = "mode=ro" if log.exists() and index.exists() else "mode=ro&immutable=1"
    return f"file:{quote(os.fsencode(path.absolute()))}?{how}"
