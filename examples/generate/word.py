"""Renders the maintenance manual to DOCX with heading styles, merged cells, an image and a footnote."""

from __future__ import annotations

import io
from datetime import datetime
from typing import Any

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, Pt, RGBColor
from docx.text.paragraph import Paragraph

from . import blocks, sketches, zips
from .blocks import Document

WHEN = datetime(2024, 6, 3, 9, 0)
BLUE = RGBColor(0x1F, 0x4E, 0x79)
FOOTNOTES = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"


def render(document: Document) -> bytes:
    """The DOCX file of a document."""
    word = docx.Document()
    _properties(word, document)
    _styles(word)
    _furniture(word, document)
    _cover(word, document)
    _footnotes(word, document)
    for block in document.blocks:
        _add(word, block)
    target = io.BytesIO()
    word.save(target)
    return zips.repack(target.getvalue())


def _properties(word: Any, document: Document) -> None:
    core = word.core_properties
    core.title = f"{document.text('number')} {document.text('title')}"
    core.author = core.last_modified_by = document.text("author")
    core.subject, core.comments, core.revision = document.text("subject"), "", 3
    core.created = core.modified = WHEN


def _styles(word: Any) -> None:
    styles = word.styles
    styles["Normal"].font.name, styles["Normal"].font.size = "Arial", Pt(10)
    styles["Normal"].paragraph_format.space_after = Pt(6)
    for name, size in (("Title", 24), ("Heading 1", 15), ("Heading 2", 12)):
        font = styles[name].font
        font.name, font.size, font.color.rgb = "Arial", Pt(size), BLUE
        fonts = styles[name].element.rPr.find(qn("w:rFonts"))
        for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
            fonts.attrib.pop(qn(f"w:{theme}"), None)
    styles["Caption"].font.color.rgb = RGBColor(0x33, 0x33, 0x33)
    styles["Caption"].paragraph_format.keep_with_next = True


def _furniture(word: Any, document: Document) -> None:
    section = word.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2.2)
    section.header.paragraphs[0].text = f"Kestrin Pumps\t\t{document.text('kind').title()} {document.text('number')}"
    foot = section.footer.paragraphs[0]
    foot.text = f"{document.text('revision')}\t\tPage "
    field = parse_xml(f'<w:fldSimple {nsdecls("w")} w:instr="PAGE"><w:r><w:t>1</w:t></w:r></w:fldSimple>')
    foot._p.append(field)


def _cover(word: Any, document: Document) -> None:
    word.add_paragraph(document.text("title"), style="Title")
    subtitle = f"{document.text('number')} · {document.text('revision')} · {document.text('author')}"
    word.add_paragraph(subtitle, style="Subtitle")


def _footnotes(word: Any, document: Document) -> None:
    notes = "".join(
        f'<w:footnote w:id="{key}"><w:p>'
        '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r>'
        f'<w:r><w:rPr><w:sz w:val="17"/></w:rPr><w:t xml:space="preserve"> {text}</w:t></w:r>'
        "</w:p></w:footnote>"
        for key, text in document.notes.items()
    )
    marks = "".join(
        f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{tag}/></w:r></w:p></w:footnote>'
        for kind, number, tag in (
            ("separator", -1, "separator"),
            ("continuationSeparator", 0, "continuationSeparator"),
        )
    )
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    xml = f"{head}<w:footnotes {nsdecls('w')}>{marks}{notes}</w:footnotes>"
    part = Part(PackURI("/word/footnotes.xml"), FOOTNOTES, xml.encode("utf-8"), word.part.package)
    word.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)


def _add(word: Any, block: blocks.Block) -> None:
    match block:
        case blocks.Heading():
            word.add_heading(block.text, block.level)
        case blocks.Paragraph():
            _inline(word.add_paragraph(), block.text)
        case blocks.ListBlock():
            _list(word, block)
        case blocks.Figure():
            word.add_picture(io.BytesIO(sketches.png(block.name, 430)), width=Cm(14))
            word.paragraphs[-1].alignment = WD_ALIGN_PARAGRAPH.CENTER
            word.add_paragraph(block.caption, style="Caption")
        case blocks.Table():
            word.add_paragraph(block.caption, style="Caption")
            _table(word, block)
            word.add_paragraph()


def _list(word: Any, block: blocks.ListBlock) -> None:
    number = _restart(word) if block.ordered else 0
    for item in block.items:
        paragraph = word.add_paragraph(style="List Number" if block.ordered else "List Bullet")
        paragraph.paragraph_format.space_after = Pt(2)
        if number:
            properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
            properties.get_or_add_ilvl().val = 0
            properties.get_or_add_numId().val = number
        _inline(paragraph, item)


def _restart(word: Any) -> int:
    """A new numbering instance, so that each ordered list begins with 1."""
    numbering = word.part.numbering_part.element
    style = word.styles["List Number"].element.pPr.numPr.numId.val
    abstract = next(num for num in numbering.num_lst if num.numId == style).abstractNumId.val
    num = numbering.add_num(abstract)
    num.add_lvlOverride(0).add_startOverride(1)
    return int(num.numId)


def _table(word: Any, block: blocks.Table) -> None:
    table = word.add_table(len(block.rows), len(block.rows[0]), style="Light Grid Accent 1")
    for row, cells in enumerate(block.rows):
        for column, text in enumerate(cells):
            if text not in ("<", "^"):
                paragraph = table.cell(row, column).paragraphs[0]
                paragraph.paragraph_format.space_after = Pt(1)
                _inline(paragraph, text)
    for top, left, bottom, right in block.spans():
        table.cell(top, left).merge(table.cell(bottom, right))
        for paragraph in table.cell(top, left).paragraphs[1:]:
            paragraph._p.getparent().remove(paragraph._p)
    for row in table.rows[: block.head]:
        row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def _inline(paragraph: Paragraph, text: str) -> None:
    for run in blocks.runs(text):
        if run.style == "link":
            _link(paragraph, run.text, run.target)
        elif run.style == "note":
            paragraph.add_run()._r.append(parse_xml(f'<w:footnoteReference {nsdecls("w")} w:id="{run.text}"/>'))
            paragraph.runs[-1].font.superscript = True
        else:
            added = paragraph.add_run(run.text)
            added.bold, added.italic = run.style == "bold" or None, run.style == "italic" or None


def _link(paragraph: Paragraph, text: str, target: str) -> None:
    number = paragraph.part.relate_to(target, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), number)
    run = paragraph.add_run(text)
    run.font.color.rgb, run.font.underline = BLUE, True
    link.append(run._r)
    paragraph._p.append(link)
