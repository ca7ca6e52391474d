"""What kept a document from being whole, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from pipelines.core.document import Page
from pipelines.parse.clock import Clock
from pipelines.parse.pieces import Place

_MOST = 5


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What limits kept from being read, by name, and the sentences that say so."""

    names: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()

    def and_(self, names: Iterable[str], issue: str = "") -> LeftOut:
        """Return this and more."""
        return LeftOut(tuple(dict.fromkeys((*self.names, *names))), (*self.issues, issue) if issue else self.issues)


def page_issues(pages: Sequence[Page]) -> list[str]:
    """Return the issues of pages, those of pages that follow one another and share it in one sentence."""
    runs = (list(run) for issue, run in groupby(pages, key=lambda page: page.issue) if issue)
    return [f"{_named(run)}: {run[0].issue}" for run in runs]


def _named(run: Sequence[Page]) -> str:
    first, last = run[0].number, run[-1].number
    return f"page {first}" if len(run) == 1 else f"pages {first} to {last}"


def broken_off(place: Place, clock: Clock) -> str:
    """Return that reading ended behind `place`, for want of time."""
    last = f"page {place.page}" if place.page else place.label
    return f"{f'what follows {last}' if last else 'the rest'} was not read: {clock.reason}"


def pictures_unread(count: int, total: int, why: str) -> str:
    """Return how many pictures were not read off."""
    return f"{count} of {total} pictures {'was' if count == 1 else 'were'} not read off: {why}"


def summed_up(issues: Sequence[str]) -> str:
    """Return the first issues in one line, and how many there are more."""
    more = f"; and {len(issues) - _MOST} more" if len(issues) > _MOST else ""
    return "; ".join(issues[:_MOST]) + more
