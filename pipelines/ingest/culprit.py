"""Finding the documents that make a step over all of them fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipelines.core.failures import ends_the_run
from pipelines.store.catalog import Entry

MOST = 8
"""Culprits beyond which the step itself is at fault, and no document."""


def find_culprits(entries: Sequence[Entry], step: Callable[[Sequence[Entry]], object]) -> tuple[Entry, ...]:
    """Return the entries with each of which alone `step` fails, as it does for all of them together.

    None where it takes several to make it fail, where they are more than `MOST`, and where it fails with every one.
    The suspects are halved again and again: finding one is about as much work as two steps over all. Raises what
    `ends_the_run`.
    """
    found: list[Entry] = []

    def search(suspects: Sequence[Entry]) -> None:
        if len(suspects) == 1:
            found.extend(suspects)
            return
        middle = len(suspects) // 2
        for half in (suspects[:middle], suspects[middle:]):
            if len(found) <= MOST and _fails(half, step):
                search(half)

    search(entries)
    return () if len(found) > MOST or len(found) == len(entries) else tuple(found)


def _fails(entries: Sequence[Entry], step: Callable[[Sequence[Entry]], object]) -> bool:
    try:
        step(entries)
    except Exception as error:
        if ends_the_run(error):
            raise
        return True
    return False
