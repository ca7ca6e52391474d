"""Pictures (PNG, JPEG, TIFF with pages, HEIC and others) read by OCR; and pages of files rendered as pictures."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from PIL import Image as Pillow
from PIL import ImageOps, UnidentifiedImageError

from pipelines.core.document import Page, Source
from pipelines.core.errors import Malformed, MissingExtra, StrataError, TooLarge
from pipelines.core.provenance import Box
from pipelines.parse.assemble import DocumentBuilder, Image, Place
from pipelines.parse.columns import read_columns
from pipelines.parse.limits import MEBIBYTE
from pipelines.parse.lines import Line, Rect, around, turned_box
from pipelines.parse.magic import PDF, XPS
from pipelines.parse.paragraphs import group_paragraphs, paragraph_text
from pipelines.parse.parsed import Parsed, PictureText, page_name
from pipelines.parse.reader import signed
from pipelines.parse.scan_tables import ScanTable, part_tables
from pipelines.parse.settings import ParseSettings

_HEIC = "image/heic"
_BYTES_PER_PIXEL = 4
"""Red, green, blue and alpha."""
_SHOWN_AS_IS = frozenset(("image/png", "image/jpeg", "image/webp", "image/gif"))
_POINTS = 72.0
"""Points per inch."""
_USUAL_DPI = 96.0
"""Pixels per inch if a picture does not state them (CSS 2.1, 4.3.2)."""


class ImageReader:
    """Reads each frame of a picture as a page: the picture as a figure, then its text in reading order."""

    formats = (
        signed("image/png", ".png"),
        signed("image/jpeg", ".jpg", ".jpeg"),
        signed("image/tiff", ".tif", ".tiff"),
        signed("image/webp", ".webp"),
        signed("image/bmp", ".bmp"),
        signed("image/gif", ".gif"),
        signed("image/avif", ".avif"),
        signed("image/jp2", ".jp2", ".j2k"),
        signed(_HEIC, ".heic", ".heif"),
    )

    @property
    def name(self) -> str:
        return f"pillow {version('pillow')}"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        data = path.read_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Pillow.DecompressionBombWarning)
                warnings.simplefilter(
                    "ignore", UserWarning
                )  # about broken metadata; what costs the picture is an error
                return _read(data, source, settings)
        except Pillow.DecompressionBombError as error:
            raise TooLarge(f"a picture of too many pixels: {error}", ids=(source.uri,)) from error
        except UnidentifiedImageError as error:
            # The message of the error has the address of the data in memory.
            raise Malformed("not a readable picture: cannot identify its format", ids=(source.uri,)) from error
        except (OSError, SyntaxError, ValueError, EOFError) as error:
            raise Malformed(f"not a readable picture: {error}", ids=(source.uri,)) from error


def _read(data: bytes, source: Source, settings: ParseSettings) -> Parsed:
    builder = DocumentBuilder(source, settings, ImageReader().name)
    single = source.media_type in _SHOWN_AS_IS
    with _opened(io.BytesIO(data), source.media_type) as picture:
        for number, frame in enumerate(_frames(picture, settings, source), start=1):
            builder.task.next_page(number)
            shown = data if single and number == 1 else _encoded(frame)
            media_type = source.media_type if single and number == 1 else "image/png"
            _add_page(builder, number, frame, Image(shown, media_type, frame.width, frame.height, unread=True))
    return builder.build()


def _opened(file: Path | io.BytesIO, media_type: str) -> Pillow.Image:
    """Open a picture; HEIC, the photos of many phones, by pi-heif, which is used only here. Raises `MissingExtra`."""
    if media_type == _HEIC:
        try:
            from pi_heif import register_heif_opener
        except ImportError as error:
            raise MissingExtra("heic", "reading HEIC pictures") from error
        register_heif_opener()
    return Pillow.open(file)


def _frames(picture: Pillow.Image, settings: ParseSettings, source: Source) -> Iterator[Pillow.Image]:
    """Yield the pages of a picture in the orientation that its EXIF data states; of an animation only the first."""
    count = getattr(picture, "n_frames", 1) if picture.format == "TIFF" else 1
    if count > settings.limits.pages:
        raise TooLarge(f"{count} pages, more than {settings.limits.pages}", ids=(source.uri,))
    total = 0
    for number in range(count):
        picture.seek(number)
        total += picture.width * picture.height * _BYTES_PER_PIXEL
        if total > settings.limits.total_mb * MEBIBYTE:
            raise TooLarge(f"more than {settings.limits.total_mb} MiB of pixels", ids=(source.uri,))
        yield ImageOps.exif_transpose(picture)


def _encoded(frame: Pillow.Image) -> bytes:
    out = io.BytesIO()
    (frame if frame.mode in ("1", "L", "RGB", "RGBA", "P") else frame.convert("RGB")).save(out, "PNG")
    return out.getvalue()


def _add_page(builder: DocumentBuilder, number: int, frame: Pillow.Image, image: Image) -> None:
    from pipelines.parse.ocr.engine import ocr_engine
    from pipelines.parse.ocr.pictures import pixels, read_page

    settings = builder.settings.ocr
    engine = ocr_engine(settings)
    read = read_page(number, lambda: pixels(frame), engine, settings, builder.task) if engine is not None else None
    issue = "OCR is switched off" if read is None else read.issue
    dpi = float(frame.info.get("dpi", (_USUAL_DPI,))[0]) or _USUAL_DPI
    width, height = frame.width * _POINTS / dpi, frame.height * _POINTS / dpi
    builder.page(Page(number, "", width, height, "ocr" if read and read.lines else "none", issue))
    builder.figure(image, Place(number))
    if read is not None and read.issue:
        builder.illegible(page_name(number))
    if read is not None and engine is not None:
        builder.remark(f"text by {engine.name}")
        _add_text(builder, number, read)


def _add_text(builder: DocumentBuilder, number: int, read: PictureText) -> None:
    for part in part_tables(read.lines, lambda rect: _box(number, rect, read)):
        if isinstance(part, ScanTable):
            builder.table(part.cells, _place(number, part.lines, read), confidence=_confidence(part.lines))
        else:
            _add_lines(builder, number, part, read)


def _add_lines(builder: DocumentBuilder, number: int, lines: Sequence[Line], read: PictureText) -> None:
    for column in read_columns(lines):
        for group in group_paragraphs(column):
            text = paragraph_text(group, max(line.rect.right for line in column))
            builder.paragraph(text, _place(number, group, read), _confidence(group))


def _place(number: int, group: Sequence[Line], read: PictureText) -> Place:
    return Place(number, boxes=(_box(number, around(line.rect for line in group), read),))


def _box(number: int, rect: Rect, read: PictureText) -> Box:
    return turned_box(rect.box(number, read.width, read.height), -read.turn)


def _confidence(group: Sequence[Line]) -> float:
    return sum(line.confidence for line in group) / len(group)


DPI = 80
"""Default dots per inch: a page of A4 is 660 pixels wide, half a screen."""
LARGEST = (1200, 1600)
"""Maximum width and height in pixels: twice what half a screen shows, for high-resolution screens."""
_DRAWN = frozenset(one.media_type for one in ImageReader.formats)
"""Raster pictures; vector drawings (SVG, DXF) are shown as their text."""


def drawable(media_type: str) -> bool:
    """Whether pages of this type can be rendered."""
    return media_type in (PDF, XPS) or media_type in _DRAWN


def draw_page(path: Path, media_type: str, number: int, passwords: tuple[str, ...] = (), dpi: float = DPI) -> bytes:
    """Return page `number` of a file, from 1, as PNG; empty if it cannot be rendered.

    `dpi` applies to PDF files; other pictures are scaled down to `LARGEST`.
    """
    if media_type in (PDF, XPS):
        return _draw_pdf(path, number, passwords, dpi)
    return _draw_image(path, media_type, number) if media_type in _DRAWN else b""


def _draw_pdf(path: Path, number: int, passwords: tuple[str, ...], dpi: float) -> bytes:
    from pipelines.parse.pdf.mupdf import PdfFile

    try:
        with PdfFile(path, passwords) as file:
            return file.render(number, max(1, int(dpi)))
    except (StrataError, RuntimeError, ValueError, IndexError):
        return b""  # the text of the page is shown without a picture


def _draw_image(path: Path, media_type: str, number: int) -> bytes:
    try:
        with _opened(path, media_type) as image:
            image.seek(number - 1)
            shown = image.convert("RGB")
    except (OSError, EOFError, ValueError, UnidentifiedImageError, MissingExtra):
        return b""
    shown.thumbnail(LARGEST)
    buffer = io.BytesIO()
    shown.save(buffer, "PNG")
    return buffer.getvalue()
