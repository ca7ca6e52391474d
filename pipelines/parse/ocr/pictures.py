"""Pictures and pages that are pictures, read: their lines the right way up, and whether they are to be relied on."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

import numpy as np
from PIL import Image as Pillow

from pipelines.lang.characters import CJK_CHARACTER
from pipelines.parse.lines import Line, TextStyle
from pipelines.parse.ocr.engine import OcrEngine, Raster
from pipelines.parse.ocr.orientation import read_upright
from pipelines.parse.parsed import PictureText, ReadOff, page_name
from pipelines.parse.settings import OcrSettings
from pipelines.parse.task import ParseTask

_NOT_LEGIBLE = "text not legible: a script that OCR cannot read, or a poor picture"
_MANY = 60
"""Characters of little confidence from which there is text; fewer are grain and edges in a photograph."""
_LARGE = 1.4
"""Height of a line over the median from which it is taken for larger type; OCR boxes vary by a third."""


def read_picture(engine: OcrEngine, image: Raster, settings: OcrSettings) -> PictureText:
    """Read a picture; lines of too little confidence are dropped, and a page of such is not legible."""
    reread = read_upright(engine, image)
    size = reread.width, reread.height, reread.turn, reread.confidence
    if reread.confidence < settings.script_confidence:
        many = sum(len(line.text) for line in reread.lines) >= _MANY
        return PictureText((), *size, _NOT_LEGIBLE if many else "")
    kept = [line for line in reread.lines if line.confidence >= settings.min_confidence]
    return PictureText(_sized(_without_signs(kept)), *size)


def _without_signs(lines: Sequence[Line]) -> list[Line]:
    """Return the lines without single Chinese characters where no line has more: signs of a drawing look like them."""
    single = [line for line in lines if len(line.text) == 1 and CJK_CHARACTER.search(line.text)]
    others = [line for line in lines if line not in single]
    told = any(CJK_CHARACTER.search(line.text) for line in others) or not others
    return list(lines) if told else others


def _sized(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines with one size of type, but for those that are clearly larger."""
    if not lines:
        return ()
    usual = median(_thickness(line) for line in lines)
    return tuple(
        replace(line, style=TextStyle(_thickness(line) if _thickness(line) > _LARGE * usual else usual))
        for line in lines
    )


def _thickness(line: Line) -> float:
    return round(min(line.rect.height, line.rect.width), 1)


def decoded(data: bytes) -> Raster:
    """Return the pixels of an encoded picture, its transparent parts on white."""
    with Pillow.open(io.BytesIO(data)) as picture:
        return pixels(picture)


def pixels(picture: Pillow.Image) -> Raster:
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        flat = Pillow.new("RGBA", picture.size, "white")
        flat.alpha_composite(picture.convert("RGBA"))
        picture = flat
    return np.asarray(picture.convert("RGB"), dtype=np.uint8)


def read_page(
    number: int, draw: Callable[[], Raster], engine: OcrEngine, settings: OcrSettings, task: ParseTask
) -> PictureText:
    """Return what stands on a page; it is drawn and read only where no earlier run has read it."""
    found = task.found(page_name(number))
    if found is not None and found.page is not None:
        return found.page
    read = read_picture(engine, draw(), settings)
    task.read[page_name(number)] = ReadOff(page=read)
    return read
