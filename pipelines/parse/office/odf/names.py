"""The namespaces of OpenDocument."""

from __future__ import annotations

_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
NAMESPACES = {
    "office": _ODF + "office:1.0",
    "text": _ODF + "text:1.0",
    "table": _ODF + "table:1.0",
    "draw": _ODF + "drawing:1.0",
    "style": _ODF + "style:1.0",
    "svg": _ODF + "svg-compatible:1.0",
    "fo": _ODF + "xsl-fo-compatible:1.0",
    "presentation": _ODF + "presentation:1.0",
    "chart": _ODF + "chart:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "dc": "http://purl.org/dc/elements/1.1/",
    "math": "http://www.w3.org/1998/Math/MathML",
}


def qualified(name: str) -> str:
    """Return "text:p" as lxml writes it."""
    prefix, _, local = name.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}"
