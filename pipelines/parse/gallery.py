"""The pictures of a document that are still to be read off, and the sentences on what was left unread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from pipelines.core.document import Figure, Page
from pipelines.core.ids import digest
from pipelines.parse.limits import Clock, ParseTask
from pipelines.parse.parsed import Picture, ReadOff
from pipelines.parse.pieces import Image, Piece, Place, clean
from pipelines.parse.settings import OcrSettings

_MOST = 5
"""Issues that are written out in a sentence, and runs of pages with the same one; the rest are counted."""


class Gallery:
    """Keeps each picture once. What stands in figures is read when all else is: it takes long, and may be left out."""

    def __init__(self) -> None:
        self._pictures: dict[str, Picture] = {}
        self._waiting: dict[str, list[Piece]] = {}

    def keep(self, image: Image) -> str:
        """Keep a picture and return the digest of its bytes, empty where it has none."""
        key = digest(image.data) if image.data else ""
        if key and key not in self._pictures:
            self._pictures[key] = Picture(key, image.media_type, image.data)
        return key

    def wait(self, piece: Piece) -> None:
        """Have the figure of a piece read off in `read`."""
        if piece.figure is not None and piece.figure.digest:
            self._waiting.setdefault(piece.figure.digest, []).append(piece)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(self._pictures.values())

    @property
    def waiting(self) -> tuple[str, ...]:
        """The digests of the pictures that are not read off yet."""
        return tuple(self._waiting)

    def read(self, settings: OcrSettings, task: ParseTask, begin: Callable[[], None]) -> tuple[list[ReadOff], str]:
        """Read off what waits, as far as the limits go; return what was read, and why the rest was not."""
        if not self._waiting:
            return [], ""
        from pipelines.parse.ocr.figure_reader import FigureReader  # documents without pictures load no OCR

        reader = FigureReader(settings, task, begin)
        done: dict[str, ReadOff] = {}
        for key in self._waiting:
            found = reader.read(key, self._pictures[key].data)
            if found is not None:
                done[key] = found
        for key, found in done.items():
            for piece in self._waiting.pop(key):
                _tell(piece, found)
        return list(done.values()), reader.refused


def _tell(piece: Piece, found: ReadOff) -> None:
    if piece.figure is not None:
        piece.figure = replace(piece.figure, ocr_text=clean(found.text))
        piece.text, piece.confidence = shown_text(piece.figure), found.confidence


def shown_text(figure: Figure) -> str:
    """Return what a figure contributes to the text of its document."""
    return "\n".join(part for part in (figure.ocr_text, figure.description) if part)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What limits kept from being read, by name, and the sentences that say so."""

    names: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()

    def and_(self, names: Iterable[str], issue: str = "") -> LeftOut:
        """Return this and more."""
        return LeftOut(tuple(dict.fromkeys((*self.names, *names))), (*self.issues, issue) if issue else self.issues)


def page_issues(pages: Sequence[Page]) -> list[str]:
    """Return the issues of pages, those that several pages share in one sentence."""
    of: dict[str, list[int]] = {}
    for page in pages:
        if page.issue:
            of.setdefault(page.issue, []).append(page.number)
    return [f"{pages_named(numbers)}: {issue}" for issue, numbers in of.items()]


def pages_named(numbers: Sequence[int]) -> str:
    """Return pages as a sentence has them: "page 3", "pages 3, 7 to 9"; of many runs the first, and how many more.

    `numbers` are in ascending order.
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs[:_MOST])
    more = sum(map(len, runs[_MOST:]))
    return f"page{'s' if len(numbers) > 1 else ''} {shown}{f' and {more} more' if more else ''}"


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
