"""What a file may cost: checks of archives before they are unpacked, and what its process is allowed."""

from __future__ import annotations

import zipfile

from pipelines.core.errors import TooLarge
from pipelines.core.work.job import JobLimits
from pipelines.parse.settings import Limits

MEBIBYTE = 1 << 20
# A small file may well grow a hundredfold: a sheet of zeros, a bitmap in a letter.
_FREE_OF_RATIO = 24 * MEBIBYTE


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


def allowance(limits: Limits) -> JobLimits:
    """Return what the process may cost that works on a file."""
    return JobLimits(limits.cpu_s, limits.stall_s, limits.memory_mb)
