"""Inline content of HTML: text with links, form controls, pictures, labels of SVG drawings, formulas."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_to_bytes

from lxml import etree

from pipelines.parse.assemble import Image
from pipelines.parse.web.dom import Element

EXPONENT: Final = re.compile(r"[-+−–]?\d+")
_SPACE = re.compile(r"[ \t\r\n\f]+")
_DESCRIPTIONS: Final = ("title", "desc")
_LABELS: Final = ("text", "foreignobject")
_FILE_NAME = re.compile(r"\S{1,200}\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)", re.IGNORECASE)
_DATA = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w=.+-]+)*),", re.IGNORECASE)


Resolver = Callable[[str], tuple[str, bytes]]
"""Returns media type and bytes of a page's picture (a part of a mail, a file in a book), or no bytes if unknown."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A link: its target as written, and its text."""

    target: str
    text: str


class Inline:
    """Collects text and links until they are taken."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._open: list[tuple[str, int]] = []
        self._links: list[Anchor] = []

    def text(self, text: str | None, *, verbatim: bool = False) -> None:
        """Add text; white space is collapsed unless it is `verbatim`."""
        if text:
            self._parts.append(text if verbatim else _SPACE.sub(" ", text))

    def line_break(self) -> None:
        self._parts.append("\n")

    def end_label(self) -> None:
        """Put a colon behind the text collected so far, unless it ends with a sign."""
        while self._parts and not self._parts[-1].strip(" "):
            self._parts.pop()
        label = self._parts.pop().rstrip(" ") if self._parts else ""
        self._parts.append(f"{label}:" if label[-1:].isalnum() or label.endswith(")") else label)

    def ends_in_digit(self) -> bool:
        """Whether digits added now would continue a number."""
        return bool(self._parts) and self._parts[-1][-1:].isdecimal()

    def open_link(self, target: str) -> None:
        self._open.append((target, len(self._parts)))

    def close_link(self) -> None:
        """Close the link opened last."""
        if self._open:
            target, start = self._open.pop()
            self._links.append(Anchor(target, _tidy("".join(self._parts[start:]))))

    def link(self, target: str, text: str) -> None:
        """Add a link whose text is not part of the running text (a picture, a frame)."""
        self._links.append(Anchor(target, text))

    def take(self, *, verbatim: bool = False) -> str:
        """Return and remove the text collected so far; open links continue in the text that follows."""
        text = "".join(self._parts)
        self._parts.clear()
        self._open = [(target, 0) for target, _ in self._open]
        return text if verbatim else _tidy(text)

    def take_links(self) -> list[Anchor]:
        """Return and remove the links closed so far."""
        links, self._links = self._links, []
        return links


def _tidy(text: str) -> str:
    return "\n".join(_SPACE.sub(" ", line).strip(" ") for line in text.split("\n")).strip()


def no_files(address: str) -> tuple[str, bytes]:
    return "image/png", b""


def image_of(element: Element, resolve: Resolver = no_files) -> Image:
    """Return the picture of an `img`: its bytes if available, and its alternative text as description."""
    address = source_of(element)
    media_type, data = inline_data(address) if address.startswith("data:") else resolve(address)
    described = alternative_text(element)
    return Image(data, media_type, _pixels(element, "width"), _pixels(element, "height"), description=described)


def alternative_text(image: Element) -> str:
    """Return what an `img` says to those who do not see it; empty for a placeholder written by a program."""
    described = " ".join((image.get("alt") or image.get("title") or "").split())
    return "" if described == source_of(image) or _FILE_NAME.fullmatch(described) else described


def source_of(element: Element) -> str:
    """Return the address of an `img`; pages with lazy loading store it in other attributes."""
    address = (element.get("src") or "").strip()
    if not address or (address.startswith("data:") and element.get("data-src")):
        address = (element.get("data-src") or element.get("srcset", "").split(" ")[0]).strip()
    return address


def inline_data(address: str) -> tuple[str, bytes]:
    """Return media type and bytes of a `data:` address (RFC 2397); no bytes for any other or broken address."""
    match = _DATA.match(address)
    if match is None:
        return "image/png", b""
    media_type = (match.group(1) or "text/plain").lower()
    payload = address[match.end() :]
    if "base64" not in match.group(2).lower():
        return media_type, unquote_to_bytes(payload)
    return media_type, base64_bytes(payload)


def base64_bytes(payload: str) -> bytes:
    """Return the decoded base64 data, or no bytes if it is broken."""
    try:
        return base64.b64decode("".join(payload.split()) + "==", validate=False)
    except (binascii.Error, ValueError):
        return b""


def is_tracker(element: Element) -> bool:
    """Whether a picture is a tracking pixel."""
    return _pixels(element, "width") == 1 or _pixels(element, "height") == 1


def _pixels(element: Element, name: str) -> int:
    value = (element.get(name) or "").strip().removesuffix("px")
    # No picture has more than five digits of pixels.
    return int(value) if value.isdecimal() and len(value) < 6 else 0


def descriptions_of(root: Element) -> list[str]:
    """Return the title and the description of an SVG drawing."""
    return [text for child in root if _local_name(child) in _DESCRIPTIONS and (text := _label(child))]


def labels_of(root: Element) -> list[str]:
    """Return the labels of an SVG drawing in file order; a label of several lines is one text."""
    return [text for element in root.iter() if _local_name(element) in _LABELS and (text := _label(element))]


def _local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _label(element: Element) -> str:
    """Return the text of a label; its spans are separated by spaces only if they are positioned as lines."""
    placed = any(child.get("y") or child.get("dy") for child in element if isinstance(child.tag, str))
    return " ".join((" " if placed else "").join(element.itertext()).split())


_HIDDEN = ("annotation", "annotation-xml")


def math_text(element: etree._Element) -> str:
    """Return the text of a `math` element: TeX, alternative text, or its content in linear form."""
    for annotation in element.iter("{*}annotation"):
        if "tex" in annotation.get("encoding", "").lower():
            return _line(annotation.text or "")
    return _line(element.get("alttext", "")) or _linear(element)


def _line(text: str) -> str:
    return " ".join(text.split())


def _linear(root: etree._Element) -> str:
    """Return a MathML tree in linear form, from the leaves up, without recursion."""
    written: dict[etree._Element, str] = {}
    for _, element in etree.iterwalk(root, events=("end",)):
        if isinstance(element.tag, str):
            parts = [written.pop(child, "") for child in element]
            written[element] = _write(etree.QName(element).localname, _line(element.text or ""), parts)
    return _line(written.get(root, ""))


def _write(name: str, text: str, parts: list[str]) -> str:
    if name in _HIDDEN:
        return ""
    template = _TEMPLATES.get((name, len(parts)))
    if template is not None:
        return template(*map(_group, parts))
    joined = " ".join(part for part in (text, *parts) if part)
    if name == "msqrt":
        return f"√({joined})"
    return ", ".join(parts) + "; " if name == "mtr" else joined


def _group(part: str) -> str:
    return f"({part})" if " " in part else part


# Elements of MathML 3 with the number of their children (3.3.2, 3.3.3, 3.4).
_TEMPLATES: dict[tuple[str, int], Callable[..., str]] = {
    ("mfrac", 2): "{}/{}".format,
    ("msub", 2): "{}_{}".format,
    ("munder", 2): "{}_{}".format,
    ("msup", 2): "{}^{}".format,
    ("mover", 2): "{}^{}".format,
    ("msubsup", 3): "{}_{}^{}".format,
    ("munderover", 3): "{}_{}^{}".format,
    ("mroot", 2): "root({}, {})".format,
}
