"""Pictures in HTML: those that stand in the page itself as `data:` addresses, and what is told of the others."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from pipelines.parse.assemble import Image
from pipelines.parse.web.dom import Element

_FILE_NAME = re.compile(r"\S{1,200}\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)", re.IGNORECASE)
_DATA = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w=.+-]+)*),", re.IGNORECASE)


Resolver = Callable[[str], tuple[str, bytes]]
"""Gives media type and bytes of what came with a page (a part of a mail, a file in a book), else no bytes."""


def no_files(address: str) -> tuple[str, bytes]:
    return "image/png", b""


def image_of(element: Element, resolve: Resolver = no_files) -> Image:
    """Return the picture of an `img`: its bytes if the page brings them, its alternative text as description."""
    address = source_of(element)
    media_type, data = inline_data(address) if address.startswith("data:") else resolve(address)
    described = " ".join((element.get("alt") or element.get("title") or "").split())
    if described == address or _FILE_NAME.fullmatch(described):  # what a program puts there for want of a text
        described = ""
    return Image(data, media_type, _pixels(element, "width"), _pixels(element, "height"), description=described)


def source_of(element: Element) -> str:
    """Return the address of an `img`; pages that load late keep it elsewhere."""
    address = (element.get("src") or "").strip()
    if not address or (address.startswith("data:") and element.get("data-src")):
        address = (element.get("data-src") or element.get("srcset", "").split(" ")[0]).strip()
    return address


def inline_data(address: str) -> tuple[str, bytes]:
    """Return media type and bytes of a `data:` address (RFC 2397), no bytes for any other or a broken one."""
    match = _DATA.match(address)
    if match is None:
        return "image/png", b""
    media_type = (match.group(1) or "text/plain").lower()
    payload = address[match.end() :]
    if "base64" not in match.group(2).lower():
        return media_type, unquote_to_bytes(payload)
    try:
        return media_type, base64.b64decode("".join(payload.split()) + "==", validate=False)
    except (binascii.Error, ValueError):
        return media_type, b""


def is_tracker(element: Element) -> bool:
    """Whether a picture is a pixel that counts readers."""
    return _pixels(element, "width") == 1 or _pixels(element, "height") == 1


def _pixels(element: Element, name: str) -> int:
    value = (element.get(name) or "").strip().removesuffix("px")
    return int(value) if value.isdecimal() and len(value) < 6 else 0
