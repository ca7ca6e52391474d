"""reStructuredText, read by way of its HTML (docutils), and Org mode, read line by line."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.core.document import ReferenceKind, Source
from pipelines.core.table import Cell
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import parse_html_text
from pipelines.parse.web.text import TAB
from pipelines.parse.web.walk import Walker

_SIGN = re.compile(r"^\.\. (?:[a-z-]+::|_[^:\n]+:)", re.MULTILINE)
# A document must not make us read other files, fetch anything, run code or stop at its mistakes.
_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 5,
    "halt_level": 5,
    "doctitle_xform": False,
    "initial_header_level": 1,
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "smart_quotes": False,
    "line_length_limit": 1_000_000,
    "traceback": True,
}
_CODE_DIRECTIVE = re.compile(r"^([ \t]*)\.\. (?:code-block|sourcecode|highlight|literalinclude)::", re.MULTILINE)
_ROLE = re.compile(
    r":(?:ref|doc|term|class|func|meth|mod|py:\w+|file|guilabel|menuselection|kbd|abbr|numref):`([^`<]*+)[^`]*`"
)
_UNKNOWN_DIRECTIVE = re.compile(
    r"^([ \t]*)\.\. (?:toctree|versionadded|versionchanged|deprecated|seealso|only|index|automodule|autoclass|tabs?"
    r"|item|mermaid|graphviz|plantuml|glossary|rst-class|tabularcolumns)::[ \t]*+(.*+)\n(?:[ \t]+:[\w-]+:.*\n)*",
    re.MULTILINE,
)


class RstReader:
    """Reads reStructuredText; directives that only Sphinx knows keep their text."""

    formats = (
        FileFormat(
            "text/x-rst", (".rst", ".rest"), guess=lambda sample: bool(_SIGN.search(sample.text)), also=(".txt",)
        ),
    )
    name = "rst"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        html = _to_html(_plain_directives(decode(path.read_bytes()).text))
        Walker(builder, furniture=False).walk(parse_html_text(html, source.uri))
        return builder.build()


def _to_html(text: str) -> str:
    from docutils.core import publish_parts

    parts = publish_parts(text, writer="html5", settings_overrides=_SETTINGS)
    return str(parts["html_body"])


def _plain_directives(text: str) -> str:
    """Turn what docutils does not know into what it does: a box of code, a box of text, a word in its quotes."""
    text = _CODE_DIRECTIVE.sub(r"\1.. code::", text)
    text = _ROLE.sub(r"\1", text)
    return _UNKNOWN_DIRECTIVE.sub(r"\1\2", text)


_HEADLINE = re.compile(r"(\*+)\s+(?:(?:TODO|DONE|NEXT|WAITING)\s+)?(?:\[#[A-Z]\]\s+)?(.*)")
_LABELS = re.compile(r"(?<!\s)\s++:[\w@:]+:$")
_ITEM = re.compile(r"(\s*)(?:[-+]|\d+[.)])\s+(?:\[[ X-]\]\s+)?(.*)$")
_KEYWORD = re.compile(r"#\+(\w+):\s*(.*)$")
_BLOCK = re.compile(r"\s*#\+begin_(\w+)", re.IGNORECASE)
_PART = r"(?:[^\[\]]|\[(?!\[))"
_LINK = re.compile(rf"\[\[({_PART}+)\](?:\[({_PART}+)\])?\]")
_DRAWER = re.compile(r"\s*:(?:PROPERTIES|LOGBOOK):\s*$", re.IGNORECASE)
_SKIPPED = re.compile(r"\s*(?:#(?:\s|$)|(?:SCHEDULED|DEADLINE|CLOSED):)")
_META = {"title": "title", "author": "author", "date": "created", "description": "description", "language": "language"}


class OrgReader:
    """Reads Org line by line."""

    formats = (FileFormat("text/x-org", (".org",)),)
    name = "org"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        _Org(builder).read(decode(path.read_bytes()).text.splitlines())
        return builder.build()


class _Org:
    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._paragraph: list[str] = []
        self._item = 0
        self._rows: list[list[str]] = []
        self._header = 0

    def read(self, lines: list[str]) -> None:
        block: list[str] | None = None
        kind, drawer = "", False
        for line in lines:
            if block is not None:
                if re.match(rf"\s*#\+end_{kind}\b", line, re.IGNORECASE):
                    self._append_block(kind, block)
                    block = None
                else:
                    block.append(line)
            elif drawer:
                drawer = line.strip().upper() != ":END:"
            elif match := _BLOCK.match(line):
                self._flush()
                block, kind = [], match.group(1).lower()
            elif _DRAWER.match(line):
                drawer = True
            else:
                self._line(line)
        self._append_block(kind, block or [])
        self._flush()

    def _line(self, line: str) -> None:
        if match := _HEADLINE.match(line):
            self._flush()
            self._prose(_LABELS.sub("", match.group(2).rstrip()), heading=len(match.group(1)))
        elif line.lstrip().startswith("|"):
            self._row(line.strip())
        elif match := _KEYWORD.match(line):
            self._keyword(match.group(1).lower(), match.group(2))
        elif match := _ITEM.match(line):
            self._flush()
            self._item = len(match.group(1).expandtabs(TAB)) // 2 + 1
            self._paragraph.append(match.group(2))
        elif not line.strip() or _SKIPPED.match(line):
            self._flush()
        else:
            self._paragraph.append(line.strip())

    def _keyword(self, name: str, value: str) -> None:
        self._flush()
        if name in _META:
            self._builder.meta(_META[name], value)
        if name == "title":
            self._builder.title(value)
        elif name == "caption":
            self._builder.caption(value)

    def _row(self, line: str) -> None:
        if self._paragraph:
            self._flush()
        if line.startswith("|-"):
            self._header = self._header or len(self._rows)
        else:
            self._rows.append([cell.strip() for cell in line.strip("|").split("|")])

    def _flush(self) -> None:
        if self._rows:
            cells = [
                Cell(row, column, _shown(text), header=row < self._header)
                for row, texts in enumerate(self._rows)
                for column, text in enumerate(texts)
            ]
            if self._builder.table(cells):
                for texts in self._rows:
                    self._refer(" ".join(texts))
            self._rows, self._header = [], 0
        if self._paragraph:
            self._prose("\n".join(self._paragraph))
            self._paragraph, self._item = [], 0

    def _prose(self, text: str, heading: int = 0) -> None:
        shown = _shown(text)
        if heading:
            added = self._builder.heading(shown, heading)
        elif self._item:
            added = self._builder.list_item(shown, self._item)
        else:
            added = self._builder.paragraph(shown)
        if added:
            self._refer(text)

    def _refer(self, text: str) -> None:
        for link in _LINK.finditer(text):
            target = link.group(1).removeprefix("file:")
            kind = ReferenceKind.CROSS_REFERENCE if target.startswith(("#", "*")) else ReferenceKind.HYPERLINK
            self._builder.reference(kind, target, link.group(2) or link.group(1))

    def _append_block(self, kind: str, lines: list[str]) -> None:
        if kind in ("src", "example", "export"):
            self._builder.code("\n".join(lines))
        elif kind != "comment":
            self._builder.paragraph("\n".join(lines))


def _shown(text: str) -> str:
    """A link shows its description, an emphasized word itself."""
    text = _LINK.sub(lambda link: link.group(2) or link.group(1), text)
    return re.sub(r"(?<!\S)([*/_=~+])(\S(?:[^\n]{0,200}?\S)?)\1(?=[\s.,;:!?)]|$)", r"\2", text)
