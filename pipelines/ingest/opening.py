"""Files of the folder, opened so that what is read is what was found: a file swapped for a link leads nowhere."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipelines.core.errors import LeadsOut

OUTSIDE = "a link that leads out of the folder"
_DESCRIPTORS = Path("/proc/self/fd")
_PLAIN_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,15}")


def lies_in(path: Path | str, folder: Path) -> bool:
    """Whether a path without links is `folder` or below it."""
    return Path(path).is_relative_to(folder)


def open_file(path: Path, within: Path | None = None) -> int:
    """Return a descriptor of the regular file at `path`, to be read; the caller closes it.

    With `within`, a real path, the file that was opened lies there, whatever `path` has become in the meantime. A pipe
    or device is not waited for. Raises `LeadsOut`, `OSError`.
    """
    target = path if within is None or _DESCRIPTORS.is_dir() else Path(os.path.realpath(path))
    descriptor = os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        _check(descriptor, target, within)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check(descriptor: int, target: Path, within: Path | None) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "no longer a regular file", str(target))
    if within is not None and not lies_in(_opened(descriptor, target), within):
        raise LeadsOut(OUTSIDE, ids=(str(target),))


@contextmanager
def as_path(descriptor: int, suffix: str = "", scratch: Path | None = None) -> Iterator[Path]:
    """Yield a path at which any process of this user finds the open file, however the file is called or moved.

    It ends in `suffix` where that is a plain one, and lies below `scratch`. Only while the descriptor is open.
    """
    with tempfile.TemporaryDirectory(prefix="strata-", dir=scratch) as folder:
        link = Path(folder) / f"file{suffix if _PLAIN_SUFFIX.fullmatch(suffix) else ''}"
        link.symlink_to(f"/proc/{os.getpid()}/fd/{descriptor}")
        yield link


def has_descriptor_paths() -> bool:
    """Whether this system shows open files as paths (Linux)."""
    return _DESCRIPTORS.is_dir()


def _opened(descriptor: int, target: Path) -> str:
    """The path of what was opened, asked of the descriptor where the system can tell."""
    return os.readlink(_DESCRIPTORS / str(descriptor)) if _DESCRIPTORS.is_dir() else str(target)
