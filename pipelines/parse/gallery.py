"""The pictures of a document, which are read by OCR last, and the sentences about what was left unread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from pipelines.core.document import Figure, Page
from pipelines.core.ids import digest
from pipelines.parse.limits import Clock, ParseTask
from pipelines.parse.parsed import Picture, ReadOff
from pipelines.parse.pieces import Image, Piece, Place, clean
from pipelines.parse.settings import OcrSettings

_MOST_LISTED = 5
"""Maximum issues, and maximum runs of pages, that a sentence lists; the rest are counted."""


class Gallery:
    """Keeps each picture once. OCR runs after everything else is read: it takes long and may be skipped."""

    def __init__(self) -> None:
        self._pictures: dict[str, Picture] = {}
        self._waiting: dict[str, list[Piece]] = {}

    def keep(self, image: Image) -> str:
        """Keep a picture and return the digest of its bytes, or '' if it has none."""
        key = digest(image.data) if image.data else ""
        if key and key not in self._pictures:
            self._pictures[key] = Picture(key, image.media_type, image.data)
        return key

    def wait(self, piece: Piece) -> None:
        """Queue the figure of a piece for `read`."""
        if piece.figure is not None and piece.figure.digest:
            self._waiting.setdefault(piece.figure.digest, []).append(piece)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(self._pictures.values())

    @property
    def waiting(self) -> tuple[str, ...]:
        """The digests of the pictures that have not been read yet."""
        return tuple(self._waiting)

    def read(self, settings: OcrSettings, task: ParseTask, begin: Callable[[], None]) -> tuple[dict[str, ReadOff], str]:
        """Read the waiting pictures within the limits; return the results by digest, and why the others were not read.

        `begin` is called before the first picture that OCR reads.
        """
        if not self._waiting:
            return {}, ""
        from pipelines.parse.ocr.figure_reader import FigureReader  # OCR is not loaded for documents without pictures

        reader = FigureReader(settings, task, begin)
        done: dict[str, ReadOff] = {}
        for key in self._waiting:
            found = reader.read(key, self._pictures[key].data)
            if found is not None:
                done[key] = found
        for key, found in done.items():
            for piece in self._waiting.pop(key):
                _set_text(piece, found)
        return done, reader.refused


def _set_text(piece: Piece, found: ReadOff) -> None:
    if piece.figure is not None:
        piece.figure = replace(piece.figure, ocr_text=clean(found.text))
        piece.text, piece.confidence = shown_text(piece.figure), found.confidence


def shown_text(figure: Figure) -> str:
    """Return the text of a figure in its document."""
    return "\n".join(part for part in (figure.ocr_text, figure.description) if part)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The names of what was not read because of limits, and sentences about it."""

    names: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()

    def plus(self, names: Iterable[str], issue: str = "") -> LeftOut:
        """Return a copy with more names and an issue."""
        return LeftOut(tuple(dict.fromkeys((*self.names, *names))), (*self.issues, issue) if issue else self.issues)


def page_issues(pages: Sequence[Page]) -> list[str]:
    """Return the issues of pages; an issue of several pages is one sentence."""
    by_issue: dict[str, list[int]] = {}
    for page in pages:
        if page.issue:
            by_issue.setdefault(page.issue, []).append(page.number)
    return [f"{page_numbers(numbers)}: {issue}" for issue, numbers in by_issue.items()]


def page_numbers(numbers: Sequence[int]) -> str:
    """Return page numbers, in ascending order, as text: "page 3", "pages 3, 7 to 9"; after five runs only a count."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs[:_MOST_LISTED])
    more = sum(map(len, runs[_MOST_LISTED:]))
    return f"page{'s' if len(numbers) > 1 else ''} {shown}{f' and {more} more' if more else ''}"


def interruption_issue(place: Place, clock: Clock) -> str:
    """Return a sentence stating that nothing after `place` was read because the time was up."""
    last = f"page {place.page}" if place.page else place.label
    return f"{f'what follows {last}' if last else 'the rest'} was not read: {clock.reason}"


def unread_pictures_issue(count: int, total: int, why: str) -> str:
    """Return a sentence stating how many pictures were not read by OCR."""
    return f"{count} of {total} pictures {'was' if count == 1 else 'were'} not read off: {why}"


def joined_issues(issues: Sequence[str]) -> str:
    """Return the first issues on one line, and the number of further ones."""
    more = f"; and {len(issues) - _MOST_LISTED} more" if len(issues) > _MOST_LISTED else ""
    return "; ".join(issues[:_MOST_LISTED]) + more
