"""XML: texts in the vocabularies of manuals (DocBook, DITA, S1000D, JATS), and data."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.core.document import BlockKind, Document
from pipelines.parse.parse import parse, source_of
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web import xml_names
from tests.parse.pieces import pieces, targets, texts

Read = Callable[..., Document]
_TASK = """<task id="belt"><title>Replacing the belt</title><shortdesc>Every 8000 hours.</shortdesc>
<prolog><author>Ann Ray</author><metadata><keywords><indexterm>belt<indexterm>slack</indexterm></indexterm></keywords>
</metadata></prolog><taskbody><prereq>Lock the switch. See <xref href="safety.dita">Safety</xref>.</prereq>
<steps><step id="loosen"><cmd>Loosen the <keyword keyref="tensioner"/>.</cmd><info>Use a wrench.</info></step>
<step><cmd>Repeat step <xref href="#belt/loosen"/>.</cmd><choicetable><chhead><choptionhd>Width</choptionhd>
<chdeschd>Tool</chdeschd></chhead><chrow><choption>800 mm</choption><chdesc>Hoist</chdesc></chrow></choicetable></step>
<step><cmd>Select <menucascade><uicontrol>File</uicontrol><uicontrol>Save</uicontrol></menucascade>.</cmd>
<substeps><substep><cmd>Wipe.</cmd></substep></substeps></step></steps></taskbody></task>"""
_MODULE = """<dmodule><identAndStatusSection><dmAddress><dmIdent><dmCode modelIdentCode="PUMP" systemDiffCode="A"
systemCode="29" subSystemCode="1" subSubSystemCode="0" assyCode="00" disassyCode="00" disassyCodeVariant="A"
infoCode="520" infoCodeVariant="A" itemLocationCode="A"/></dmIdent><dmAddressItems><issueDate year="2024" month="03"
day="14"/><dmTitle><techName>Pump</techName><infoName>Remove</infoName></dmTitle></dmAddressItems></dmAddress>
</identAndStatusSection><content><procedure><reqSupportEquips><supportEquipDescr id="seq-1"><name>Torque wrench</name>
<reqQuantity unitOfMeasure="EA">1</reqQuantity></supportEquipDescr></reqSupportEquips><mainProcedure>
<proceduralStep><title>Remove the pump</title><proceduralStep><warning><warningAndCautionPara>Hot oil.
</warningAndCautionPara></warning><para>Use the <internalRef internalRefId="seq-1"/>.</para></proceduralStep>
<proceduralStep><para>Tighten with <quantity><quantityValue quantityUnitOfMeasure="N.m">24</quantityValue></quantity>.
</para></proceduralStep></proceduralStep></mainProcedure><figure id="f"><title>Exploded view</title>
<graphic infoEntityIdent="ICN-PUMP-1"/></figure></procedure></content></dmodule>"""


def test_a_dita_task_has_numbered_steps_tables_and_the_names_of_what_it_refers_to(document_of: Read) -> None:
    document = document_of("belt.dita", _TASK)
    assert pieces(document) == [
        ("heading", 1, "Replacing the belt"),
        ("paragraph", 0, "Every 8000 hours."),
        ("paragraph", 0, "Prereq: Lock the switch. See Safety."),
        ("list_item", 1, "1. Loosen the tensioner."),
        ("paragraph", 0, "Use a wrench."),
        ("list_item", 1, "2. Repeat step 1."),
        ("table", 0, "Width | Tool\n800 mm | Hoist"),
        ("list_item", 1, "3. Select File > Save."),
        ("list_item", 2, "1. Wipe."),
        ("paragraph", 0, "author: Ann Ray"),
    ]
    assert document.metadata["keywords"] == "belt: slack"
    assert {("hyperlink", "safety.dita", "Safety"), ("cross_reference", "#belt/loosen", "1")} <= set(targets(document))


def test_a_data_module_has_its_title_units_warnings_and_codes(document_of: Read) -> None:
    document = document_of("DMC-PUMP.xml", _MODULE)
    assert document.title == "Pump - Remove"
    assert document.metadata["identifier"] == "PUMP-A-29-10-00-00A-520A-A"
    assert document.metadata["modified"] == "2024-03-14"
    assert pieces(document) == [
        ("heading", 1, "Pump - Remove"),
        ("paragraph", 0, "name: Torque wrench"),
        ("paragraph", 0, "reqQuantity: 1 EA"),
        ("heading", 2, "1. Remove the pump"),
        ("list_item", 1, "1. Warning: Hot oil."),
        ("paragraph", 0, "Use the Torque wrench."),
        ("list_item", 1, "2. Tighten with 24 N.m."),
        ("caption", 0, "Exploded view"),
        ("paragraph", 0, "graphic: ICN-PUMP-1"),
        ("paragraph", 0, "dmCode: PUMP-A-29-10-00-00A-520A-A"),
        ("paragraph", 0, "issueDate: 2024-03-14"),
    ]


def test_inline_elements_of_docbook(document_of: Read) -> None:
    document = document_of(
        "a.xml",
        "<article><title>Use</title><para>Vent<footnote><para>Slowly.</para></footnote> it<indexterm><primary>vent"
        "</primary></indexterm>, press <keycombo><keycap>Ctrl</keycap>C</keycombo>: see <xref"
        ' linkend="t"/>.</para><orderedlist numeration="loweralpha"><listitem><para>Open</para></listitem>'
        '</orderedlist><table xml:id="t"><title>Limits</title><tgroup cols="3"><colspec colname="a"/><colspec '
        'colname="b"/><colspec colname="c"/><tbody><row><entry namest="a" nameend="b">AB</entry><entry>C</entry></row>'
        "</tbody></tgroup></table><equation><math xmlns='http://www.w3.org/1998/Math/MathML'><mfrac><mi>a</mi>"
        "<mi>b</mi></mfrac></math></equation></article>",
    )
    assert texts(document) == [
        "Use",
        "Vent (Slowly.) it, press Ctrl+C: see Limits.",
        "a. Open",
        "Limits",
        "AB |  | C",
        "a/b",
    ]
    assert [cell.column_span for cell in document.tables[0].cells] == [2, 1]
    assert document.blocks[-1].kind is BlockKind.FORMULA


def test_nested_records_are_sections_with_their_names(document_of: Read) -> None:
    product = (
        "<PRODUCT><SUPPLIER_PID>{}</SUPPLIER_PID><FEATURES><FEATURE><FNAME>Pressure</FNAME><FVALUE>{}</FVALUE><FUNIT>bar"
        "</FUNIT></FEATURE><FEATURE><FNAME>Seal</FNAME><FVALUE>FKM</FVALUE></FEATURE></FEATURES></PRODUCT>"
    )
    products = product.format("BV-25", 40) + product.format("BV-50", 25)
    document = document_of("catalog.xml", f"<BMECAT><T>{products}</T><END>2025</END></BMECAT>")
    assert [piece for piece in pieces(document) if piece[0] == "heading"] == [
        ("heading", 2, "PRODUCT BV-25"),
        ("heading", 2, "PRODUCT BV-50"),
        ("heading", 1, "BMECAT"),
    ]
    assert texts(document)[-1] == "END: 2025"
    assert document.tables[1].grid() == [["FNAME", "FVALUE", "FUNIT"], ["Pressure", "25", "bar"], ["Seal", "FKM", ""]]


def test_ids_in_data_are_replaced_by_the_texts_that_they_stand_for(document_of: Read) -> None:
    document = document_of(
        "gsdml.xml",
        '<Device><Module ID="M1"><Name TextId="T_M"/><Ref DefaultValue="3" TextId="T_F"/></Module><Texts>'
        '<Text TextId="T_M" Value="DI8 module"/><Text TextId="T_F" Value="Filter in ms"/></Texts></Device>',
    )
    assert texts(document)[:3] == ["Module: ID=M1", "Name: DI8 module", "Ref: DefaultValue=3, TextId=Filter in ms"]


def test_elements_that_repeat_with_text_between_their_parts_are_no_records(document_of: Read) -> None:
    document = document_of("a.xml", '<r><x on="2024-05-01"><b>One</b> two</x><x><b>Three</b> four</x></r>')
    assert texts(document) == ["x: One two (on=2024-05-01)", "x: Three four"]


def test_text_between_steps_stays_between_them(document_of: Read) -> None:
    document = document_of("a.xml", "<task><body><step>One</step>Wait here.<step>Two</step></body></task>")
    assert texts(document) == ["1. One", "Wait here.", "1. Two"]


def test_cells_keep_the_attributes_of_their_values_and_only_references_are_replaced(document_of: Read) -> None:
    row = '<price><net type="list" unit="EUR">{}</net><part partref="p1"/><count of="p1"/></price>'
    document = document_of("a.xml", f'<r><part id="p1" name="Seal"/>{row.format(5)}{row.format(6)}</r>')
    assert document.tables[0].grid()[1] == ["5 EUR (type=list)", "Seal", "p1"]


def test_data_in_base64_is_no_text(document_of: Read) -> None:
    lines = "\n".join(["iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"] * 20)
    document = document_of("a.xml", f"<r><name>Pump</name><picture>{lines}</picture></r>")
    assert texts(document) == ["name: Pump", "picture: (1539 characters of data)"]


def test_markup_that_is_text_is_read_as_markup(document_of: Read) -> None:
    feed = "<rss><channel><item><title>A</title><description>&lt;p&gt;One&lt;/p&gt;&lt;p&gt;Two&lt;/p&gt;</description>"
    document = document_of("feed.xml", f"{feed}<link>http://x.y</link></item></channel></rss>")
    assert {"One", "Two"} <= set(texts(document))


_NAMES = st.sampled_from(
    "section title para note step steps item list li ol table tgroup thead tbody row entry figure graphic caption"
    " xref link emphasis footnote code pre label term dl dt dd info abstract data value name record x".split()
)
_Tree = tuple[str, list[object]]
_WORDS = st.sampled_from([f"w{number}" for number in range(40)])
_TREES = st.recursive(
    st.tuples(_NAMES, st.lists(_WORDS, max_size=2)),
    lambda children: st.tuples(_NAMES, st.lists(st.one_of(_WORDS, children), max_size=5)),
    max_leaves=30,
)


def _xml(tree: _Tree) -> str:
    name, inner = tree
    return f"<{name}>{' '.join(_xml(one) if isinstance(one, tuple) else str(one) for one in inner)}</{name}>"


@given(_TREES)
@settings(max_examples=200)
def test_no_word_is_lost_whatever_the_order_of_known_and_unknown_elements(
    tmp_path_factory: pytest.TempPathFactory, tree: _Tree
) -> None:
    path = tmp_path_factory.mktemp("xml") / "a.xml"
    path.write_text(f"<r>{_xml(tree)}</r>")
    document = parse(path, source_of(path, "a.xml"), ParseSettings()).document
    read = _words(" ".join((document.text, *(one.description for one in document.figures)))) if document else set()
    assert read == _words(_xml(tree))


def _words(text: str) -> set[str]:
    return set(re.findall(r"w\d+", text))


_REQUIREMENTS = """<?xml version="1.0"?>
<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd" xmlns:x="http://www.w3.org/1999/xhtml">
<THE-HEADER><REQ-IF-HEADER IDENTIFIER="h"><TITLE>Brakes</TITLE></REQ-IF-HEADER></THE-HEADER><CORE-CONTENT>
<ENUM-VALUE IDENTIFIER="e1" LONG-NAME="Approved"/><DEFINED IDENTIFIER="i" LONG-NAME="ReqIF.ForeignID"/>
<DEFINED IDENTIFIER="t" LONG-NAME="ReqIF.Text"/><DEFINED IDENTIFIER="c" LONG-NAME="ReqIF.ChapterName"/>
<DEFINED IDENTIFIER="s" LONG-NAME="Status"/><DEFINED IDENTIFIER="y" LONG-NAME="refines"/>
<SPEC-OBJECT IDENTIFIER="r"><VALUES>
<ATTRIBUTE-VALUE-STRING THE-VALUE="BRK-7"><DEFINITION><REF>i</REF></DEFINITION></ATTRIBUTE-VALUE-STRING>
<ATTRIBUTE-VALUE-XHTML><DEFINITION><REF>t</REF></DEFINITION><THE-VALUE><x:div>Stop within <x:b>50 ms</x:b>.</x:div>
</THE-VALUE></ATTRIBUTE-VALUE-XHTML><ATTRIBUTE-VALUE-ENUMERATION><DEFINITION><REF>s</REF></DEFINITION><VALUES>
<ENUM-VALUE-REF>e1</ENUM-VALUE-REF></VALUES></ATTRIBUTE-VALUE-ENUMERATION></VALUES></SPEC-OBJECT>
<SPEC-OBJECT IDENTIFIER="k"><VALUES><ATTRIBUTE-VALUE-STRING THE-VALUE="Sensors"><DEFINITION><REF>c</REF></DEFINITION>
</ATTRIBUTE-VALUE-STRING></VALUES></SPEC-OBJECT>
<SPEC-RELATION><TYPE><REF>y</REF></TYPE><SOURCE><REF>r</REF></SOURCE><TARGET><REF>SYS-1</REF></TARGET></SPEC-RELATION>
<SPEC-RELATION><TYPE><REF>y</REF></TYPE><SOURCE><REF>r</REF></SOURCE><TARGET><REF>k</REF></TARGET></SPEC-RELATION>
<SPECIFICATION LONG-NAME="Brake controller"><CHILDREN><SPEC-HIERARCHY><OBJECT><REF>k</REF></OBJECT><CHILDREN>
<SPEC-HIERARCHY><OBJECT><REF>r</REF></OBJECT></SPEC-HIERARCHY></CHILDREN></SPEC-HIERARCHY></CHILDREN></SPECIFICATION>
</CORE-CONTENT></REQ-IF>"""


def test_requirements_are_read_in_the_order_of_their_specification(document_of: Read) -> None:
    document = document_of("a.reqif", _REQUIREMENTS)
    assert (document.title, document.source.media_type) == ("Brakes", "application/reqif+xml")
    assert pieces(document) == [
        ("heading", 1, "Brake controller"),
        ("heading", 2, "Sensors"),
        ("paragraph", 0, "BRK-7: Stop within 50 ms."),
        ("paragraph", 0, "Status: Approved"),
        ("list_item", 1, "BRK-7 → SYS-1 (refines)"),
        ("list_item", 1, "BRK-7 → Sensors (refines)"),
    ]


def test_no_name_has_two_roles() -> None:
    data = tomllib.loads((Path(xml_names.__file__).with_suffix(".toml")).read_text("utf-8"))
    for part in ("elements", "cells"):
        names = [name for names in data[part].values() for name in names.split()]
        assert sorted(names) == sorted(set(names))
