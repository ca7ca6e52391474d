"""XPS files, which Windows prints to: pages with text, boxes and headings, as of a PDF file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import reportlab

from pipelines.core.document import BlockKind, Document
from pipelines.core.outcome import Status
from pipelines.parse.image import draw_page
from tests.hostile.made import zipped
from tests.parse.conftest import ParseBytes

TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="fdseq" ContentType="application/vnd.ms-package.xps-fixeddocumentsequence+xml"/>'
    '<Default Extension="fdoc" ContentType="application/vnd.ms-package.xps-fixeddocument+xml"/>'
    '<Default Extension="fpage" ContentType="application/vnd.ms-package.xps-fixedpage+xml"/>'
    '<Default Extension="ttf" ContentType="application/vnd.ms-opentype"/></Types>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="R"'
    ' Type="http://schemas.microsoft.com/xps/2005/06/fixedrepresentation" Target="/all.fdseq"/></Relationships>'
)
XPS = 'xmlns="http://schemas.microsoft.com/xps/2005/06"'
GLYPHS = (
    '<Glyphs Fill="#ff000000" FontUri="/font.ttf" FontRenderingEmSize="{}" OriginX="60" OriginY="{}"'
    ' UnicodeString="{}"/>'
)
FONT = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"


def xps(*pages: tuple[tuple[int, str], ...]) -> bytes:
    """Return an XPS file whose pages have lines of text of some size in pixels."""
    members = {
        "[Content_Types].xml": TYPES.encode(),
        "_rels/.rels": RELATIONS.encode(),
        "font.ttf": FONT.read_bytes(),
    }
    document = f'<FixedDocumentSequence {XPS}><DocumentReference Source="/a.fdoc"/></FixedDocumentSequence>'
    members["all.fdseq"] = document.encode()
    names = "".join(f'<PageContent Source="/{number}.fpage"/>' for number in range(len(pages)))
    members["a.fdoc"] = f"<FixedDocument {XPS}>{names}</FixedDocument>".encode()
    for number, lines in enumerate(pages):
        text = "".join(GLYPHS.format(size, 100 + 60 * place, line) for place, (size, line) in enumerate(lines))
        page = f'<FixedPage {XPS} Width="816" Height="1056" xml:lang="en">{text}</FixedPage>'
        members[f"{number}.fpage"] = page.encode()
    return zipped(members)


FILE = xps(
    (
        (32, "Relief valve"),
        (16, "The valve opens at 45 bar, and closes again below 40 bar."),
        (16, "It has no spring."),
    ),
    ((16, "Turn the handwheel until the indicator is at zero."),),
)


def test_an_xps_file_is_read_page_by_page(document_of: Callable[..., Document]) -> None:
    document = document_of("valve.oxps", FILE)
    assert document.source.media_type == "application/vnd.ms-xpsdocument"
    assert document.title == "Relief valve"
    found = [(block.kind, block.text, block.provenance.page) for block in document.blocks]
    assert found[-1] == (BlockKind.PARAGRAPH, "Turn the handwheel until the indicator is at zero.", 2)
    assert "The valve opens at 45 bar, and closes again below 40 bar." in document.text
    assert all(block.provenance.boxes for block in document.blocks)


def test_a_page_of_an_xps_file_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "valve.xps"
    path.write_bytes(FILE)
    assert draw_page(path, "application/vnd.ms-xpsdocument", 2).startswith(b"\x89PNG")


def test_a_broken_xps_file_is_not_called_a_pdf(parse_bytes: ParseBytes) -> None:
    with zipfile.ZipFile(io.BytesIO(FILE)) as whole:
        parts = {name: whole.read(name) for name in whole.namelist() if not name.endswith(".fpage")}
    parsed = parse_bytes("valve.oxps", zipped(parts))
    assert parsed.status is Status.MALFORMED
    assert parsed.reason.startswith("not a readable XPS file")
