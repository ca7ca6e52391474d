"""Formulas in HTML as one line of text: their TeX where the page has it, else MathML written out."""

from __future__ import annotations

from lxml import etree

_INFIX = {"mfrac": "/", "msub": "_", "msup": "^", "munder": "_", "mover": "^"}
_SCRIPTS = ("msubsup", "munderover")
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
    if name in _INFIX and len(parts) == 2:
        return f"{_group(parts[0])}{_INFIX[name]}{_group(parts[1])}"
    if name in _SCRIPTS and len(parts) == 3:
        return f"{_group(parts[0])}_{_group(parts[1])}^{_group(parts[2])}"
    if name == "msqrt":
        return f"√({' '.join(parts)})"
    if name == "mroot" and len(parts) == 2:
        return f"root({parts[0]}, {parts[1]})"
    if name == "mtr":
        return ", ".join(parts) + "; "
    return " ".join(part for part in (text, *parts) if part)


def _group(part: str) -> str:
    return f"({part})" if " " in part else part
