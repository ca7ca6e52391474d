"""Pictures (PNG, JPEG, TIFF with pages, HEIC and others) read by OCR; and pages of files rendered as pictures."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image as Pillow
from PIL import ImageFile, ImageOps, UnidentifiedImageError

from pipelines.core.document import Source
from pipelines.core.errors import Malformed, MissingExtra, StrataError, TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.limits import MEBIBYTE
from pipelines.parse.magic import DJVU, PDF, POSTSCRIPT, XPS
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings

_HEIC = "image/heic"
_FAULTS = (OSError, SyntaxError, ValueError, EOFError)
"""Errors of Pillow for a damaged picture."""
_BYTES_PER_PIXEL = 4
"""Red, green, blue and alpha."""
_ORIENTATION = 0x0112
"""Tag of the orientation in EXIF 2.32, 4.6.4."""
_PAGE_SIDES = 5.5, 17.0
"""Longer side of a page in inches, from A6 to A3. Cameras state 72 pixels per inch whatever the size; of what is
smaller, OCR gets all pixels."""


class ImageReader:
    """Reads each frame of a picture as a scanned page: its text in reading order, and the picture as a figure."""

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
                return _read_or_salvage(data, source, settings)
        except Pillow.DecompressionBombError as error:
            raise TooLarge(f"a picture of too many pixels: {error}", ids=(source.uri,)) from error
        except UnidentifiedImageError as error:
            # The message of the error has the address of the data in memory.
            raise Malformed("not a readable picture: cannot identify its format", ids=(source.uri,)) from error
        except _FAULTS as error:
            raise Malformed(f"not a readable picture: {error}", ids=(source.uri,)) from error


def _read_or_salvage(data: bytes, source: Source, settings: ParseSettings) -> Parsed:
    """Read a picture; of a damaged one, the pixels before the damage, as PARTIAL."""
    try:
        return _read(data, source, settings)
    except (UnidentifiedImageError, Pillow.DecompressionBombError):
        raise
    except _FAULTS as error:
        with _damage_allowed():
            parsed = _read(data, source, settings)
        if parsed.document is None:
            raise
        return parsed.in_part(f"damaged, and read as far as it goes: {error}")


@contextlib.contextmanager
def _damage_allowed() -> Iterator[None]:
    """Let Pillow load the pixels of a picture before the damage, instead of raising an error."""
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False


def _read(data: bytes, source: Source, settings: ParseSettings) -> Parsed:
    """Read a picture as a PDF file with a page for each frame, so that a scan is read alike in both."""
    from pipelines.parse.pdf.mupdf import PdfFile, write_pictures
    from pipelines.parse.pdf.reader import append_pages

    builder = DocumentBuilder(source, settings, ImageReader().name, hurried=False)
    with TemporaryDirectory(prefix="strata-") as folder, _opened(io.BytesIO(data), source.media_type) as picture:
        kept = data if source.media_type == "image/jpeg" and picture.getexif().get(_ORIENTATION, 1) == 1 else b""
        frames = _frames(picture, settings, source)
        path = Path(folder) / "pictures.pdf"
        write_pictures(path, ((kept or _encoded(frame), *_points(frame, settings.ocr.dpi)) for frame in frames))
        with PdfFile(path) as file:
            append_pages(file, builder)
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
    count = _count(picture)
    if count > settings.limits.pages:
        raise TooLarge(f"{count} pages, more than {settings.limits.pages}", ids=(source.uri,))
    total = 0
    for number in range(count):
        picture.seek(number)
        total += picture.width * picture.height * _BYTES_PER_PIXEL
        if total > settings.limits.total_mb * MEBIBYTE:
            raise TooLarge(f"more than {settings.limits.total_mb} MiB of pixels", ids=(source.uri,))
        yield ImageOps.exif_transpose(picture)


def _count(picture: Pillow.Image) -> int:
    """Return the number of pages, of a damaged picture those before the damage."""
    if picture.format != "TIFF":
        return 1
    if not ImageFile.LOAD_TRUNCATED_IMAGES:
        try:
            return int(getattr(picture, "n_frames", 1))
        except TypeError as error:  # a page without a size
            raise ValueError(str(error)) from error
    count = 1
    with contextlib.suppress(*_FAULTS, TypeError):
        while True:
            picture.seek(count)
            picture.load()
            count += 1
    picture.seek(0)
    return count


def _encoded(frame: Pillow.Image) -> bytes:
    from pipelines.parse.ocr.pictures import pixels

    out = io.BytesIO()
    (frame if frame.mode in ("1", "L", "RGB") else Pillow.fromarray(pixels(frame))).save(out, "PNG")
    return out.getvalue()


def _points(frame: Pillow.Image, least_dpi: float) -> tuple[float, float]:
    """Return the size of a frame in points, by the pixels per inch that it states if these make a page.

    They are at least `least_dpi`, that of OCR, so that no pixels are added.
    """
    stated = float(frame.info.get("dpi", (0,))[0])
    shortest, longest = _PAGE_SIDES
    is_page = stated >= least_dpi and shortest * stated <= max(frame.size) <= longest * stated
    dpi = stated if is_page else least_dpi
    # 72 points per inch.
    return 72 * frame.width / dpi, 72 * frame.height / dpi


DPI = 80
"""Default dots per inch: a page of A4 is 660 pixels wide, half a screen."""
LARGEST = (1200, 1600)
"""Maximum width and height in pixels: twice what half a screen shows, for high-resolution screens."""
_DRAWN = frozenset(one.media_type for one in ImageReader.formats)
"""Raster pictures; vector drawings (SVG, DXF) are shown as their text."""


def drawable(media_type: str) -> bool:
    """Whether pages of this type can be rendered."""
    return media_type in (PDF, XPS, POSTSCRIPT, DJVU) or media_type in _DRAWN


def draw_page(path: Path, media_type: str, number: int, passwords: tuple[str, ...] = (), dpi: float = DPI) -> bytes:
    """Return page `number` of a file, from 1, as PNG; empty if it cannot be rendered.

    `dpi` applies to PDF files, and what is converted to PDF; other pictures are scaled down to `LARGEST`.
    """
    if media_type in (PDF, XPS):
        return _draw_pdf(path, number, passwords, dpi)
    if media_type in (POSTSCRIPT, DJVU):
        return _draw_converted(path, media_type, number, dpi)
    return _draw_image(path, media_type, number) if media_type in _DRAWN else b""


def _draw_pdf(path: Path, number: int, passwords: tuple[str, ...], dpi: float) -> bytes:
    from pipelines.parse.pdf.mupdf import PdfFile

    try:
        with PdfFile(path, passwords) as file:
            return file.render(number, max(1, int(dpi)))
    except (StrataError, RuntimeError, ValueError, IndexError):
        return b""  # the text of the page is shown without a picture


def _draw_converted(path: Path, media_type: str, number: int, dpi: float) -> bytes:
    from pipelines.parse.pdf.converted import convert

    try:
        with TemporaryDirectory(prefix="strata-") as folder:
            page = convert(path, Path(folder), Source(path.name, media_type, 0, ""), number)
            return _draw_pdf(page, 1, (), dpi)
    except StrataError:
        return b""


def _draw_image(path: Path, media_type: str, number: int) -> bytes:
    try:
        with _damage_allowed(), _opened(path, media_type) as image:
            image.seek(number - 1)
            shown = image.convert("RGB")
    except (OSError, EOFError, ValueError, UnidentifiedImageError, MissingExtra):
        return b""
    shown.thumbnail(LARGEST)
    buffer = io.BytesIO()
    shown.save(buffer, "PNG")
    return buffer.getvalue()
