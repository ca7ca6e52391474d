"""reStructuredText, converted to HTML by docutils, and Org mode, converted to Markdown line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import parse_html_text
from pipelines.parse.web.markdown import append_markdown
from pipelines.parse.web.walk import Walker

_SIGN = re.compile(r"^\.\. (?:[a-z-]+::|_[^:\n]+:)", re.MULTILINE)
# A document must not include files, fetch anything, run code, or fail because of its errors.
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
_CODE_DIRECTIVE = re.compile(r"^([ \t]*)\.\. (?:code-block|sourcecode|literalinclude)::", re.MULTILINE)
_ROLE = re.compile(r":(?P<name>[a-z][a-z-]*+(?::[a-z]++)?):`(?P<shown>[^`<]*+)(?P<target>[^`]*+)`")
_DIRECTIVE = re.compile(
    r"^(?P<indent>[ \t]*)\.\. (?P<name>[\w+-]++(?::[\w+-]++)*+)::(?:[ \t]++(?P<words>.*+))?\n(?:[ \t]+:[\w-]+:.*\n)*",
    re.MULTILINE,
)
# Directives of Sphinx without visible output: page settings, index entries.
_SILENT = frozenset(
    "index tabularcolumns rst-class default-domain currentmodule c:namespace cpp:namespace highlight sectionauthor"
    " codeauthor py:currentmodule".split()
)


class RstReader:
    """Reads reStructuredText; unknown directives, such as those of Sphinx, are replaced by their text."""

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
    """Replace directives and roles that docutils does not know: by a code block, their text, or the quoted word."""
    from docutils.parsers.rst.languages import en

    def directive(found: re.Match[str]) -> str:
        name = found["name"].lower()
        if name in en.directives:
            return found[0]
        return "" if name in _SILENT else f"{found['indent']}{found['words'] or ''}\n"

    def role(found: re.Match[str]) -> str:
        return found[0] if found["name"] in en.roles else found["shown"].rstrip() or found["target"]

    text = _CODE_DIRECTIVE.sub(r"\1.. code::", text)
    text = _ROLE.sub(role, text)
    return _DIRECTIVE.sub(directive, text)


_HEADLINE = re.compile(r"(\*+)\s+(?:(?:TODO|DONE|NEXT|WAITING)\s+)?(?:\[#[A-Z]\]\s+)?(.*)")
_LABELS = re.compile(r"(?<!\s)\s++:[\w@:]+:$")
_ITEM = re.compile(r"(?P<mark>\s*(?:[-+]|\d+[.)])\s+)(?:\[[ X-]\]\s+)?(?P<text>.*)$")
_KEYWORD = re.compile(r"#\+(\w+):\s*(.*)$")
_BLOCK = re.compile(r"\s*#\+(begin|end)_(\w+)", re.IGNORECASE)
_PART = r"(?:[^\[\]]|\[(?!\[))"
_LINK = re.compile(rf"\[\[({_PART}+)\](?:\[({_PART}+)\])?\]")
_EMPHASIS = re.compile(r"(?<!\S)([*/_=~+])(\S(?:[^\n]{0,200}?\S)?)\1(?=[\s.,;:!?)]|$)")
_DRAWER = re.compile(r"\s*:(?:PROPERTIES|LOGBOOK):\s*$", re.IGNORECASE)
_SKIPPED = re.compile(r"\s*(?:#(?:\s|$)|(?:SCHEDULED|DEADLINE|CLOSED):)")
_META = {"title": "title", "author": "author", "date": "created", "description": "description", "language": "language"}
_VERBATIM = ("src", "example", "export")


class OrgReader:
    """Reads Org mode (headlines, lists, tables, blocks, links), converted to Markdown line by line."""

    formats = (FileFormat("text/x-org", (".org",)),)
    name = "org"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        lines = decode(path.read_bytes()).text.splitlines()
        for keyword in filter(None, map(_KEYWORD.match, lines)):
            if (name := _META.get(keyword[1].lower())) is not None:
                builder.meta(name, keyword[2])
        builder.title(builder.metadata.get("title", ""))
        append_markdown("\n".join(_as_markdown(lines)), builder, titled=False)
        return builder.build()


def _as_markdown(lines: list[str]) -> Iterator[str]:
    block, drawer, rows = "", False, list[str]()
    for line in (*lines, ""):
        mark = _BLOCK.match(line)
        if rows and not line.lstrip().startswith("|"):
            yield from _table(rows)
            rows.clear()
        if drawer:
            drawer = line.strip().upper() != ":END:"
        elif mark and (not block or (mark[1].lower(), mark[2].lower()) == ("end", block)):
            block = "" if block else mark[2].lower()
            yield "\n````" if mark[2].lower() in _VERBATIM else ""
        elif block:
            yield "" if block == "comment" else line if block in _VERBATIM else _shown(line)
        elif _DRAWER.match(line):
            drawer = True
        elif line.lstrip().startswith("|"):
            rows.append(line.strip())
        else:
            yield _line(line)


def _table(rows: list[str]) -> Iterator[str]:
    """Yield a table with a single rule below its first row, the only one that Markdown allows."""
    texts = [_shown(row) for row in rows if not row.startswith("|-")]
    rule = "|" + "---|" * (texts[0].strip("|").count("|") + 1) if texts else ""
    yield from ("", *texts[:1], rule, *texts[1:], "")


def _line(line: str) -> str:
    if match := _HEADLINE.match(line):
        # Markdown has six levels.
        return f"\n{'#' * min(6, len(match[1]))} {_shown(_LABELS.sub('', match[2].rstrip()))}\n"
    if match := _KEYWORD.match(line):
        return f'\n<p class="caption">{match[2]}</p>\n' if match[1].lower() == "caption" else ""
    if match := _ITEM.match(line):
        return match["mark"] + _shown(match["text"])
    return "" if _SKIPPED.match(line) else _shown(line)


def _shown(text: str) -> str:
    """Return text in Markdown: links with their description, emphasis without its marks."""
    text = _LINK.sub(lambda link: f"[{link[2] or link[1]}](<{_target(link[1])}>)", text)
    return _EMPHASIS.sub(r"\2", text)


def _target(address: str) -> str:
    return f"#{address[1:]}" if address.startswith("*") else address.removeprefix("file:")
