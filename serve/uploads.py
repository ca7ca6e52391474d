"""Files that are sent to a server: written whole below the folder of the documents, or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import anyio

from pipelines.core.errors import SourceError, TooLarge
from pipelines.core.uris import part_name, path_of

_MEBIBYTE = 1 << 20
LEFT_FREE = 1 << 30
"""Bytes of the disk that uploads leave free: a knowledge base that cannot be written is worth less than a file."""


def place_for(folder: Path, uri: str) -> Path:
    """Return where a file of this URI goes. Raises `SourceError` for a name that leads out, is hidden or no path."""
    if not uri or part_name(uri) != uri or any(part.startswith(".") for part in uri.split("/")):
        raise SourceError("no name that a file may have here", ids=(uri,), hint="a plain path, with nothing hidden")
    place = folder / path_of(uri)
    if not _nearest_there(place.parent).resolve().is_relative_to(folder.resolve()):
        raise SourceError("this name leads out of the folder", ids=(uri,))
    if place.is_dir():
        raise SourceError("there is a folder of this name", ids=(uri,))
    return place


async def write(place: Path, body: AsyncIterator[bytes], largest_mb: int) -> int:
    """Write what is sent to `place`, in place of what is there, and return its size in bytes.

    A run that begins meanwhile finds the old file or the new one. Raises `TooLarge`, `SourceError` where it cannot be
    written.
    """
    beside = place.with_name(f".strata-{secrets.token_hex(8)}")
    size = 0
    try:
        await anyio.Path(place.parent).mkdir(parents=True, exist_ok=True)
        async with await anyio.open_file(beside, "xb") as file:
            async for part in body:
                size += len(part)
                if size > largest_mb * _MEBIBYTE:
                    raise TooLarge(f"more than {largest_mb} MiB were sent")
                await file.write(part)
        _refuse_full(place)
        os.replace(beside, place)
    except OSError as error:
        raise SourceError(f"the file cannot be written: {error.strerror}", ids=(place.name,)) from error
    finally:
        await anyio.Path(beside).unlink(missing_ok=True)
    return size


def _refuse_full(place: Path) -> None:
    state = os.statvfs(place.parent) if hasattr(os, "statvfs") else None
    if state is not None and state.f_bavail * state.f_frsize < LEFT_FREE:
        raise SourceError("the disk is nearly full: nothing more is taken")


def _nearest_there(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path
