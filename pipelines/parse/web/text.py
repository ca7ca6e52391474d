"""Plain text (paragraphs, headings, lists, tables and code, recognised by layout) and subtitles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path, PurePosixPath

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.decode import decode
from pipelines.parse.limits import check_text
from pipelines.parse.lines import LABELLED, join_lines
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.text_columns import parts_of
from pipelines.parse.web.text_tables import TextTable, text_tables

_CODE_SUFFIXES = frozenset(
    ".py .c .h .cpp .hpp .cc .cs .java .js .ts .go .rs .rb .php .sh .bat .ps1 .sql .r .m .f90 .ino .css .cfg"
    " .conf .cmake .v .vhd .bib .gcode .scad".split()
)
_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?:(?P<bullet>[-*+•‣◦▪·–])|(?P<number>\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]))[ \t]+(?=\S)"
)
_RULE = re.compile(r"([=\-~^*#_])\1{2,}\s*")
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})\.?[ \t]+(?=[^\W\d_])")
TAB = 4
"""Spaces per tab, as in CommonMark (2.2)."""
_LONGEST_CAPITALS = 70
"""Maximum characters of a heading in capitals without other signs: a line."""
_RULED = 3
"""Lines of a heading with a rule above and below."""
_LONGEST_HEADING = 100
"""Maximum characters of a heading: a line and a quarter of 80."""
_NO_HEADING = ".,;:!?。；，"
"""Marks at the end of a line that is no heading."""
_LEAST_INDENTED = 3
"""Minimum lines of an indented table: two aligned lines are more often code."""
_LINES_TOGETHER = 80
"""Maximum lines of a paragraph, more than a page; longer ones are logs."""
_DAMAGED = "the encoding is not certain: {} places could not be read"


class TextReader:
    """Reads text without markup; source code is one sequence of code blocks."""

    formats = (
        FileFormat("text/plain", (".txt",), sniff=lambda sample: False),  # what no other format recognises
    )
    name = "text"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        decoded = decode(path.read_bytes())
        check_text(len(decoded.text), source.uri, settings.limits)
        builder = DocumentBuilder(source, settings, self.name)
        if decoded.encoding not in ("utf-8", "utf-8-sig"):
            builder.meta("encoding", decoded.encoding)
        if decoded.damaged:
            builder.remark(_DAMAGED.format(decoded.damaged))
        if PurePosixPath(source.name).suffix.lower() in _CODE_SUFFIXES:
            append_code(decoded.text, builder)
        else:
            append_text(_without_title(decoded.text, builder), builder)
        return builder.build()


def _without_title(text: str, builder: DocumentBuilder) -> str:
    """Append the first line as title if it is short, stands alone, and looks like no field, sentence or heading.

    Return the text that is left.
    """
    head, blank, rest = text.lstrip("\ufeff\r\n").replace("\r\n", "\n").partition("\n\n")
    line = head.strip()
    if not blank or not rest.strip() or "\n" in line or not 0 < len(line) <= _LONGEST_HEADING:
        return text
    plain = line[0].isalnum() and line[-1] not in _NO_HEADING and head == head.lstrip() and any(map(str.isalpha, line))
    if not plain or LABELLED.match(line) or _NUMBERED.match(line) or len(parts_of(line)) != 1:
        return text
    builder.title(line)
    return rest


@dataclass(slots=True)
class _Run:
    """Successive lines, and whether they are indented like code."""

    lines: list[str]
    code: bool = False


def append_text(text: str, builder: DocumentBuilder) -> None:
    """Append the blocks of a plain text."""
    indents: list[int] = []
    most = builder.settings.limits.cells
    for run in _runs(text):
        tables = [table for table in text_tables(run.lines) if len(table.cells) <= most]
        if run.code and not indents and not _is_one_table(run.lines, tables):
            builder.code("\n".join(run.lines))
        else:
            _append_run(run.lines, tables, builder, indents)


def _is_one_table(lines: list[str], tables: list[TextTable]) -> bool:
    return len(tables) == 1 and len(lines) == tables[0].end - tables[0].start >= _LEAST_INDENTED


def _append_run(lines: list[str], tables: list[TextTable], builder: DocumentBuilder, indents: list[int]) -> None:
    """Append lines that have no blank one among them; a line above a table is a heading or the table's caption."""
    position = 0
    for table in tables:
        above = lines[position : table.start]
        alone = len(above) == 1 and len(above[0]) <= _LONGEST_HEADING
        caption = above[0].strip() if alone and not _heading(above, builder) else ""
        if not alone:
            _append_lines(above, builder, indents)
        builder.table(table.cells, caption=caption)
        indents.clear()
        position = table.end
    _append_lines(lines[position:], builder, indents)


def _append_lines(lines: list[str], builder: DocumentBuilder, indents: list[int]) -> None:
    for start in range(0, len(lines), _LINES_TOGETHER):
        part = lines[start : start + _LINES_TOGETHER]
        if _heading(part, builder):
            indents.clear()
        else:
            _append_items_and_paragraphs(part, builder, indents)


def _runs(text: str) -> Iterator[_Run]:
    """Yield the runs separated by blank lines; runs of indented code are joined."""
    held: _Run | None = None
    for lines in _paragraphs(text):
        code = all(line.startswith(("    ", "\t")) for line in lines) and not _ITEM.match(lines[0])
        if code and held is not None:
            held.lines += ["", *lines]
            continue
        if held is not None:
            yield held
        held = _Run(lines, True) if code else None
        if not code:
            yield _Run(lines)
    if held is not None:
        yield held


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Yield the lines of each paragraph; form feeds separate too."""
    lines: list[str] = []
    for line in text.replace("\f", "\n\n").splitlines():
        if line.strip():
            lines.append(line.rstrip())
        elif lines:
            yield lines
            lines = []
    if lines:
        yield lines


def _heading(lines: list[str], builder: DocumentBuilder) -> bool:
    """Append a heading and the text directly below it; return False if the lines do not begin with a heading."""
    ruled = [_RULE.fullmatch(line) is not None for line in lines[:_RULED]]
    if ruled[:2] == [False, True] and len(lines[0]) <= _LONGEST_HEADING:
        builder.heading(lines[0], 1 if lines[1][0] in "=#*" else 2)
        _append_items_and_paragraphs(lines[2:], builder, [])
        return True
    if ruled == [True, False, True]:
        builder.heading(lines[1], 1)
        _append_items_and_paragraphs(lines[_RULED:], builder, [])
        return True
    if len(lines) != 1 or len(lines[0]) > _LONGEST_HEADING or lines[0][-1] in _NO_HEADING:
        return False
    line = lines[0].strip()
    numbered = _NUMBERED.match(line)
    if numbered and not lines[0][0].isspace():
        return builder.heading(line, numbered.group("number").count(".") + 1)
    return line.isupper() and len(line.split()) > 1 and len(line) < _LONGEST_CAPITALS and builder.heading(line, 1)


def _append_items_and_paragraphs(lines: list[str], builder: DocumentBuilder, indents: list[int]) -> None:
    """Append items with their depth by indentation; `indents` are those of the open lists, outermost first."""
    held: list[str] = []
    level = 0
    for line in lines:
        item = _ITEM.match(line)
        if item is None and _continues(line, level, indents):
            held.append(line.strip())
            continue
        _append(held, level, builder)
        if item is None:
            indents.clear()
            held, level = [line], 0
        else:
            level = _depth(len(item["indent"].expandtabs(TAB)), indents)
            held = [(item["number"] + " " if item["number"] else "") + line[item.end() :]]
    _append(held, level, builder)


def _continues(line: str, level: int, indents: list[int]) -> bool:
    """Whether a line continues an item (it is indented deeper than the bullet), or a paragraph (any line does)."""
    if not indents:
        return level == 0
    indent = line[: len(line) - len(line.lstrip())]
    return len(indent.expandtabs(TAB)) > indents[-1]


def _depth(indent: int, indents: list[int]) -> int:
    while indents and indent < indents[-1]:
        indents.pop()
    if not indents or indent > indents[-1]:
        indents.append(indent)
    return len(indents)


def _append(lines: list[str], level: int, builder: DocumentBuilder) -> None:
    text = "\n".join(lines)
    if level:
        builder.list_item(text, level)
    elif not _RULE.fullmatch(text.strip() or "-"):
        builder.paragraph(text)


def append_code(text: str, builder: DocumentBuilder) -> None:
    """Append source code, split at blank lines that precede a line without indentation."""
    for part in re.split(r"\n[ \t]*\n(?=\S)", text.replace("\r\n", "\n")):
        builder.code(part)


_TIME = re.compile(r"((?:\d{1,4}:)?\d\d:\d\d)[,.]\d{3}[ \t]+-->[ \t]+(?:\d{1,4}:)?\d\d:\d\d[,.]\d{3}[^\n]*")
_SUBRIP = re.compile(r"\s*\d{1,9}[ \t]*\r?\n" + _TIME.pattern)
_SPEAKER = re.compile(r"<v(?:\.[\w.-]{1,80})? ([^<>]{1,200})>")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>|<\d[\d:.]{0,20}>|\{\\[^{}]{0,200}\}")
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？", '."', ".”", "♪", ")", "]")
_LONGEST_PASSAGE = 600
"""Maximum characters of a passage without end marks of sentences: eight lines of 75."""


class SubtitleReader:
    """Reads SubRip and WebVTT: cues are joined into sentences, each labelled with its start time."""

    formats = (
        FileFormat("text/vtt", (".vtt",), sniff=lambda sample: sample.text.lstrip("\ufeff").startswith("WEBVTT")),
        FileFormat("application/x-subrip", (".srt",), sniff=lambda sample: _SUBRIP.match(sample.text) is not None),
    )
    name = "subtitles"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        began, held = "", list[str]()
        for cue in re.split(r"\n(?:[ \t]*\n)+", decode(path.read_bytes()).text.replace("\r\n", "\n")):
            time = _TIME.search(cue)
            if time is None:
                _append_note(cue, builder)
                continue
            lines = [_spoken(line) for line in cue[time.end() :].splitlines()]
            if held and (
                _SPEAKER.search(cue) or held[-1].endswith(_SENTENCE_ENDS) or sum(map(len, held)) > _LONGEST_PASSAGE
            ):
                builder.paragraph(join_lines(held), Place(label=began))
                held = []
            began = began if held else time[1]
            held += filter(None, lines)
        builder.paragraph(join_lines(held), Place(label=began))
        return builder.build()


def _spoken(line: str) -> str:
    return unescape(_TAG.sub("", _SPEAKER.sub(r"\1: ", line))).strip()


def _append_note(block: str, builder: DocumentBuilder) -> None:
    """Append a block without a time if it is a comment; others concern the presentation."""
    head, _, rest = block.strip().partition("\n")
    if head.startswith("NOTE"):
        builder.note(f"{head.removeprefix('NOTE')}\n{rest}")
