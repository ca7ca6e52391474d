"""Tests of dynamic XFA forms: PDF files whose pages only ask to wait, with the content in XML."""

from __future__ import annotations

from collections.abc import Callable

from pipelines.core.document import BlockKind, Document
from pipelines.core.outcome import Status
from tests.parse.pdf_pages import Pdf
from tests.parse.test_pdf_reader import of_kind

DocumentOf = Callable[..., Document]
PLACEHOLDER = "Please wait. If this message is not replaced, your viewer may not be able to display this document."
TEMPLATE = """
<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form1" layout="tb">
<subform name="head">
  <draw><value><text>Inspection of pressure vessels</text></value></draw>
  <field name="vessel"><caption><value><text>Vessel number:</text></value></caption></field>
  <field name="medium"><caption><value><text>Medium</text></value></caption>
    <items save="1"><text>1</text><text>2</text></items><items><text>water</text><text>steam</text></items></field>
  <field name="town"><bind match="dataRef" ref="$.site.town"/>
    <caption><value><text>Town</text></value></caption></field>
  <field name="note"><caption><value><text>Remarks</text></value></caption></field>
  <field name="send"><ui><button/></ui><caption><value><text>Send</text></value></caption></field>
  <field name="id" presence="hidden"><caption><value><text>Internal</text></value></caption></field>
  <draw presence="hidden"><value><text>Draft of the form</text></value></draw>
  <draw><value><exData contentType="text/html"><body xmlns="http://www.w3.org/1999/xhtml"><p>Only
    <b>certified</b> inspectors sign.</p><p>Keep for ten years.</p></body></exData></value></draw>
</subform>
<subform name="repair" presence="hidden"><draw><value><text>Only after a repair</text></value></draw>
  <field name="weld"><caption><value><text>Weld</text></value></caption></field>
  <field name="welder"><caption><value><text>Welder</text></value></caption></field></subform>
<subform name="item"><field name="part"><caption><value><text>Part</text></value></caption></field>
  <field name="result"><caption><value><text>Result</text></value></caption></field></subform>
</subform></template>"""
DATA = """
<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form1>
<head><vessel>V-4711</vessel><medium>2</medium><site><town>Graz</town></site></head><repair><weld>W-12</weld></repair>
<item><part>Relief valve</part><result>passed</result></item>
<item><part>Gasket</part><result>replaced</result></item>
</form1></xfa:data></xfa:datasets>"""
BEGIN, END = '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">', "</xdp:xdp>"


def form(*parts: str, dynamic: str = "true") -> bytes:
    """Return a PDF with a form of these parts, in an array if there are several."""
    pdf = Pdf().page().box(50, 50, 500, 300, PLACEHOLDER)
    streams = []
    for part in parts:
        streams.append(pdf.file.get_new_xref())
        pdf.file.update_object(streams[-1], "<<>>")
        pdf.file.update_stream(streams[-1], part.encode())
    listed = " ".join(f"(part) {stream} 0 R" for stream in streams)
    xfa = f"[{listed}]" if len(streams) > 1 else f"{streams[0]} 0 R"
    pdf.file.xref_set_key(pdf.file.pdf_catalog(), "AcroForm", f"<< /Fields [] /XFA {xfa} >>")
    pdf.file.xref_set_key(pdf.file.pdf_catalog(), "NeedsRendering", dynamic)
    return pdf.data()


def test_labels_and_values_of_a_dynamic_form_are_read(document_of: DocumentOf) -> None:
    document = document_of("a.pdf", form(BEGIN, TEMPLATE, DATA, END))
    assert of_kind(document, BlockKind.PARAGRAPH) == [
        "Inspection of pressure vessels",
        "Vessel number: V-4711\nMedium: steam\nTown: Graz\nRemarks",
        "Only certified inspectors sign.\nKeep for ten years.",
        "Weld: W-12",
        "Part: Relief valve\nResult: passed",
        "Part: Gasket\nResult: replaced",
    ]
    assert {block.provenance.page for block in document.blocks} == {1}
    assert document.notes == ("a dynamic form (XFA): its labels and values, without its layout",)


def test_the_form_may_be_one_stream(document_of: DocumentOf) -> None:
    document = document_of("a.pdf", form(BEGIN + TEMPLATE + DATA + END))
    assert "Town: Graz" in document.text


def test_a_form_without_data_has_its_labels(document_of: DocumentOf) -> None:
    document = document_of("a.pdf", form(BEGIN, TEMPLATE, END))
    assert "Vessel number\nMedium\nTown\nRemarks" in of_kind(document, BlockKind.PARAGRAPH)


def test_a_static_form_is_read_from_its_pages(document_of: DocumentOf) -> None:
    document = document_of("a.pdf", form(BEGIN, TEMPLATE, DATA, END, dynamic="false"))
    assert of_kind(document, BlockKind.PARAGRAPH) == [PLACEHOLDER]


def test_a_broken_form_is_named(parse_bytes: Callable[..., object]) -> None:
    parsed = parse_bytes("a.pdf", form(BEGIN, TEMPLATE[:200], END))
    assert parsed.status is Status.PARTIAL
    assert parsed.reason.startswith("the content of a dynamic form (XFA) was not read: ")


def test_a_form_without_a_template_is_named(parse_bytes: Callable[..., object]) -> None:
    parsed = parse_bytes("a.pdf", form(BEGIN, DATA, END))
    assert (parsed.status, parsed.document.text.split()[:2]) == (Status.PARTIAL, ["Please", "wait."])
    assert parsed.reason == "the content of a dynamic form (XFA) was not read: it has no template"


def test_subforms_nested_without_end_are_named(parse_bytes: Callable[..., object]) -> None:
    nested = "<template>" + "<subform>" * 5000 + "</subform>" * 5000 + "</template>"
    parsed = parse_bytes("a.pdf", form(BEGIN, nested, END))
    assert parsed.status is Status.PARTIAL
    assert parsed.reason.startswith("the content of a dynamic form (XFA) was not read: ")
