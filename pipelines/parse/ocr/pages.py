"""Pages that are pictures."""

from __future__ import annotations

from collections.abc import Callable

from pipelines.parse.ocr.engine import OcrEngine, Raster
from pipelines.parse.ocr.text import read_picture
from pipelines.parse.readoff import PictureText, ReadOff, page_name
from pipelines.parse.settings import OcrSettings
from pipelines.parse.task import Task


def read_page(
    number: int, draw: Callable[[], Raster], engine: OcrEngine, settings: OcrSettings, task: Task
) -> PictureText:
    """Return what stands on a page; it is drawn and read only where no earlier run has read it."""
    found = task.found(page_name(number))
    if found is not None and found.page is not None:
        return found.page
    read = read_picture(engine, draw(), settings)
    task.read[page_name(number)] = ReadOff(page=read)
    return read
