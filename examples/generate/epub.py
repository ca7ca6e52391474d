"""Packs the operator handbook into an EPUB 3 file with a table of contents."""

from __future__ import annotations

import io
import re
import zipfile

from . import blocks, zips

TITLE = "Operator Handbook for Pumps and Compressors"
CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">
<head><title>{title}</title><link rel="stylesheet" type="text/css" href="style.css"/></head>
<body>
{body}</body>
</html>
"""
PACKAGE = """<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:kestrin:OH-02</dc:identifier>
<dc:title>{title}</dc:title>
<dc:language>en</dc:language>
<dc:creator>Kestrin Pumps B.V., Service</dc:creator>
<dc:date>2024-12-16</dc:date>
<meta property="dcterms:modified">2024-12-16T09:00:00Z</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="style" href="style.css" media-type="text/css"/>
{items}
</manifest>
<spine>{spine}</spine>
</package>
"""
STYLE = """body { font-family: serif; line-height: 1.4; }
h1, h2 { color: #1f4e79; font-family: sans-serif; }
table { border-collapse: collapse; }
th, td { border: 1px solid #999; padding: 0.3em; text-align: left; }
"""


def render() -> bytes:
    """The EPUB file of the operator handbook."""
    chapters = [(path.name, path.read_text("utf-8")) for path in sorted((blocks.CONTENT / "handbook").iterdir())]
    titles = {name: _title(body) for name, body in chapters}
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as out:
        zips.write(out, "mimetype", "application/epub+zip", stored=True)
        zips.write(out, "META-INF/container.xml", CONTAINER)
        zips.write(out, "OEBPS/book.opf", _package(titles))
        zips.write(out, "OEBPS/nav.xhtml", _navigation(titles))
        zips.write(out, "OEBPS/style.css", STYLE)
        for name, body in chapters:
            zips.write(out, f"OEBPS/{name}", PAGE.format(title=titles[name], body=body))
    return target.getvalue()


def _title(body: str) -> str:
    match = re.search(r"<h1>(.+?)</h1>", body)
    assert match, "a chapter begins with a heading"
    return match[1]


def _package(titles: dict[str, str]) -> str:
    items = "\n".join(
        f'<item id="c{number}" href="{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(titles, 1)
    )
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(1, len(titles) + 1))
    return PACKAGE.format(title=TITLE, items=items, spine=spine)


def _navigation(titles: dict[str, str]) -> str:
    entries = "".join(f'<li><a href="{name}">{title}</a></li>\n' for name, title in titles.items())
    body = f'<nav epub:type="toc"><h1>Contents</h1><ol>\n{entries}</ol></nav>\n'
    return PAGE.format(title=TITLE, body=body)
