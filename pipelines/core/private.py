"""Files and folders that are their owner's alone, whatever the umask: a knowledge base holds what documents say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO


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
