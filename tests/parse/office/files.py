"""Constructors of small Office files from handwritten XML."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_CONTENT = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/{part}" ContentType="application/vnd.openxmlformats-officedocument.{kind}.main+xml"/></Types>'
)
_W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
)
_X = (
    'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_P = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_ODF_PREFIX = "urn:oasis:names:tc:opendocument:xmlns:"
_ODF = " ".join(
    f'xmlns:{short}="{_ODF_PREFIX}{long}:1.0"'
    for short, long in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("style", "style"),
        ("svg", "svg-compatible"),
        ("presentation", "presentation"),
        ("chart", "chart"),
    )
)
_ODF += ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'

Relation = tuple[str, str, str]
"""Id, kind and target; a target with "://" is outside the file."""


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """Return a zip of parts."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return content.getvalue()


def relationships(relations: Sequence[Relation]) -> str:
    items = "".join(
        f'<Relationship Id="{id}" Type="{OFFICE}{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if "://" in target else "/>")
        for id, kind, target in relations
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{items}</Relationships>'
    )


def w(name: str, content: str) -> str:
    """Return a part of a Word document with its namespaces."""
    return f"<w:{name} {_W}>{content}</w:{name}>"


def docx(
    body: str, parts: Mapping[str, str | bytes] | None = None, relations: Sequence[Relation] = (), prologue: str = ""
) -> bytes:
    return packed(
        {
            "[Content_Types].xml": _CONTENT.format(part="word/document.xml", kind="wordprocessingml.document"),
            "_rels/.rels": relationships([("r1", "officeDocument", "word/document.xml")]),
            "word/document.xml": prologue + w("document", f"<w:body>{body}</w:body>"),
            "word/_rels/document.xml.rels": relationships(relations),
            **(parts or {}),
        }
    )


def p(text: str, style: str = "", properties: str = "") -> str:
    """Return a paragraph; a `text` that begins with a tag is inserted unchanged."""
    run = text if text.startswith("<") else f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'
    style = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{style}{properties}</w:pPr>{run}</w:p>"


def tc(content: str, properties: str = "") -> str:
    content = content if content.startswith("<") else p(content)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def tr(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def tbl(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def xlsx(
    *sheets: str,
    names: Sequence[str] = (),
    states: Sequence[str] = (),
    parts: Mapping[str, str | bytes] | None = None,
    relations: Sequence[Relation] = (),
    properties: str = "",
) -> bytes:
    """Return a workbook; each sheet is given as the content of its worksheet element."""
    names = names or [f"Sheet{number}" for number in range(1, len(sheets) + 1)]
    states = states or ["visible"] * len(sheets)
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}" state="{state}" r:id="s{number}"/>'
        for number, (name, state) in enumerate(zip(names, states, strict=True), 1)
    )
    links = [(f"s{number}", "worksheet", f"worksheets/sheet{number}.xml") for number in range(1, len(sheets) + 1)]
    return packed(
        {
            "[Content_Types].xml": _CONTENT.format(part="xl/workbook.xml", kind="spreadsheetml.sheet"),
            "_rels/.rels": relationships([("r1", "officeDocument", "xl/workbook.xml")]),
            "xl/workbook.xml": f"<workbook {_X}>{properties}<sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relationships([*links, *relations]),
            **{
                f"xl/worksheets/sheet{n}.xml": f"<worksheet {_X}>{text}</worksheet>" for n, text in enumerate(sheets, 1)
            },
            **(parts or {}),
        }
    )


def x(name: str, content: str) -> str:
    """Return a part of a workbook with its namespaces."""
    return f"<{name} {_X}>{content}</{name}>"


def rows(*lines: Sequence[str | float | None]) -> str:
    """Return the data of a sheet, starting at A1; numbers are stored as numbers, None skips a cell."""
    return f"<sheetData>{''.join(_row(number, line) for number, line in enumerate(lines, 1))}</sheetData>"


def _row(number: int, line: Sequence[str | float | None]) -> str:
    cells = "".join(_cell(f"{chr(65 + at)}{number}", value) for at, value in enumerate(line) if value is not None)
    return f'<row r="{number}">{cells}</row>'


def _cell(name: str, value: str | float) -> str:
    if isinstance(value, str):
        return f'<c r="{name}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{name}"><v>{value}</v></c>'


def pptx(*slides: str, parts: Mapping[str, str | bytes] | None = None, links: Sequence[Relation] = ()) -> bytes:
    """Return a presentation; each slide is given as the content of its shape tree, `links` are of the first slide."""
    listed = "".join(f'<p:sldId id="{255 + number}" r:id="s{number}"/>' for number in range(1, len(slides) + 1))
    targets = [(f"s{number}", "slide", f"slides/slide{number}.xml") for number in range(1, len(slides) + 1)]
    return packed(
        {
            "[Content_Types].xml": _CONTENT.format(part="ppt/presentation.xml", kind="presentationml.presentation"),
            "_rels/.rels": relationships([("r1", "officeDocument", "ppt/presentation.xml")]),
            "ppt/presentation.xml": f"<p:presentation {_P}><p:sldIdLst>{listed}</p:sldIdLst>"
            '<p:sldSz cx="10000" cy="10000"/></p:presentation>',
            "ppt/_rels/presentation.xml.rels": relationships(targets),
            **{f"ppt/slides/slide{number}.xml": slide(tree) for number, tree in enumerate(slides, 1)},
            "ppt/slides/_rels/slide1.xml.rels": relationships(links),
            **(parts or {}),
        }
    )


def slide(tree: str, attributes: str = "", root: str = "sld") -> str:
    return f"<p:{root} {_P} {attributes}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:{root}>"


def shape(*paragraphs: str, at: tuple[int, int, int, int] | None = None, kind: str = "") -> str:
    """Return a shape with text; `at` is left, top, width, height in a slide of 10,000 by 10,000."""
    place = ""
    if at is not None:
        place = f'<a:xfrm><a:off x="{at[0]}" y="{at[1]}"/><a:ext cx="{at[2]}" cy="{at[3]}"/></a:xfrm>'
    holder = f'<p:ph type="{kind}"/>' if kind else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="Shape"/><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:spPr>{place}</p:spPr>'
        f"<p:txBody><a:bodyPr/>{''.join(map(a, paragraphs))}</p:txBody></p:sp>"
    )


def a(text: str) -> str:
    """Return a paragraph of DrawingML; a `text` that begins with a tag is inserted unchanged."""
    return f"<a:p>{text if text.startswith('<') else f'<a:r><a:t>{text}</a:t></a:r>'}</a:p>"


def odf(kind: str, body: str, *, styles: str = "", parts: Mapping[str, str | bytes] | None = None) -> bytes:
    """Return an OpenDocument file; `kind` is text, spreadsheet or presentation, `styles` its automatic styles."""
    return packed(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {_ODF}>"
            f"<office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
            **(parts or {}),
        }
    )
