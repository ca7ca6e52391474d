"""What stands inside running text of HTML: text with its links, controls, pictures, labels of SVG, formulas."""

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
from pipelines.parse.web.dom import Element, text_of

EXPONENT: Final = re.compile(r"[-+−–]?\d+")
_SPACE = re.compile(r"[ \t\r\n\f]+")
CONTROLS: Final = frozenset({"input", "select", "textarea"})
_SAID: Final = ("title", "desc")
_LABELS: Final = ("text", "foreignobject")
_TICKED: Final = frozenset({"checkbox", "radio"})
_UNTYPED: Final = frozenset({"hidden", "submit", "button", "image", "reset", "password", "file", "range", "color"})
_FILE_NAME = re.compile(r"\S{1,200}\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)", re.IGNORECASE)
_DATA = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w=.+-]+)*),", re.IGNORECASE)


Resolver = Callable[[str], tuple[str, bytes]]
"""Gives media type and bytes of what came with a page (a part of a mail, a file in a book), else no bytes."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a link points, as written, and its text."""

    target: str
    text: str


class Inline:
    """Gathers text until it is taken; what was taken is gone from it."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._open: list[tuple[str, int]] = []
        self._links: list[Anchor] = []

    def text(self, text: str | None, *, verbatim: bool = False) -> None:
        """Add text; its white space collapses but where it is `verbatim`."""
        if text:
            self._parts.append(text if verbatim else _SPACE.sub(" ", text))

    def line_break(self) -> None:
        self._parts.append("\n")

    def ends_in_digit(self) -> bool:
        """Whether digits that follow would go on with a number."""
        return bool(self._parts) and self._parts[-1][-1:].isdecimal()

    def open_link(self, target: str) -> None:
        self._open.append((target, len(self._parts)))

    def close_link(self) -> None:
        """End the link opened last; one without text keeps its target as its text's place."""
        if self._open:
            target, start = self._open.pop()
            self._links.append(Anchor(target, _tidy("".join(self._parts[start:]))))

    def link(self, target: str, text: str) -> None:
        """Add a link whose text does not stand in the running text (a picture, a frame)."""
        self._links.append(Anchor(target, text))

    def take(self, *, verbatim: bool = False) -> str:
        """Return the text gathered so far; links that are open go on in what follows."""
        text = "".join(self._parts)
        self._parts.clear()
        self._open = [(target, 0) for target, _ in self._open]
        return text if verbatim else _tidy(text)

    def take_links(self) -> list[Anchor]:
        """Return the links closed so far."""
        links, self._links = self._links, []
        return links


def _tidy(text: str) -> str:
    return "\n".join(_SPACE.sub(" ", line).strip(" ") for line in text.split("\n")).strip()


def control_text(control: Element) -> str:
    """Return what a control shows that somebody has set, empty for one left as it was, and for buttons."""
    kind = (control.get("type") or "text").lower()
    if control.tag == "textarea":
        return (control.text or "").strip()
    if control.tag == "select":
        return ", ".join(text_of(option) for option in control.iter("option") if option.get("selected") is not None)
    if kind in _TICKED:
        return "☒" if control.get("checked") is not None else "☐"
    return "" if kind in _UNTYPED else (control.get("value") or "").strip()


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
    return media_type, decoded(payload)


def decoded(payload: str) -> bytes:
    """Return the bytes that base64 stands for, none where it is broken."""
    try:
        return base64.b64decode("".join(payload.split()) + "==", validate=False)
    except (binascii.Error, ValueError):
        return b""


def is_tracker(element: Element) -> bool:
    """Whether a picture is a pixel that counts readers."""
    return _pixels(element, "width") == 1 or _pixels(element, "height") == 1


def _pixels(element: Element, name: str) -> int:
    value = (element.get(name) or "").strip().removesuffix("px")
    # Five digits: no picture is wider.
    return int(value) if value.isdecimal() and len(value) < 6 else 0


def told_of(root: Element) -> list[str]:
    """Return the title and the description of the drawing itself."""
    return [text for child in root if _local_name(child) in _SAID and (text := _label(child))]


def labels_of(root: Element) -> list[str]:
    """Return the labels in the order of the file, one that is made of several lines as one."""
    return [text for element in root.iter() if _local_name(element) in _LABELS and (text := _label(element))]


def _local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _label(element: Element) -> str:
    """Return all text below an element; spans that make lines are parted, those within a word are not."""
    parts = [text for text in element.itertext() if isinstance(text, str)]
    placed = any(child.get("y") or child.get("dy") for child in element if isinstance(child.tag, str))
    return " ".join((" " if placed else "").join(parts).split())


_HIDDEN = ("annotation", "annotation-xml")


def math_text(element: etree._Element) -> str:
    """Return what a `math` element says; empty for an empty one."""
    for annotation in element.iter("{*}annotation"):
        if "tex" in annotation.get("encoding", "").lower():
            return _line(annotation.text or "")
    return _line(element.get("alttext", "")) or _linear(element)


def _line(text: str) -> str:
    return " ".join(text.split())


def _linear(root: etree._Element) -> str:
    """Write the tree out from its leaves up, without recursion."""
    written: dict[etree._Element, str] = {}
    for _, element in etree.iterwalk(root, events=("end",)):
        if isinstance(element.tag, str):
            parts = [written.pop(child, "") for child in element]
            written[element] = _write(etree.QName(element).localname, _line(element.text or ""), parts)
    return _line(written.get(root, ""))


def _write(name: str, text: str, parts: list[str]) -> str:
    if name in _HIDDEN:
        return ""
    write = _WRITTEN.get((name, len(parts)))
    if write is not None:
        return write(*map(_group, parts))
    joined = " ".join(part for part in (text, *parts) if part)
    if name == "msqrt":
        return f"√({joined})"
    return ", ".join(parts) + "; " if name == "mtr" else joined


def _group(part: str) -> str:
    return f"({part})" if " " in part else part


# Elements of MathML 3 by the number of their children (3.3.2, 3.3.3, 3.4).
_WRITTEN: dict[tuple[str, int], Callable[..., str]] = {
    ("mfrac", 2): "{}/{}".format,
    ("msub", 2): "{}_{}".format,
    ("munder", 2): "{}_{}".format,
    ("msup", 2): "{}^{}".format,
    ("mover", 2): "{}^{}".format,
    ("msubsup", 3): "{}_{}^{}".format,
    ("munderover", 3): "{}_{}^{}".format,
    ("mroot", 2): "root({}, {})".format,
}
