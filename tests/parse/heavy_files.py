"""Kinds of files that may be disproportionately expensive to read, in any size; `full` items are about a megabyte."""
# ruff: noqa: E501 (markup in one piece)

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

from tests.hostile.made import pdf, zipped
from tests.parse.hostile_files import docx, epub, office, xlsx


@dataclass(frozen=True, slots=True)
class Heavy:
    """A kind of file: its name, and a function that creates one with `n` items."""

    name: str
    full: int
    make: Callable[[int], bytes]


KINDS: dict[str, Heavy] = {}


def heavy(name: str, full: int) -> Callable[[Callable[[int], bytes]], Callable[[int], bytes]]:
    def register(make: Callable[[int], bytes]) -> Callable[[int], bytes]:
        KINDS[name] = Heavy(name, full, make)
        return make

    return register


def _many(n: int, text: str) -> str:
    return "".join(text.replace("#", str(number)) for number in range(n))


# -- HTML and Markdown


@heavy("attributes.html", 80_000)
def html_attributes(n: int) -> bytes:
    return f"<p>before</p><p {_many(n, ' a#=1')}>valve</p><p>after</p>".encode()


@heavy("inline-attributes.html", 80_000)
def html_inline_attributes(n: int) -> bytes:
    return f"<p>a <a href=x {_many(n, ' a#=1')}>valve</a> b</p>".encode()


@heavy("wide.html", 60_000)
def html_wide(n: int) -> bytes:
    return f"<div>{_many(n, '<span>valve</span>')}</div>".encode()


@heavy("blocks.html", 50_000)
def html_blocks(n: int) -> bytes:
    return f"<body>{_many(n, '<p>valve #</p>')}</body>".encode()


@heavy("headings.html", 50_000)
def html_headings(n: int) -> bytes:
    return _many(n, "<h2>Valve #</h2>").encode()


@heavy("deepening.html", 90)
def html_deep_and_wide(n: int) -> bytes:
    return b"<div>" * min(n, 90) + b"<p>valve</p>" * (n * 500)


@heavy("links.html", 20_000)
def html_links(n: int) -> bytes:
    return f"<p>{_many(n, '<a href=http://h/#>link #</a> ')}</p>".encode()


@heavy("cells.html", 60_000)
def html_cells(n: int) -> bytes:
    return f"<table><tr>{_many(n, '<td>valve #')}</table>".encode()


@heavy("rows.html", 40_000)
def html_rows(n: int) -> bytes:
    return f"<table>{_many(n, '<tr><td>valve<td>#')}</table>".encode()


@heavy("row-spans.html", 300)
def html_row_spans(n: int) -> bytes:
    rows = "".join("<tr>" + "<td rowspan=300 colspan=2>v</td>" * 50 for _ in range(n))
    return f"<table>{rows}</table>".encode()


@heavy("items.html", 60_000)
def html_items(n: int) -> bytes:
    return f"<ul>{_many(n, '<li>valve #')}</ul>".encode()


@heavy("definition-notes.html", 20_000)
def html_notes(n: int) -> bytes:
    return f"<ol class=footnotes>{_many(n, '<li id=fn#>note #</li>')}</ol>".encode()


@heavy("pictures.html", 20_000)
def html_pictures(n: int) -> bytes:
    return _many(n, "<img src=p#.png alt='valve number #'>").encode()


@heavy("bare-text.html", 150_000)
def html_breaks(n: int) -> bytes:
    return f"<p>{_many(n, 'v<br>')}</p>".encode()


@heavy("wide-table.md", 20_000)
def markdown_wide_table(n: int) -> bytes:
    return f"|{_many(n, ' c# |')}\n|{'---|' * n}\n|{_many(n, ' # |')}\n".encode()


@heavy("long-table.md", 30_000)
def markdown_long_table(n: int) -> bytes:
    return ("| a | b |\n|---|---|\n" + _many(n, "| valve # | # bar |\n")).encode()


@heavy("headings.md", 60_000)
def markdown_headings(n: int) -> bytes:
    return _many(n, "# Valve #\n\n").encode()


@heavy("items.md", 80_000)
def markdown_items(n: int) -> bytes:
    return _many(n, "- valve #\n").encode()


@heavy("link-references.md", 30_000)
def markdown_references(n: int) -> bytes:
    return (_many(n, "[a#]: http://h/#\n") + "\n" + _many(n, "[a#] ")).encode()


@heavy("footnotes.md", 30_000)
def markdown_footnotes(n: int) -> bytes:
    return (_many(n, "x[^#] ") + "\n\n" + _many(n, "[^#]: note #\n\n")).encode()


@heavy("paragraph.md", 100_000)
def markdown_paragraph(n: int) -> bytes:
    return ("valve #1 *a\n" * n).encode()


# -- plain text


@heavy("indented-lines.txt", 500_000)
def text_indented_lines(n: int) -> bytes:
    return b"x" + b"\n " * n + b"x"


@heavy("lines.txt", 100_000)
def text_lines(n: int) -> bytes:
    return _many(n, "valve #\n").encode()


@heavy("paragraphs.txt", 100_000)
def text_paragraphs(n: int) -> bytes:
    return _many(n, "valve #\n\n").encode()


@heavy("items.txt", 80_000)
def text_items(n: int) -> bytes:
    return _many(n, "- valve #\n").encode()


@heavy("numbers.txt", 60_000)
def text_numbered(n: int) -> bytes:
    return _many(n, "#. valve\n\n").encode()


@heavy("columns.txt", 30_000)
def text_columns(n: int) -> bytes:
    return _many(n, "valve    #    bar   x\n").encode()


@heavy("ragged-grid.txt", 50_000)
def text_ragged_grid(n: int) -> bytes:
    return _many(n, "| valve # |\n| valve # | bar |\n").encode()


@heavy("wide-row.txt", 60_000)
def text_wide_row(n: int) -> bytes:
    return b"\n".join([_many(n, "valve #   ").encode()] * 3)


@heavy("rules.txt", 40_000)
def text_rules(n: int) -> bytes:
    return b"a   b   c\n---  ---  ---\n" * n


@heavy("captions.txt", 30_000)
def text_captions(n: int) -> bytes:
    return _many(n, "Figure #: a valve\n\n").encode()


@heavy("urls.txt", 40_000)
def text_urls(n: int) -> bytes:
    return _many(n, "http://h.example/# ").encode()


@heavy("headings.rst", 30_000)
def rst_headings(n: int) -> bytes:
    return _many(n, "Valve #\n==========\n\ntext\n\n").encode()


@heavy("directives.rst", 20_000)
def rst_directives(n: int) -> bytes:
    return _many(n, ".. note:: valve #\n\n   text\n\n").encode()


@heavy("headings.org", 60_000)
def org_headings(n: int) -> bytes:
    return ("#+TITLE: Valves\n" + "".join(f"* Valve {number}\ntext\n" for number in range(n))).encode()


@heavy("items.adoc", 40_000)
def asciidoc_items(n: int) -> bytes:
    return _many(n, "* Valve #\n** <<valve,the *valve*>> #\n+\n====\ntext\n\n").encode()


@heavy("cells.adoc", 60_000)
def asciidoc_cells(n: int) -> bytes:
    return b"|===\n|A |B\n\n" + _many(n, "|Valve # .2+|open\n|x\n").encode()


# -- JSON and XML


@heavy("flat.json", 60_000)
def json_flat(n: int) -> bytes:
    return json.dumps({f"valve{number}": number for number in range(n)}).encode()


@heavy("records.json", 20_000)
def json_records(n: int) -> bytes:
    return json.dumps([{"name": f"valve {number}", "bar": number} for number in range(n)]).encode()


@heavy("mixed-records.json", 20_000)
def json_mixed_records(n: int) -> bytes:
    return json.dumps([{f"k{number}": number} for number in range(n)]).encode()


@heavy("nested.json", 90)
def json_nested(n: int) -> bytes:
    depth = min(n, 90)
    return json.dumps({"all": [{"a": {"b": [number]}} for number in range(n * 300)]}).encode() + b" " * depth


@heavy("lines.ndjson", 30_000)
def json_lines(n: int) -> bytes:
    return _many(n, '{"name": "valve #", "bar": #}\n').encode()


@heavy("flat.xml", 200_000)
def xml_flat(n: int) -> bytes:
    return f"<?xml version='1.0'?><all>{'<a/>' * n}</all>".encode()


@heavy("children.xml", 80_000)
def xml_children(n: int) -> bytes:
    return f"<?xml version='1.0'?><all>{_many(n, '<a>#</a>')}</all>".encode()


@heavy("distinct.xml", 50_000)
def xml_distinct(n: int) -> bytes:
    return f"<?xml version='1.0'?><all>{_many(n, '<a#>#</a#>')}</all>".encode()


@heavy("records.xml", 20_000)
def xml_records(n: int) -> bytes:
    return f"<?xml version='1.0'?><all>{_many(n, '<one><name>valve #</name><bar>#</bar></one>')}</all>".encode()


@heavy("attributes.xml", 60_000)
def xml_attributes(n: int) -> bytes:
    return f"<?xml version='1.0'?><all><a {_many(n, ' a#=' + chr(34) + 'v' + chr(34))}>valve</a></all>".encode()


@heavy("sections.xml", 20_000)
def xml_sections(n: int) -> bytes:
    sections = _many(n, "<section><title>Valve #</title><para>It opens.</para></section>")
    return f"<?xml version='1.0'?><article>{sections}</article>".encode()


@heavy("mixed.xml", 60_000)
def xml_mixed(n: int) -> bytes:
    return f"<?xml version='1.0'?><article><para>{_many(n, 'press <key>F#</key> ')}</para></article>".encode()


@heavy("steps.xml", 16_000)
def xml_steps(n: int) -> bytes:
    steps = _many(n, "<step id='s#'><cmd>Open valve #, see <xref href='#s1'/>.</cmd></step>")
    return f"<?xml version='1.0'?><task><steps>{steps}</steps></task>".encode()


@heavy("things.xml", 10_000)
def xml_things(n: int) -> bytes:
    things = _many(n, "<part id='p#'><name>Valve #</name><in ref='p1'><bar unit='bar'>#</bar></in></part>")
    return f"<?xml version='1.0'?><all>{things}</all>".encode()


@heavy("groups.xml", 20_000)
def xml_groups(n: int) -> bytes:
    groups = _many(n, "<tgroup><colspec colname='a'/><thead><row><entry>#</entry></row></thead></tgroup>")
    return f"<?xml version='1.0'?><article><table><title>T</title>{groups}</table></article>".encode()


@heavy("parts.stp", 20_000)
def step_parts(n: int) -> bytes:
    parts = _many(n, "#1#=PRODUCT('V#','Valve #','',(#2));\n#3#=CARTESIAN_POINT('',(1.,2.,#.));\n")
    return f"ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n{parts}ENDSEC;\n".encode()


@heavy("shapes.drawio", 10_000)
def drawio_shapes(n: int) -> bytes:
    shapes = _many(
        n, "<mxCell id='c#' value='valve #' vertex='1' parent='1'/><mxCell edge='1' source='c#' target='c1'/>"
    )
    return f"<mxGraphModel><root>{shapes}</root></mxGraphModel>".encode()


@heavy("requirements.reqif", 5_000)
def reqif_requirements(n: int) -> bytes:
    value = "<ATTRIBUTE-VALUE-STRING THE-VALUE='Valve #'><DEFINITION><R>t</R></DEFINITION></ATTRIBUTE-VALUE-STRING>"
    objects = _many(n, f"<SPEC-OBJECT IDENTIFIER='o#'><VALUES>{value}</VALUES></SPEC-OBJECT>")
    return f"<REQ-IF><D IDENTIFIER='t' LONG-NAME='ReqIF.Text'/>{objects}</REQ-IF>".encode()


@heavy("texts.svg", 30_000)
def svg_texts(n: int) -> bytes:
    texts = _many(n, "<text x='#' y='2'>valve #</text>")
    return f"<svg xmlns='http://www.w3.org/2000/svg'>{texts}</svg>".encode()


@heavy("texts-in.html", 30_000)
def html_svg(n: int) -> bytes:
    return f"<p>a</p><svg>{_many(n, '<text>valve #</text>')}</svg>".encode()


# -- sheets


@heavy("one-line.csv", 150_000)
def csv_one_line(n: int) -> bytes:
    return ",".join(map(str, range(n))).encode()


@heavy("one-cell.csv", 1_000_000)
def csv_one_cell(n: int) -> bytes:
    return b"a,b\n1," + b"x" * n + b"\n"


@heavy("rows.csv", 50_000)
def csv_rows(n: int) -> bytes:
    return b"part,bar,note\n" + _many(n, "V#,#,valve\n").encode()


@heavy("blocks.csv", 40_000)
def csv_blocks(n: int) -> bytes:
    return _many(n, "part,bar\nV#,#\n,\n").encode()


def _workbook(sheets: list[str], parts: dict[str, str] | None = None, kinds: str = "") -> bytes:
    named = "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="rId{n}"/>' for n in range(1, len(sheets) + 1))
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATION}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(sheets) + 1)
    )
    members = {
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_RELATION}"><sheets>{named}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_LINKS}">{links}{kinds}</Relationships>',
        **{f"xl/worksheets/sheet{n}.xml": text for n, text in enumerate(sheets, 1)},
        **(parts or {}),
    }
    return office("xl", {name: f'<?xml version="1.0"?>{text}'.encode() for name, text in members.items()})


_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"


def _sheet(rows: str, after: str = "") -> str:
    return f'<worksheet xmlns="{_SHEET}" xmlns:r="{_RELATION}"><sheetData>{rows}</sheetData>{after}</worksheet>'


def _inline(address: str, text: str) -> str:
    return f'<c r="{address}" t="inlineStr"><is><t>{text}</t></is></c>'


@heavy("sheets.xlsx", 3_000)
def xlsx_sheets(n: int) -> bytes:
    return _workbook([_sheet(f'<row r="1">{_inline("A1", f"valve {number}")}</row>') for number in range(n)])


@heavy("rows.xlsx", 40_000)
def xlsx_rows(n: int) -> bytes:
    return xlsx(
        "".join(f'<row r="{r}">{_inline(f"A{r}", "valve")}{_inline(f"B{r}", str(r))}</row>' for r in range(1, n))
    )


@heavy("islands.xlsx", 20_000)
def xlsx_islands(n: int) -> bytes:
    return xlsx("".join(f'<row r="{3 * r}">{_inline("ACEG"[r % 4] + str(3 * r), "valve")}</row>' for r in range(1, n)))


@heavy("merged.xlsx", 30_000)
def xlsx_merged(n: int) -> bytes:
    rows = "".join(f'<row r="{r}">{_inline(f"A{r}", "valve")}</row>' for r in range(1, n + 1))
    merged = "".join(f'<mergeCell ref="A{r}:C{r}"/>' for r in range(1, n + 1))
    return _workbook([_sheet(rows, f'<mergeCells count="{n}">{merged}</mergeCells>')])


@heavy("shared-strings.xlsx", 30_000)
def xlsx_shared(n: int) -> bytes:
    rows = "".join(f'<row r="{r + 1}"><c r="A{r + 1}" t="s"><v>{r}</v></c></row>' for r in range(n))
    strings = "".join(f"<si><r><t>valve</t></r><r><t> {r}</t></r></si>" for r in range(n))
    kind = f'<Relationship Id="rIdS" Type="{_RELATION}/sharedStrings" Target="sharedStrings.xml"/>'
    return _workbook([_sheet(rows)], {"xl/sharedStrings.xml": f'<sst xmlns="{_SHEET}">{strings}</sst>'}, kind)


@heavy("comments.xlsx", 15_000)
def xlsx_comments(n: int) -> bytes:
    rows = "".join(f'<row r="{r}">{_inline(f"A{r}", "valve")}</row>' for r in range(1, n + 1))
    comments = "".join(
        f'<comment ref="A{r}" authorId="0"><text><t>see {r}</t></text></comment>' for r in range(1, n + 1)
    )
    listed = f'<comments xmlns="{_SHEET}"><authors><author>A</author></authors><commentList>{comments}</commentList></comments>'
    links = f'<Relationships xmlns="{_LINKS}"><Relationship Id="rId1" Type="{_RELATION}/comments" Target="../comments1.xml"/></Relationships>'
    return _workbook([_sheet(rows)], {"xl/comments1.xml": listed, "xl/worksheets/_rels/sheet1.xml.rels": links})


@heavy("links.xlsx", 15_000)
def xlsx_links(n: int) -> bytes:
    rows = "".join(f'<row r="{r}">{_inline(f"A{r}", "valve")}</row>' for r in range(1, n + 1))
    links = "".join(f'<hyperlink ref="A{r}" location="S1!B{r}"/>' for r in range(1, n + 1))
    return _workbook([_sheet(rows, f"<hyperlinks>{links}</hyperlinks>")])


_ODF = "urn:oasis:names:tc:opendocument:xmlns:"


def _opened(kind: str, body: str) -> bytes:
    content = (
        f'<?xml version="1.0"?><office:document-content xmlns:office="{_ODF}office:1.0" xmlns:text="{_ODF}text:1.0"'
        f' xmlns:table="{_ODF}table:1.0" xmlns:draw="{_ODF}drawing:1.0" xmlns:style="{_ODF}style:1.0"'
        f' xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"<office:body>{body}</office:body></office:document-content>"
    )
    media = f"application/vnd.oasis.opendocument.{kind}"
    return zipped({"mimetype": media.encode(), "content.xml": content.encode()})


@heavy("repeated.ods", 3_000)
def ods_repeated(n: int) -> bytes:
    row = (
        '<table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="1000"/>'
        "<table:table-cell><text:p>v</text:p></table:table-cell></table:table-row>"
    )
    return _opened(
        "spreadsheet", f'<office:spreadsheet><table:table table:name="A">{row * n}</table:table></office:spreadsheet>'
    )


@heavy("sheets.ods", 10_000)
def ods_sheets(n: int) -> bytes:
    cell = "<table:table-row><table:table-cell><text:p>v</text:p></table:table-cell></table:table-row>"
    sheets = "".join(f'<table:table table:name="S{number}">{cell}</table:table>' for number in range(n))
    return _opened("spreadsheet", f"<office:spreadsheet>{sheets}</office:spreadsheet>")


@heavy("rows.ods", 20_000)
def ods_rows(n: int) -> bytes:
    rows = _many(n, "<table:table-row><table:table-cell><text:p>valve #</text:p></table:table-cell></table:table-row>")
    return _opened(
        "spreadsheet", f'<office:spreadsheet><table:table table:name="A">{rows}</table:table></office:spreadsheet>'
    )


@heavy("paragraphs.odt", 30_000)
def odt_paragraphs(n: int) -> bytes:
    return _opened("text", f"<office:text>{_many(n, '<text:p>valve #</text:p>')}</office:text>")


@heavy("notes.odt", 10_000)
def odt_notes(n: int) -> bytes:
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>#</text:note-citation><text:note-body>'
        "<text:p>note #</text:p></text:note-body></text:note>"
    )
    return _opened("text", f"<office:text><text:p>valve {_many(n, note)}</text:p></office:text>")


@heavy("spans.odt", 40_000)
def odt_spans(n: int) -> bytes:
    return _opened("text", f"<office:text><text:p>{_many(n, '<text:span>v#</text:span>')}</text:p></office:text>")


@heavy("slides.odp", 5_000)
def odp_slides(n: int) -> bytes:
    page = '<draw:page draw:name="p#"><draw:frame><draw:text-box><text:p>valve #</text:p></draw:text-box></draw:frame></draw:page>'
    return _opened("presentation", f"<office:presentation>{_many(n, page)}</office:presentation>")


# -- Word and PowerPoint

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def _word(body: str, part: str, text: str, kind: str) -> bytes:
    document = f'<w:document xmlns:w="{_WORD}" xmlns:r="{_RELATION}"><w:body>{body}</w:body></w:document>'
    links = f'<Relationships xmlns="{_LINKS}"><Relationship Id="rId1" Type="{_RELATION}/{kind}" Target="{part}.xml"/></Relationships>'
    members = {"word/document.xml": document, "word/_rels/document.xml.rels": links, f"word/{part}.xml": text}
    return office("word", {name: f'<?xml version="1.0"?>{content}'.encode() for name, content in members.items()})


@heavy("paragraphs.docx", 30_000)
def docx_paragraphs(n: int) -> bytes:
    return docx(_many(n, "<w:p><w:r><w:t>valve #</w:t></w:r></w:p>"))


@heavy("runs.docx", 30_000)
def docx_runs(n: int) -> bytes:
    return docx(f"<w:p>{_many(n, '<w:r><w:t>v# </w:t></w:r>')}</w:p>")


@heavy("footnotes.docx", 20_000)
def docx_footnotes(n: int) -> bytes:
    body = _many(n, '<w:p><w:r><w:t>v</w:t></w:r><w:r><w:footnoteReference w:id="#"/></w:r></w:p>')
    notes = _many(n, '<w:footnote w:id="#"><w:p><w:r><w:t>note #</w:t></w:r></w:p></w:footnote>')
    return _word(body, "footnotes", f'<w:footnotes xmlns:w="{_WORD}">{notes}</w:footnotes>', "footnotes")


@heavy("comments.docx", 20_000)
def docx_comments(n: int) -> bytes:
    body = _many(n, '<w:p><w:r><w:t>v</w:t></w:r><w:r><w:commentReference w:id="#"/></w:r></w:p>')
    notes = _many(n, '<w:comment w:id="#" w:author="A"><w:p><w:r><w:t>note #</w:t></w:r></w:p></w:comment>')
    return _word(body, "comments", f'<w:comments xmlns:w="{_WORD}">{notes}</w:comments>', "comments")


@heavy("styles.docx", 10_000)
def docx_styles(n: int) -> bytes:
    body = _many(n, '<w:p><w:pPr><w:pStyle w:val="S#"/></w:pPr><w:r><w:t>v</w:t></w:r></w:p>')
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="S{k}"><w:name w:val="s {k}"/><w:basedOn w:val="S{k - 1}"/></w:style>'
        for k in range(n)
    )
    return _word(body, "styles", f'<w:styles xmlns:w="{_WORD}">{styles}</w:styles>', "styles")


@heavy("numbering.docx", 10_000)
def docx_numbering(n: int) -> bytes:
    body = _many(
        n, '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="#"/></w:numPr></w:pPr><w:r><w:t>v</w:t></w:r></w:p>'
    )
    numbering = _many(
        n,
        '<w:abstractNum w:abstractNumId="#"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>',
    )
    numbering += _many(n, '<w:num w:numId="#"><w:abstractNumId w:val="#"/></w:num>')
    return _word(body, "numbering", f'<w:numbering xmlns:w="{_WORD}">{numbering}</w:numbering>', "numbering")


@heavy("one-list.docx", 20_000)
def docx_one_list(n: int) -> bytes:
    body = (
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>v</w:t></w:r></w:p>'
        * n
    )
    numbering = '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    return _word(body, "numbering", f'<w:numbering xmlns:w="{_WORD}">{numbering}</w:numbering>', "numbering")


@heavy("cells.docx", 20_000)
def docx_cells(n: int) -> bytes:
    cell = "<w:tc><w:p><w:r><w:t>#</w:t></w:r></w:p></w:tc>"
    rows = f"<w:tr>{_many(10, cell)}</w:tr>" * (n // 10)
    return docx(f"<w:tbl>{rows}</w:tbl>")


@heavy("row-of-cells.docx", 20_000)
def docx_row_of_cells(n: int) -> bytes:
    return docx(f"<w:tbl><w:tr>{_many(n, '<w:tc><w:p><w:r><w:t>#</w:t></w:r></w:p></w:tc>')}</w:tr></w:tbl>")


@heavy("bookmarks.docx", 15_000)
def docx_bookmarks(n: int) -> bytes:
    return docx(
        _many(n, '<w:p><w:bookmarkStart w:id="#" w:name="b#"/><w:r><w:t>v</w:t></w:r><w:bookmarkEnd w:id="#"/></w:p>')
    )


@heavy("fields.docx", 10_000)
def docx_fields(n: int) -> bytes:
    return docx(
        "<w:p>"
        + _many(
            n,
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF b#</w:instrText></w:r>'
            '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>v</w:t></w:r>',
        )
        + "</w:p>"
    )


_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAW = "http://schemas.openxmlformats.org/drawingml/2006/main"


def _slides(slides: list[str]) -> bytes:
    listed = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n}"/>' for n in range(1, len(slides) + 1))
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATION}/slide" Target="slides/slide{n}.xml"/>'
        for n in range(1, len(slides) + 1)
    )
    spaces = f'xmlns:p="{_SLIDE}" xmlns:a="{_DRAW}" xmlns:r="{_RELATION}"'
    parts = {
        "ppt/presentation.xml": f'<p:presentation {spaces}><p:sldIdLst>{listed}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{_LINKS}">{links}</Relationships>',
        **{
            f"ppt/slides/slide{n}.xml": f"<p:sld {spaces}><p:cSld><p:spTree>{text}</p:spTree></p:cSld></p:sld>"
            for n, text in enumerate(slides, 1)
        },
    }
    return office("ppt", {name: f'<?xml version="1.0"?>{text}'.encode() for name, text in parts.items()})


def _shape(number: int) -> str:
    x, y = 100_000 * (number % 80), 90_000 * (number // 80 % 70)
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number + 2}" name="s{number}"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm>'
        f'<a:off x="{x}" y="{y}"/><a:ext cx="90000" cy="80000"/></a:xfrm></p:spPr>'
        f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>v{number}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


@heavy("shapes.pptx", 4_000)
def pptx_shapes(n: int) -> bytes:
    return _slides(["".join(map(_shape, range(n)))])


@heavy("slides.pptx", 2_000)
def pptx_slides(n: int) -> bytes:
    return _slides([_shape(number) for number in range(n)])


@heavy("paragraphs.pptx", 20_000)
def pptx_paragraphs(n: int) -> bytes:
    many = _many(n, "<a:p><a:r><a:t>valve #</a:t></a:r></a:p>")
    return _slides([_shape(0).replace("</a:p></p:txBody>", f"</a:p>{many}</p:txBody>")])


# -- PDF


def _pages(contents: list[bytes], annotations: list[bytes] | None = None, more: bytes = b"") -> bytes:
    """Return a PDF of pages with these contents, in one font; `annotations` are on the first page."""
    first_page = 4
    kids = b" ".join(b"%d 0 R" % (first_page + 2 * n) for n in range(len(contents)))
    base = first_page + 2 * len(contents)
    annots = b" ".join(b"%d 0 R" % (base + n) for n in range(len(annotations or ())))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R" + (more.replace(b"@", annots)) + b">>",
        b"<</Type/Pages/Kids[" + kids + b"]/Count %d>>" % len(contents),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, content in enumerate(contents):
        listed = b"/Annots[" + annots + b"]" if annotations and not number else b""
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>%b>>"
            % (first_page + 2 * number + 1, listed)
        )
        objects.append(b"<</Length %d>>\nstream\n%b\nendstream" % (len(content), content))
    return pdf(*objects, *(annotations or ()))


_LINE = b"BT /F 12 Tf 50 700 Td (Valves) Tj ET"


@heavy("annotations.pdf", 10_000)
def pdf_annotations(n: int) -> bytes:
    notes = [
        b"<</Type/Annot/Subtype/Text/Rect[%d %d %d %d]/Contents(note %d)>>"
        % (k % 500, k // 500 * 10 % 700, k % 500 + 9, k // 500 * 10 % 700 + 9, k)
        for k in range(n)
    ]
    return _pages([_LINE], notes)


@heavy("links.pdf", 8_000)
def pdf_links(n: int) -> bytes:
    links = [
        b"<</Type/Annot/Subtype/Link/Rect[%d %d %d %d]/A<</S/URI/URI(http://h/%d)>>>>"
        % (k % 500, k // 500 * 10 % 700, k % 500 + 9, k // 500 * 10 % 700 + 9, k)
        for k in range(n)
    ]
    return _pages([_words(min(n, 2_000))], links)


@heavy("fields.pdf", 7_000)
def pdf_fields(n: int) -> bytes:
    fields = [
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(f%d)/V(value %d)/Rect[%d %d %d %d]/P 4 0 R>>"
        % (k, k, k % 500, k // 500 * 10 % 700, k % 500 + 9, k // 500 * 10 % 700 + 9)
        for k in range(n)
    ]
    return _pages([_LINE], fields, b"/AcroForm<</Fields[@]>>")


@heavy("check-boxes.pdf", 7_000)
def pdf_check_boxes(n: int) -> bytes:
    fields = [
        b"<</Type/Annot/Subtype/Widget/FT/Btn/T(f%d)/V/Yes/AS/Yes/Rect[%d %d %d %d]/P 4 0 R>>"
        % (k, k % 500, k // 500 * 10 % 700, k % 500 + 9, k // 500 * 10 % 700 + 9)
        for k in range(n)
    ]
    return _pages([_words(min(n, 1_000))], fields, b"/AcroForm<</Fields[@]>>")


@heavy("stamps.pdf", 8_000)
def pdf_stamps(n: int) -> bytes:
    stamps = [
        b"<</Type/Annot/Subtype/Stamp/Rect[%d %d %d %d]>>"
        % (k % 500, k // 500 * 10 % 700, k % 500 + 9, k // 500 * 10 % 700 + 9)
        for k in range(n)
    ]
    return _pages([_words(min(n, 1_000))], stamps)


def _words(n: int) -> bytes:
    return b"".join(
        b"BT /F 4 Tf %d %d Td (v%d) Tj ET\n" % (10 + 12 * (k % 48), 790 - 5 * (k // 48) % 780, k) for k in range(n)
    )


@heavy("glyph-lines.pdf", 30_000)
def pdf_glyph_lines(n: int) -> bytes:
    return _pages([_words(n)])


@heavy("lines-of-one-column.pdf", 20_000)
def pdf_column(n: int) -> bytes:
    return _pages(
        [
            b"".join(
                b"BT /F 4 Tf 50 %d.%d Td (valve %d opens) Tj ET\n" % (790 - k * 780 // n, k % 10, k) for k in range(n)
            )
        ]
    )


@heavy("rules.pdf", 40_000)
def pdf_rules(n: int) -> bytes:
    rules = b"".join(
        b"%d %d m %d %d l S\n" % (k % 500, k // 500 * 3 % 780, k % 500 + 40, k // 500 * 3 % 780) for k in range(n)
    )
    return _pages([_LINE + b"\n" + rules])


@heavy("grid.pdf", 20_000)
def pdf_grid(n: int) -> bytes:
    side = max(2, int(n**0.5))
    step = 560 / side
    boxes = b"".join(
        b"%.2f %.2f %.2f %.2f re S BT /F 2 Tf %.2f %.2f Td (%d) Tj ET\n"
        % (
            20 + step * (k % side),
            20 + step * (k // side),
            step,
            step,
            20.5 + step * (k % side),
            20.5 + step * (k // side),
            k,
        )
        for k in range(side * side)
    )
    return _pages([boxes])


@heavy("tiny-images.pdf", 15_000)
def pdf_tiny_images(n: int) -> bytes:
    image = b"BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI"
    content = b"".join(b"q 8 0 0 8 %d %d cm %b Q\n" % (k % 60 * 9, k // 60 * 9 % 780, image) for k in range(n))
    return _pages([_LINE + b"\n" + content])


@heavy("larger-images.pdf", 15_000)
def pdf_larger_images(n: int) -> bytes:
    image = b"BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI"
    content = b"".join(b"q 50 0 0 50 %d %d cm %b Q\n" % (k * 53 % 540, k * 57 % 740, image) for k in range(n))
    return _pages([_LINE + b"\n" + content])


@heavy("pages.pdf", 3_000)
def pdf_pages(n: int) -> bytes:
    return _pages([b"BT /F 12 Tf 50 700 Td (Valve %d opens at %d bar.) Tj ET" % (k, k) for k in range(n)])


@heavy("bookmarks.pdf", 10_000)
def pdf_bookmarks(n: int) -> bytes:
    base = 6
    items = []
    for k in range(n):
        after = b"/Next %d 0 R" % (base + k + 2) if k < n - 1 else b""
        items.append(b"<</Title(Valve %d)/Parent %d 0 R/Dest[4 0 R/Fit]%b>>" % (k, base, after))
    root = b"<</Type/Outlines/First %d 0 R/Last %d 0 R/Count %d>>" % (base + 1, base + n, n)
    return _pages([_LINE], [root, *items], b"/Outlines 6 0 R")


@heavy("nested-bookmarks.pdf", 10_000)
def pdf_nested_bookmarks(n: int) -> bytes:
    base = 6
    items = []
    for k in range(n):
        inner = b"/First %d 0 R/Last %d 0 R/Count 1" % (base + k + 2, base + k + 2) if k < n - 1 else b""
        items.append(b"<</Title(Valve %d)/Parent %d 0 R/Dest[4 0 R/Fit]%b>>" % (k, base + k, inner))
    root = b"<</Type/Outlines/First %d 0 R/Last %d 0 R/Count 1>>" % (base + 1, base + 1)
    return _pages([_LINE], [root, *items], b"/Outlines 6 0 R")


@heavy("attachments.pdf", 4_000)
def pdf_attachments(n: int) -> bytes:
    base = 6
    names = b" ".join(b"(a%06d.txt) %d 0 R" % (k, base + 2 * k) for k in range(n))
    files = []
    for k in range(n):
        files.append(b"<</Type/Filespec/F(a%d.txt)/EF<</F %d 0 R>>>>" % (k, base + 2 * k + 1))
        files.append(b"<</Type/EmbeddedFile/Length 5/Params<</Size 5>>>>\nstream\nvalve\nendstream")
    return _pages([_LINE], files, b"/Names<</EmbeddedFiles<</Names[" + names + b"]>>>>")


# -- RTF


@heavy("control-words.rtf", 150_000)
def rtf_control_words(n: int) -> bytes:
    return b"{\\rtf1 valve " + b"\\b\\b0 " * n + b"end"


@heavy("paragraphs.rtf", 100_000)
def rtf_paragraphs(n: int) -> bytes:
    return b"{\\rtf1 " + b"valve\\par " * n + b"}"


@heavy("groups.rtf", 100_000)
def rtf_groups(n: int) -> bytes:
    return b"{\\rtf1 " + b"{\\b v}" * n + b"}"


@heavy("open-groups.rtf", 90)
def rtf_open_groups(n: int) -> bytes:
    return b"{\\rtf1 " + b"{\\i v" * min(n, 90) + b"\\plain valve " * (n * 500)


@heavy("cells.rtf", 50_000)
def rtf_cells(n: int) -> bytes:
    return b"{\\rtf1 \\trowd " + b"\\cellx100 " * n + b"\\intbl " + b"v\\cell " * n + b"\\row valve}"


@heavy("rows.rtf", 20_000)
def rtf_rows(n: int) -> bytes:
    return b"{\\rtf1 " + b"\\trowd\\cellx100\\cellx200\\intbl v\\cell w\\cell\\row " * n + b"valve}"


@heavy("hex.rtf", 200_000)
def rtf_hex(n: int) -> bytes:
    return b"{\\rtf1\\ansicpg1252 " + b"\\'e4" * n + b"}"


@heavy("fonts.rtf", 30_000)
def rtf_fonts(n: int) -> bytes:
    fonts = b"".join(b"{\\f%d\\fswiss Font %d;}" % (k, k) for k in range(n))
    return b"{\\rtf1{\\fonttbl" + fonts + b"}" + b"".join(b"\\f%d v" % k for k in range(n)) + b"}"


# -- mail, books and archives


def _letter(head: str, body: str) -> bytes:
    fixed = "From: a@example.com\r\nTo: b@example.com\r\nSubject: Valve\r\nMessage-ID: <1@example.com>\r\n"
    return f"{fixed}{head}MIME-Version: 1.0\r\n{body}".encode()


@heavy("parts.eml", 9_000)
def mail_parts(n: int) -> bytes:
    parts = _many(
        n, "--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a#.txt\r\n\r\nvalve\r\n"
    )
    return _letter("", f'Content-Type: multipart/mixed; boundary="b"\r\n\r\n{parts}--b--')


@heavy("namesakes.eml", 9_000)
def mail_namesakes(n: int) -> bytes:
    parts = _many(n, "--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nv#\r\n")
    return _letter("", f'Content-Type: multipart/mixed; boundary="b"\r\n\r\n{parts}--b--')


@heavy("texts.eml", 9_000)
def mail_texts(n: int) -> bytes:
    parts = _many(n, "--b\r\nContent-Type: text/plain\r\n\r\nvalve #\r\n")
    return _letter("", f'Content-Type: multipart/mixed; boundary="b"\r\n\r\n{parts}--b--')


@heavy("headers.eml", 30_000)
def mail_headers(n: int) -> bytes:
    return _letter(_many(n, "X-Header-#: value of #\r\n"), "Content-Type: text/plain\r\n\r\nvalve")


@heavy("recipients.eml", 30_000)
def mail_recipients(n: int) -> bytes:
    return _letter(
        f"Cc: {_many(n, 'p#@example.com,' + chr(13) + chr(10) + ' ')}x@example.com\r\n",
        "Content-Type: text/plain\r\n\r\nvalve",
    )


@heavy("references.eml", 30_000)
def mail_references(n: int) -> bytes:
    return _letter(
        f"References: {_many(n, '<#@example.com>' + chr(13) + chr(10) + ' ')}<x@e>\r\n",
        "Content-Type: text/plain\r\n\r\nvalve",
    )


@heavy("inline-pictures.eml", 5_000)
def mail_pictures(n: int) -> bytes:
    shown = _many(n, "<img src='cid:p#'>")
    parts = _many(n, "--b\r\nContent-Type: image/png\r\nContent-ID: <p#>\r\n\r\nx#\r\n")
    html = f"--b\r\nContent-Type: text/html\r\n\r\n<p>valve</p>{shown}\r\n"
    return _letter("", f'Content-Type: multipart/related; boundary="b"\r\n\r\n{html}{parts}--b--')


@heavy("mails.mbox", 4_000)
def mailbox(n: int) -> bytes:
    mail = "From a@example.com Mon Jan  1 00:00:00 2024\r\nFrom: a@example.com\r\nSubject: Valve #\r\nMessage-ID: <#@e>\r\n\r\nvalve #\r\n\r\n"
    return _many(n, mail).encode()


@heavy("members.zip", 9_000)
def zip_members(n: int) -> bytes:
    return zipped({f"{number}.txt": b"valve" for number in range(n)}, zipfile.ZIP_STORED)


@heavy("namesakes.zip", 9_000)
def zip_namesakes(n: int) -> bytes:
    import warnings

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(n):
            archive.writestr("a.txt", b"valve")
    return buffer.getvalue()


@heavy("chapters.epub", 4_000)
def epub_chapters(n: int) -> bytes:
    manifest = _many(n, '<item id="c#" href="c#.html" media-type="application/xhtml+xml"/>')
    spine = _many(n, '<itemref idref="c#"/>')
    chapters = {f"c{number}.html": f"<h1>Valve {number}</h1><p>It opens.</p>".encode() for number in range(n)}
    return epub(f"<package><manifest>{manifest}</manifest><spine>{spine}</spine></package>", chapters)


@heavy("contents.epub", 10_000)
def epub_contents(n: int) -> bytes:
    manifest = '<item id="c" href="c.html"/>' + _many(n, '<item id="i#" href="i#.png"/>')
    points = _many(n, "<navPoint><navLabel><text>Valve #</text></navLabel><content src='c.html#'/></navPoint>")
    package = f'<package><manifest>{manifest}<item id="ncx" href="t.ncx" media-type="application/x-dtbncx+xml"/></manifest><spine toc="ncx"><itemref idref="c"/></spine></package>'
    return epub(package, {"c.html": b"<p>valve</p>", "t.ncx": f"<ncx><navMap>{points}</navMap></ncx>".encode()})


__all__ = ["KINDS", "Heavy"]
