"""Tests of recognizing headings by their look alone."""

from __future__ import annotations

from pathlib import Path

from pipelines.core.document import BlockKind, Document
from pipelines.parse.lookalikes import TITLE, Look, StyledParagraph, lookalikes
from pipelines.parse.parse import parse, source_of
from pipelines.parse.settings import ParseSettings
from tests.parse.office.files import docx, odf, p, tbl, tc, tr

BODY, BOLD, LARGE, HUGE = Look(11), Look(11, True), Look(14, True), Look(20, True)
PROSE = "The pump stands on a plate and is driven by a belt from the motor."


def levels_of(*paragraphs: tuple[str, Look]) -> dict[str, int]:
    seen = [StyledParagraph(position, text, look) for position, (text, look) in enumerate(paragraphs)]
    return {paragraphs[position][0]: level for position, level in lookalikes(seen, len(seen) - 1).items()}


def test_levels_follow_size_then_weight_and_the_first_alone_is_the_title() -> None:
    assert levels_of(
        ("Pump P-101", HUGE), (PROSE, BODY), ("Repair", LARGE), ("Seals", BOLD), (PROSE, BODY), ("Parts", LARGE),
        (PROSE, BODY), (PROSE, BODY),
    ) == {"Pump P-101": TITLE, "Repair": 1, "Seals": 2, "Parts": 1}  # fmt: skip


def test_a_number_gives_the_level() -> None:
    found = levels_of((PROSE, BODY), ("1 Repair", BOLD), (PROSE, BODY), ("1.1 Seals", BOLD), (PROSE, BODY))
    assert found == {"1 Repair": 1, "1.1 Seals": 2}


def test_sentences_warnings_and_captions_are_not_headings() -> None:
    for text in ("Switch it off.", "Warning: hot surface", "Table 3 Torques", "4711", "Needed parts:"):
        assert levels_of((PROSE, BODY), (text, BOLD), (PROSE, BODY)) == {}


def test_a_block_of_lines_and_the_last_line_are_not_headings() -> None:
    block = [("Acme Pumps", BOLD), ("12 Mill Road", BOLD), ("Leeds", BOLD)]
    assert levels_of(*block, (PROSE, BODY), (PROSE, BODY), (PROSE, BODY), (PROSE, BODY), ("The board", BOLD)) == {}


def test_bold_text_is_not_a_heading_if_everything_is_bold() -> None:
    assert levels_of(("Repair", BOLD), (PROSE, BOLD), ("Seals", BOLD), (PROSE, BOLD)) == {}


def _document(tmp_path: Path, name: str, data: bytes) -> Document:
    path = tmp_path / name
    path.write_bytes(data)
    document = parse(path, source_of(path, name), ParseSettings()).document
    assert document is not None
    return document


def _headings(document: Document) -> list[tuple[str, int]]:
    return [(block.text, block.level) for block in document.blocks if block.kind is BlockKind.HEADING]


def _run(text: str, properties: str) -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def test_bold_paragraphs_of_a_word_document_without_styles_are_headings(tmp_path: Path) -> None:
    large = p(_run("Repair", '<w:b/><w:sz w:val="28"/>'))
    small = p(_run("Seals", "<w:b/>"))
    cell = tbl(tr(tc(p(_run("Torque", "<w:b/>"))), tc("12 Nm")), tr(tc("Gap"), tc("2 mm")))
    document = _document(tmp_path, "a.docx", docx(p(PROSE) + large + p(PROSE) + small + cell + p(PROSE)))
    assert _headings(document) == [("Repair", 1), ("Seals", 2)]
    assert [section.title for section in document.sections] == ["", "Repair", "Seals"]


def test_if_some_headings_are_styled_no_others_are_guessed(tmp_path: Path) -> None:
    styled = p("Repair", "Heading1")
    document = _document(tmp_path, "a.docx", docx(p(PROSE) + styled + p(_run("Seals", "<w:b/>")) + p(PROSE)))
    assert _headings(document) == [("Repair", 1)]


def test_bold_paragraphs_of_an_open_document_without_headings_are_headings(tmp_path: Path) -> None:
    fo = 'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
    style = (
        f'<style:style style:name="T1" style:family="text"><style:text-properties {fo} fo:font-weight="bold"/>'
        f'</style:style><style:style style:name="P1" style:family="paragraph"><style:text-properties {fo}'
        ' fo:font-size="16pt" fo:font-weight="bold"/></style:style>'
    )
    body = (
        f'<text:p>{PROSE}</text:p><text:p text:style-name="P1">Repair</text:p><text:p>{PROSE}</text:p>'
        f'<text:p><text:span text:style-name="T1">Seals</text:span></text:p><text:p>{PROSE}</text:p>'
        f'<text:p>See <text:span text:style-name="T1">Seals</text:span></text:p><text:p>{PROSE}</text:p>'
    )
    assert _headings(_document(tmp_path, "a.odt", odf("text", body, styles=style))) == [("Repair", 1), ("Seals", 2)]


def test_bold_paragraphs_of_rtf_without_styles_are_headings(tmp_path: Path) -> None:
    text = rf"{{\rtf1\fs22 {PROSE}\par{{\b\fs32 Repair}}\par {PROSE}\par\b Seals\b0\par {PROSE} {{\b Stop}} it.\par}}"
    assert _headings(_document(tmp_path, "a.rtf", text.encode())) == [("Repair", 1), ("Seals", 2)]
