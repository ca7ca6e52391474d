"""What a file may cost: checks of archives before they are unpacked, and of the process that parses."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from pipelines.core.errors import TooLarge
from pipelines.parse.settings import Limits

MEBIBYTE = 1 << 20
# A small file may well grow a hundredfold: a sheet of zeros, a bitmap in a letter.
_FREE_OF_RATIO = 24 * MEBIBYTE
# Memory beyond the limit that the system refuses at once; what grows slowly the parent sees and stops at the limit.
_HEADROOM = 1024 * MEBIBYTE
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PROC = Path("/proc")


def check_archive(members: list[zipfile.ZipInfo], size: int, uri: str, limits: Limits) -> None:
    """Raise `TooLarge` where the members of an archive of `size` bytes are too many or unpack to too much.

    The sizes told can be believed: zipfile unpacks no more of a member than its directory says.
    """
    if len(members) > limits.members:
        raise TooLarge(f"more than {limits.members} members", ids=(uri,))
    unpacked = sum(member.file_size for member in members)
    if unpacked > limits.total_mb * MEBIBYTE:
        raise TooLarge(f"unpacks to more than {limits.total_mb} MiB", ids=(uri,))
    if unpacked > most_unpacked(size, limits):
        raise TooLarge(f"unpacks to over {limits.expansion_ratio} times its size", ids=(uri,))


def most_unpacked(size: int, limits: Limits) -> int:
    """Return to how many bytes a file of `size` bytes may unpack."""
    return min(limits.total_mb * MEBIBYTE, max(_FREE_OF_RATIO, size * limits.expansion_ratio))


def check_text(length: int, uri: str, limits: Limits) -> None:
    """Raise `TooLarge` where a text of `length` characters is more than a file may give."""
    if length > limits.output_mb * MEBIBYTE:
        raise TooLarge(f"more than {limits.output_mb} MiB of text", ids=(uri,))


def containers(uri: str) -> int:
    """Return how many containers a URI lies in ("a.zip!/b.eml!/c.pdf": 2)."""
    return uri.count("!/")


def confine(limits: Limits) -> None:
    """Let this process fail rather than take much more memory than allowed, and leave no core dump."""
    import resource

    wanted = limits.memory_mb * MEBIBYTE + _HEADROOM
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or wanted < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def memory_of(pid: int) -> int:
    """Return the bytes of memory that a process and its descendants hold; 0 where the system does not tell."""
    total, left = 0, [pid]
    while left:
        process = _PROC / str(left.pop())
        try:
            total += int((process / "statm").read_text().split()[1]) * _PAGE
            for task in (process / "task").iterdir():
                left.extend(int(child) for child in (task / "children").read_text().split())
        except (OSError, ValueError, IndexError):
            continue
    return total
