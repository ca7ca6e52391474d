"""Pictures inside Office files: their type and size by content."""

from __future__ import annotations

import io
import struct

from pipelines.parse.assemble import Image
from pipelines.parse.magic import binary_type

_EMF = b"\x01\x00\x00\x00"
_WMF = (b"\xd7\xcd\xc6\x9a", b"\x01\x00\x09\x00", b"\x02\x00\x09\x00")
_LARGEST_SIDE = 1 << 20


def image_of(data: bytes, text: str = "") -> Image:
    """Return a picture of these bytes; `text` is the alternative text that somebody wrote for it."""
    if not data:
        return Image(description=text)
    media_type = media_type_of(data)
    width, height = _size(data, media_type)
    return Image(data, media_type, width, height, description=text)


def media_type_of(data: bytes) -> str:
    """Return the media type of a picture by its first bytes, "application/octet-stream" where they tell none."""
    if data[:4] == _EMF and data[40:44] == b" EMF":
        return "image/emf"
    if data.startswith(_WMF):
        return "image/wmf"
    head = data[:1024].lstrip()
    if head.startswith((b"<svg", b"<?xml")) and b"<svg" in head:
        return "image/svg+xml"
    return binary_type(data[:1024]) or "application/octet-stream"


def _size(data: bytes, media_type: str) -> tuple[int, int]:
    """Return width and height in pixels, 0 where the header does not tell; nothing is decoded."""
    if media_type == "image/emf":
        left, top, right, bottom = struct.unpack_from("<4i", data, 8)
        return _sane(right - left), _sane(bottom - top)
    if not media_type.startswith("image/") or media_type in ("image/wmf", "image/svg+xml"):
        return 0, 0
    import warnings

    import PIL.Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PIL.Image.DecompressionBombWarning)
            with PIL.Image.open(io.BytesIO(data)) as picture:
                return picture.size
    except (OSError, ValueError, SyntaxError, PIL.Image.DecompressionBombError):
        return 0, 0


def _sane(pixels: int) -> int:
    return pixels if 0 < pixels < _LARGEST_SIDE else 0
