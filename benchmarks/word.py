"""Word documents of companies: whether what they say is found, however it is written.

    python -m benchmarks.word

Each folder of `word.toml` has a few documents, each a text in the notation below, and questions to all of them; some
have no answer there. An answer is right if it has the words.

    # Heading              the number of "#" is the level; "T Title" is the title
    - item, 1. item        lists of Word's own; two spaces in front make an item deeper
    | a | b |              a table; "^" is merged with the cell above, "<" with the one before it
    > text                 a box: a table of one cell
    @ text, @@ text        a line of the header, of the footer
    **bold**, [x], [ ]     bold words, check boxes of Word
    {=text}                a content control; {+text} inserted, {-text} deleted, {?author: text} a comment
    text with a tab        stays a line with a tab
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docx import Document
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn

from benchmarks.asked_folders import print_answered

TABLES = Path(__file__).with_suffix(".toml")
_INLINE = re.compile(r"(\*\*[^*]+\*\*|\[[x ]\]|\{[=+?-][^}]*\})")
_CHECK_BOX = (
    '<w:sdt {names}><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml">'
    '<w14:checked w14:val="{value}"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>{sign}</w:t></w:r></w:sdtContent>'
    "</w:sdt>"
)
_CONTROL = "<w:sdt {names}><w:sdtPr/><w:sdtContent><w:r><w:t>{text}</w:t></w:r></w:sdtContent></w:sdt>"


def write_documents(folder: Path, documents: Sequence[Mapping[str, Any]]) -> None:
    """Write the documents of a folder, each from its text in the notation above."""
    for document in documents:
        written = Document()
        rows: list[list[str]] = []
        for line in [*document["text"].strip("\n").split("\n"), ""]:
            if line.startswith("|"):
                rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
                continue
            if rows:
                _table(written, rows)
                rows = []
            if line.strip():
                _line(written, line)
        written.save(folder / document["file"])


def _line(document: Any, line: str) -> None:
    heading, item = re.match(r"(#+) (.*)", line), re.match(r"( *)(-|\d+\.) (.*)", line)
    if heading:
        document.add_heading(heading[2], len(heading[1]))
    elif line.startswith("T "):
        document.add_heading(line[2:], 0)
    elif line.startswith("> "):
        _table(document, [[line[2:]]])
    elif line.startswith("@"):
        section = document.sections[0]
        part = section.footer if line.startswith("@@") else section.header
        _inline(part.add_paragraph() if part.paragraphs[-1].text else part.paragraphs[-1], line.lstrip("@ "))
    elif item:
        deeper = f" {len(item[1]) // 2 + 1}" if item[1] else ""
        style = ("List Bullet" if item[2] == "-" else "List Number") + deeper
        _inline(document.add_paragraph(style=style), item[3])
    else:
        _inline(document.add_paragraph(), line)


def _table(document: Any, rows: Sequence[Sequence[str]]) -> None:
    table = document.add_table(len(rows), max(map(len, rows)), "Table Grid")
    for place, row in enumerate(rows):
        for column, text in enumerate(row):
            cell = table.cell(place, column)
            if text in ("^", "<"):
                table.cell(place - (text == "^"), column - (text == "<")).merge(cell)
            else:
                for number, part in enumerate(text.split("//")):
                    paragraph = cell.paragraphs[0] if not number else cell.add_paragraph()
                    _inline(paragraph, part.strip())
    document.add_paragraph()


def _inline(paragraph: Any, text: str) -> None:
    for part in _INLINE.split(text):
        if part.startswith("**"):
            paragraph.add_run(part[2:-2]).bold = True
        elif part in ("[x]", "[ ]"):
            checked = part == "[x]"
            box = _CHECK_BOX.format(names=nsdecls("w"), value=int(checked), sign="☒" if checked else "☐")
            paragraph._p.append(parse_xml(box))
        elif part.startswith("{="):
            paragraph._p.append(parse_xml(_CONTROL.format(names=nsdecls("w"), text=part[2:-1])))
        elif part.startswith(("{+", "{-")):
            _change(paragraph, part[2:-1], inserted=part[1] == "+")
        elif part.startswith("{?"):
            author, said = part[2:-1].split(": ", 1)
            paragraph.part.document.add_comment(paragraph.runs[-1], said, author)
        elif part:
            paragraph.add_run(part)


def _change(paragraph: Any, text: str, *, inserted: bool) -> None:
    run = paragraph.add_run(text)._r
    change = OxmlElement("w:ins" if inserted else "w:del")
    change.set(qn("w:author"), "Editor")
    paragraph._p.append(change)
    change.append(run)
    if not inserted:
        run.find(qn("w:t")).tag = qn("w:delText")


def main() -> None:
    folders = tomllib.loads(TABLES.read_text(encoding="utf-8"))["folder"]
    print_answered(folders, lambda source, folder: write_documents(source, folder["document"]))


if __name__ == "__main__":
    main()
