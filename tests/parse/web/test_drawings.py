"""Drawings and models that are text files: diagrams of diagrams.net, STEP, IGES, STL."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable
from urllib.parse import quote

import pytest

from pipelines.core.document import Document
from pipelines.core.outcome import Status
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, ParseSettings
from tests.parse.pieces import pieces, texts

Read = Callable[..., Document]
_SHAPES = (
    '<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/><mxCell id="g" value="Plant" vertex="1" parent="1">'
    '<mxGeometry x="0" y="300" as="geometry"/></mxCell><mxCell id="a" value="&lt;b&gt;Pressure&lt;/b&gt;&lt;br&gt;'
    'over 4 bar?" vertex="1" parent="g"><mxGeometry x="10" y="10" as="geometry"/></mxCell>'
    '<object label="Open valve V3" id="b"><mxCell vertex="1" parent="1">'
    '<mxGeometry x="10" y="20" as="geometry"/></mxCell></object><mxCell id="e" edge="1"'
    ' source="b" target="a" parent="1"><mxGeometry relative="1" as="geometry"/></mxCell><mxCell id="l" value="then"'
    ' vertex="1" parent="e"><mxGeometry relative="1" as="geometry"/></mxCell></root></mxGraphModel>'
)


def test_a_diagram_has_its_texts_from_top_to_bottom_and_its_connections(document_of: Read) -> None:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = base64.b64encode(packer.compress(quote(_SHAPES).encode()) + packer.flush()).decode()
    expected = [
        ("paragraph", 0, "Open valve V3"),
        ("paragraph", 0, "Plant"),
        ("paragraph", 0, "Pressure over 4 bar?"),
        ("list_item", 1, "Open valve V3 → Pressure over 4 bar? (then)"),
    ]
    for page in (_SHAPES, packed):
        document = document_of("a.drawio", f'<mxfile><diagram name="Start">{page}</diagram></mxfile>')
        assert pieces(document) == [("heading", 1, "Start"), *expected]
        assert document.source.media_type == "application/vnd.jgraph.mxfile"


def test_a_page_of_a_diagram_that_cannot_be_unpacked_is_reported(parse_bytes: Callable[..., Parsed]) -> None:
    pages = f'<diagram name="A">{_SHAPES}</diagram><diagram name="B">@@@@</diagram>'
    parsed = parse_bytes("a.drawio", f"<mxfile>{pages}</mxfile>")
    assert (parsed.status, parsed.reason) == (Status.PARTIAL, "a page of the diagram cannot be unpacked")
    assert parsed.document is not None
    assert "Plant" in parsed.document.text


def test_a_packed_page_of_a_diagram_that_is_cut_short_is_partial(parse_bytes: Callable[..., Parsed]) -> None:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = packer.compress(quote(_SHAPES).encode()) + packer.flush()
    page = base64.b64encode(packed[: len(packed) * 3 // 4]).decode()
    parsed = parse_bytes("a.drawio", f'<mxfile><diagram name="Start">{page}</diagram></mxfile>')
    assert parsed.status is Status.PARTIAL
    assert parsed.reason.startswith("broken XML, read as far as it goes")


@pytest.mark.parametrize("page", ["@@@@", "Grüße", "7V1bc6O2Fv41", base64.b64encode(b"\x01\x02").decode()])
def test_damaged_pages_of_a_diagram_do_not_fail_it(parse_bytes: Callable[..., Parsed], page: str) -> None:
    parsed = parse_bytes("a.drawio", f'<mxfile><diagram name="A">{page}</diagram></mxfile>')
    assert parsed.status in (Status.PARTIAL, Status.MALFORMED), parsed


def test_a_page_that_unpacks_beyond_the_limit_is_too_large(parse_bytes: Callable[..., Parsed]) -> None:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    page = base64.b64encode(packer.compress(b" " * 4_000_000) + packer.flush()).decode()
    settings = ParseSettings(limits=Limits(output_mb=1))
    parsed = parse_bytes("a.drawio", f"<mxfile><diagram>{page}</diagram></mxfile>", settings)
    assert parsed.status is Status.TOO_LARGE


def test_a_step_file_has_its_header_parts_and_assemblies(document_of: Read) -> None:
    document = document_of(
        "a.stp",
        "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('Bracket; ''new'''),'2;1');\nFILE_NAME('a.stp','2023-04-01',"
        "('J. Weber','A. Ray'),(''),'W\\X2\\00FC\\X0\\st','CAD','');\nENDSEC;\nDATA;\n#1=PRODUCT('B-1','Bracket',"
        "'1.4301',(#9));\n#2=PRODUCT('S-1','S-1','',(#9));\n#3=PRODUCT_DEFINITION_FORMATION('','',#1);\n#4=PRODUCT_DEFINITION_FORMATION('','',#2);\n"
        "#5=PRODUCT_DEFINITION('design','',#3,#9);\n#6=PRODUCT_DEFINITION('design','',#4,#9);\n"
        "#7=NEXT_ASSEMBLY_USAGE_OCCURRENCE('1','','',#5,#6,$);\n#8=NEXT_ASSEMBLY_USAGE_OCCURRENCE('2','','',#5,#6,$);\n"
        "#10=CARTESIAN_POINT('',(1.,2.,3.));\n#11=DESCRIPTIVE_REPRESENTATION_ITEM('finish','zinc');\nENDSEC;\nEND-ISO-10303-21;\n",
    )
    assert texts(document) == [
        "Description: Bracket; 'new'",
        "File: a.stp",
        "Date: 2023-04-01",
        "Author: J. Weber, A. Ray",
        "Preprocessor: Wüst",
        "System: CAD",
        "Part | Name | Description\nB-1 | Bracket | 1.4301\nS-1 |  |",
        "Assembly | Part | Quantity\nB-1 | S-1 | 2",
        "finish, zinc",
    ]


def test_a_step_file_that_is_cut_short_says_so(parse_bytes: Callable[..., Parsed]) -> None:
    parsed = parse_bytes("a.stp", "ISO-10303-21;\nDATA;\n#1=PRODUCT('B-1','Bracket','',(#9));\n#2=PRODUCT('S-")
    assert (parsed.status, parsed.reason) == (Status.PARTIAL, "cut short, and read as far as it goes")
    assert parsed.document is not None
    assert "Bracket" in parsed.document.text


def test_iges_and_stl_have_their_names(document_of: Read, parse_bytes: Callable[..., Parsed]) -> None:
    def line(text: str, section: str, number: int) -> str:
        return f"{text:<72}{section}{number:>7}\n"

    iges = line("Bracket for pump P-7", "S", 1) + line("1H,,1H;,5HPART1,9HJ. Weber ;", "G", 1)
    iges += line("212,1,11HNote: paint;", "P", 1)
    assert parse_bytes("a.igs", iges).reason == "cut short, and read as far as it goes"
    iges += line("S      1G      1D      0P      1", "T", 1)
    assert parse_bytes("a.igs", iges).status is Status.INDEXED
    assert texts(document_of("a.igs", iges)) == ["Bracket for pump P-7", "PART1", "J. Weber", "Note: paint"]
    stl = "solid fan housing\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n  endloop\n endfacet\nendsolid fan\n"
    assert texts(document_of("a.stl", stl)) == ["fan housing"]
