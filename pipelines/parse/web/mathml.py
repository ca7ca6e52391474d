"""Formulas in HTML as one line of text: their TeX where the page has it, else MathML written out."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

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
