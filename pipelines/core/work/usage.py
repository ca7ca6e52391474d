"""Processor seconds and memory of a process and its descendants, from /proc; elsewhere than on Linux, nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")
_TIMES = slice(11, 15)
"""User and system time of a process and of its children that have ended, behind its name in /proc/PID/stat."""
_RESIDENT = 21


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """Processor seconds since the process began, its ended children's among them, and bytes of memory held now."""

    cpu_s: float = 0.0
    memory: int = 0

    def __add__(self, other: ProcessUsage) -> ProcessUsage:
        return ProcessUsage(self.cpu_s + other.cpu_s, self.memory + other.memory)


def counted() -> bool:
    """Whether the system tells what a process takes."""
    return (_PROC / "self" / "stat").exists()


def usage_of(pid: int) -> ProcessUsage:
    """Return what a process and its descendants take; nothing where it is gone or the system does not tell."""
    return sum((_of_one(each) for each in tree(pid)), ProcessUsage())


def tree(pid: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    left = [pid]
    while left:
        one = left.pop()
        yield one
        left.extend(_children(_PROC / str(one)))


def _children(process: Path) -> list[int]:
    found: list[int] = []
    try:
        for task in (process / "task").iterdir():
            found.extend(int(child) for child in (task / "children").read_text().split())
    except (OSError, ValueError):
        pass  # it has ended meanwhile
    return found


def _of_one(pid: int) -> ProcessUsage:
    try:
        # The name stands in parentheses and may hold anything.
        fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
        return ProcessUsage(sum(map(int, fields[_TIMES])) / _TICKS, int(fields[_RESIDENT]) * _PAGE)
    except (OSError, ValueError, IndexError):
        return ProcessUsage()
