"""The pictures of a document, and those of its figures that are still to be read off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pipelines.core.document import Figure
from pipelines.core.ids import digest
from pipelines.parse.cleaning import clean
from pipelines.parse.parsed import Picture
from pipelines.parse.pieces import Image, Piece
from pipelines.parse.readoff import ReadOff
from pipelines.parse.settings import OcrSettings
from pipelines.parse.task import Task


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

    def read(self, settings: OcrSettings, task: Task, begin: Callable[[], None]) -> tuple[list[ReadOff], str]:
        """Read off what waits, as far as the limits go; return what was read, and why the rest was not."""
        if not self._waiting:
            return [], ""
        from pipelines.parse.ocr.figures import FigureReader  # documents without pictures load no OCR

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
