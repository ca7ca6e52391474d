"""Tests of the content of DOCX paragraphs: revisions, notes, links, boxes, pictures and equations."""

from __future__ import annotations

from collections.abc import Callable

from pipelines.core.document import BlockKind, Document, ReferenceKind
from pipelines.core.outcome import Status
from pipelines.parse.parsed import Parsed
from tests.parse.office.files import docx, p, w

DocumentOf = Callable[..., Document]


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


def run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def test_insertions_are_kept_and_deletions_dropped(document_of: DocumentOf) -> None:
    deleted = "<w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
    body = p(f"{run('the ')}{deleted}<w:ins>{run('new')}</w:ins>{run(' text')}")
    assert texts(document_of("a.docx", docx(body))) == ["the new text"]


def test_hidden_text_is_omitted(document_of: DocumentOf) -> None:
    assert texts(document_of("a.docx", docx(p(run("seen") + run("unseen", "<w:vanish/>"))))) == ["seen"]


def test_a_footnote_follows_its_paragraph_and_an_endnote_the_text(document_of: DocumentOf) -> None:
    notes = w("footnotes", f'<w:footnote w:id="0" w:type="separator">{p("-")}</w:footnote>'
                           f'<w:footnote w:id="2">{p("small")}'
              "</w:footnote>")  # fmt: skip
    ends = w("endnotes", f'<w:endnote w:id="5">{p("late")}</w:endnote>')
    body = p(run("one") + '<w:r><w:footnoteReference w:id="2"/><w:endnoteReference w:id="5"/></w:r>') + p("two")
    parts = {"word/footnotes.xml": notes, "word/endnotes.xml": ends}
    data = docx(body, parts, [("f", "footnotes", "footnotes.xml"), ("e", "endnotes", "endnotes.xml")])
    document = document_of("a.docx", data)
    assert texts(document) == ["one", "small", "two", "late"]
    assert [block.kind for block in document.blocks][1::2] == [BlockKind.FOOTNOTE, BlockKind.FOOTNOTE]


def test_a_comment_has_its_author_and_the_commented_text(document_of: DocumentOf) -> None:
    comments = w(
        "comments",
        '<w:comment w:id="1" w:author="Ada Low" w:initials="AL" '
        f'w:date="2026-01-04T05:48:07Z">{p("22 µF!")}</w:comment>',
    )
    body = p(
        run("use ") + '<w:commentRangeStart w:id="1"/>' + run("10 µF") + '<w:commentRangeEnd w:id="1"/>' + run(" here")
    )
    data = docx(body, {"word/comments.xml": comments}, [("c", "comments", "comments.xml")])
    document = document_of("a.docx", data)
    assert texts(document) == [
        "use 10 µF here",
        "[author: Ada Low (AL), time: 2026-01-04T05:48:07Z, on: “10 µF”] 22 µF!",
    ]
    assert document.blocks[1].kind is BlockKind.NOTE


def test_links_are_references_with_their_text(document_of: DocumentOf) -> None:
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF _Ref1 \\r \\h </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        + run("2.8.5")
        + '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    body = p(f'{run("See ")}<w:hyperlink r:id="h">{run("the data sheet")}</w:hyperlink>{run(" and ")}{field}')
    document = document_of("a.docx", docx(body, {}, [("h", "hyperlink", "https://example.org/ds.pdf")]))
    assert texts(document) == ["See the data sheet and 2.8.5"]
    found = [(link.kind, link.target, link.evidence, link.section) for link in document.references]
    assert (ReferenceKind.HYPERLINK, "https://example.org/ds.pdf", "the data sheet", "") in found
    assert (ReferenceKind.CROSS_REFERENCE, "2.8.5", "2.8.5", "2.8.5") in found


def test_a_text_box_with_a_fallback_is_read_once(document_of: DocumentOf) -> None:
    box = f"<w:txbxContent>{p('in the box')}</w:txbxContent>"
    drawing = (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><a:graphic><a:graphicData><wps:wsp><wps:txbx>'
        f"{box}</wps:txbx></wps:wsp></a:graphicData></a:graphic></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:shape><v:textbox>{box}</v:textbox></v:shape></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    assert texts(document_of("a.docx", docx(p(run("around") + drawing)))) == ["around", "in the box"]


def test_the_selected_entry_of_a_drop_down_field_is_text(document_of: DocumentOf) -> None:
    entries = '<w:result w:val="1"/><w:listEntry w:val="PVC"/><w:listEntry w:val="Steel"/>'
    field = (
        f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList>{entries}</w:ddList></w:ffData></w:fldChar></w:r>'
        '<w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    assert texts(document_of("a.docx", docx(p(run("Pipe: ") + field)))) == ["Pipe: Steel"]


def test_check_boxes_keep_their_state(document_of: DocumentOf) -> None:
    def box(state: str) -> str:
        return (
            f'<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="{state}"/></w14:checkbox></w:sdtPr>'
            f"<w:sdtContent>{run('?')}</w:sdtContent></w:sdt>"
        )

    document = document_of("a.docx", docx(p(box("1") + run("Tea")) + p(box("0") + run("Milk"))))
    assert [(block.kind, block.text) for block in document.blocks] == [
        (BlockKind.LIST_ITEM, "☒ Tea"),
        (BlockKind.LIST_ITEM, "☐ Milk"),
    ]


def test_a_separate_equation_is_a_formula_and_an_inline_one_is_marked(document_of: DocumentOf) -> None:
    equation = (
        "<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    )
    document = document_of("a.docx", docx(p(equation) + p(run("so ") + equation)))
    assert [(block.kind, block.text) for block in document.blocks] == [
        (BlockKind.FORMULA, "x^{2}"),
        (BlockKind.PARAGRAPH, "so $x^{2}$"),
    ]


def test_a_picture_keeps_its_bytes_and_alternative_text(document_of: DocumentOf, png: bytes) -> None:
    drawing = (
        '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="Wiring of the pump"/><a:graphic>'
        '<a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="i"/></pic:blipFill></pic:pic>'
        "</a:graphicData></a:graphic>"
        "</wp:inline></w:drawing></w:r>"
    )
    data = docx(p(drawing), {"word/media/a.png": png}, [("i", "image", "media/a.png")])
    document = document_of("a.docx", data)
    (figure,) = document.figures
    assert (figure.media_type, figure.width, figure.description) == ("image/png", 3, "Wiring of the pump")


def test_smart_art_is_read_as_a_tree(document_of: DocumentOf) -> None:
    points = "".join(
        f'<dgm:pt modelId="{id}" type="{kind}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for id, kind, text in (("0", "doc", ""), ("2", "node", "leaf"), ("1", "node", "root"), ("3", "pres", "no"))
    )
    links = '<dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn srcId="1" destId="2" srcOrd="0"/>'
    model = w("x", f"<dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst>")
    drawing = (
        '<w:r><w:drawing><a:graphic><a:graphicData><dgm:relIds r:dm="d"/></a:graphicData></a:graphic></w:drawing></w:r>'
    )
    data = docx(p(drawing), {"word/diagrams/data1.xml": model}, [("d", "diagramData", "diagrams/data1.xml")])
    document = document_of("a.docx", data)
    assert [(block.level, block.text) for block in document.blocks] == [(1, "root"), (2, "leaf")]


def test_symbols_of_a_font_become_characters(document_of: DocumentOf) -> None:
    body = p(run("5 ") + '<w:r><w:sym w:font="Symbol" w:char="F057"/></w:r>')
    assert texts(document_of("a.docx", docx(body))) == ["5 Ω"]


def test_a_document_without_text_is_empty(parse_bytes: Callable[..., Parsed]) -> None:
    assert parse_bytes("a.docx", docx(p("<w:r/>"))).status is Status.EMPTY


def test_superscript_and_subscript_digits_are_preserved(document_of: DocumentOf) -> None:
    up, down = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
    body = p(
        run("10")
        + run("-6", up)
        + run(" m")
        + run("2", up)
        + run(", H")
        + run("2", down)
        + run("O, V")
        + run("OUT", down)
    )
    assert texts(document_of("a.docx", docx(body))) == ["10⁻⁶ m², H₂O, VOUT"]


def test_an_embedded_document_becomes_a_child(parse_bytes: Callable[..., Parsed]) -> None:
    parts = {"word/part.html": "<p>inside</p>"}
    parsed = parse_bytes("a.docx", docx(p("x") + '<w:altChunk r:id="c"/>', parts, [("c", "aFChunk", "part.html")]))
    assert [(child.name, child.data) for child in parsed.children] == [("part.html", b"<p>inside</p>")]
