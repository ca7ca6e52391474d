"""Blocks of AsciiDoc as HTML, line by line: sections, paragraphs, lists, delimited blocks."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from itertools import pairwise

from pipelines.parse.web.asciidoc_table import table_html
from pipelines.parse.web.asciidoc_text import AsciiDocText, picture, plain

_ATTRIBUTE = re.compile(r":(!?\w[\w-]*+!?):(?:[ \t]+(.*))?")
_META = {"lang": "language", "author": "author", "authors": "author", "revdate": "created", "keywords": "keywords",
         "description": "description"}  # fmt: skip
_CONDITION = re.compile(r"(?:ifdef|ifndef|ifeval|endif)::")
_ANCHOR = re.compile(r"\[\[([^\[\],]++)[^\[\]]*+\]\]|\[#([\w:.-]++)[^\[\]]*+\]")
_STYLE = re.compile(r"\[([^\[\]]*+(?:\[[^\[\]]*+\][^\[\]]*+)*+)\](?:\(\(\([^()]*+\)\)\))*+")
_CAPTION = re.compile(r"\.[^\s.].*")
_RULE = re.compile(r"'{3,}|<{3,}")
_VERBATIM = re.compile(r"-{4,}|\.{4,}|\+{4,}|`{3,}\w*+(?:,\w*+)?")
_COMMENT = re.compile(r"/{4,}")
_CONTAINER = re.compile(r"={4,}|\*{4,}|_{4,}|--|\"\"")
_TABLE = re.compile(r"[|!,:]={3,}")
_BLOCK_MACRO = re.compile(r"(image|include|video|audio|toc|icon)::([^\s\[]*+)\[(.*)\]")
_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_UNDERLINE = re.compile(r"={3,}|-{3,}|~{3,}|\^{3,}|\+{3,}")
_ITEM = re.compile(
    r"[ \t]*(?P<mark>\*{1,5}|-|\.{1,5}|\d{1,4}\.|[A-Za-z]\.|<(?:\d{1,3}|\.)>)[ \t]+(?:\[[ xX*]\][ \t]+)?(?P<text>\S.*)"
)
_TERM = re.compile(r"[ \t]*(?P<text>[^\s:;](?:[^:;]|[:;](?![:;]))*+)(?P<mark>:{2,4}|;;)(?:[ \t]+(?P<rest>\S.*))?")
_NOTES = ("NOTE", "TIP", "WARNING", "IMPORTANT", "CAUTION")
_SHOWN_AS_IS = ("source", "listing", "literal")
_MATH = ("stem", "latexmath", "asciimath")
_TAG = re.compile(r"<[^<>]*+>")


class AsciiDocBlocks:
    """Converts lines to HTML. `meta` is called with the metadata among the document attributes."""

    def __init__(self, text: AsciiDocText, meta: Callable[[str, str], object] = lambda name, value: None) -> None:
        self._text = text
        self._meta = meta
        self._out: list[str] = []
        self._lists: list[list[str]] = [[]]
        self._containers: list[str] = []
        self._style = self._caption = ""
        self._attached = self._item_empty = False

    def html(self, lines: list[str]) -> str:
        """Return the blocks of `lines`; anchors of headings are collected first, for references to them."""
        lines = [line.rstrip() for line in lines]
        for line, below in pairwise(lines):
            if (anchor := _ANCHOR.fullmatch(line)) and (heading := _HEADING.fullmatch(below)):
                self._text.titles.setdefault(anchor[1] or anchor[2], heading[2])
        place = 0
        while place < len(lines):
            place = self._block(lines, place)
        self._close_lists()
        return "\n".join(self._out)

    def _block(self, lines: list[str], place: int) -> int:
        """Write the block at line `place`; return the line of the next one."""
        line = lines[place]
        if not line or self._read_metadata(line):
            return place + 1
        return self._delimited(lines, place) or self._text_block(lines, place)

    def _delimited(self, lines: list[str], place: int) -> int:
        """Write a delimited block, or begin or end a container; return the next line, or 0 for any other block."""
        line = lines[place]
        if line == "+":
            self._attached = True
            return place + 1
        is_container = _CONTAINER.fullmatch(line) is not None
        if is_container and self._style_name() not in _SHOWN_AS_IS:
            self._container(line)
            return place + 1
        is_table = _TABLE.fullmatch(line) is not None
        if not (is_container or is_table or _VERBATIM.fullmatch(line) or _COMMENT.fullmatch(line)):
            return 0
        end = _end(lines, place, line)
        if is_table:
            self._begin_block()
            self._write(table_html(lines[place + 1 : end], line[0], self._style, self._caption, self._cell))
            self._caption = self._style = ""
        elif not _COMMENT.fullmatch(line):
            self._verbatim(lines[place + 1 : end], line)
        return end + 1

    def _read_metadata(self, line: str) -> bool:
        """Process a line that is not text (attribute, caption, style, comment, rule); return whether it is one."""
        if found := _ATTRIBUTE.fullmatch(line):
            name, value = found[1], found[2] or ""
            self._text.define(name, value)
            if name.lower() in _META and value:
                self._meta(_META[name.lower()], self._text.substituted(value))
        elif _CAPTION.fullmatch(line):
            self._caption = line[1:]
        elif style := _STYLE.fullmatch(line):
            self._style = self._style if _ANCHOR.fullmatch(line) else style[1]
        else:
            is_comment = line.startswith("//") and not line.startswith("///")
            return is_comment or _RULE.fullmatch(line) is not None or _CONDITION.match(line) is not None
        return True

    def _text_block(self, lines: list[str], place: int) -> int:
        line = lines[place]
        if heading := _HEADING.fullmatch(line):
            self._heading(len(heading[1]), heading[2])
            return place + 1
        if place + 1 < len(lines) and _is_underlined(line, lines[place + 1]):
            self._heading("=-~^+".index(lines[place + 1][0]) + 1, line)
            return place + 2
        if macro := _BLOCK_MACRO.fullmatch(line):
            self._begin_block()
            self._macro(*macro.groups())
            return place + 1
        if found := _ITEM.fullmatch(line) or _TERM.fullmatch(line):
            return self._item(found, lines, place)
        return self._paragraph(lines, place)

    # -- lists and containers

    def _item(self, found: re.Match[str], lines: list[str], place: int) -> int:
        mark, words = _list_kind(found["mark"]), found["text"]
        term = mark[0] in ":;"
        if mark in self._lists[-1]:
            while self._lists[-1][-1] != mark:
                self._close_list()
            self._write("</dd>" if term else "</li>")
        else:
            self._write_caption()
            self._write("<dl>" if term else "<ul>")
            self._lists[-1].append(mark)
        self._style, self._attached = "", False
        if term:
            self._write(f"<dt>{self._text.html(words)}</dt><dd>")
            words = found.groupdict().get("rest") or ""
        self._item_empty = not words
        end = place + 1
        while words and end < len(lines) and not self._ends_text(lines[end], item=True):
            end += 1
        words = _joined([words, *lines[place + 1 : end]])
        self._write(("" if term else "<li>") + self._text.html(words))
        return end

    def _container(self, line: str) -> None:
        """Begin or end an example, sidebar or quotation; each has its own lists."""
        if line in self._containers:
            while self._containers:
                self._close_lists()
                self._lists.pop()
                if self._containers.pop() == line:
                    break
        else:
            style = self._style_name()
            self._begin_block()
            self._style = style if style in _NOTES else ""
            self._containers.append(line)
            self._lists.append([])

    def _close_list(self) -> None:
        self._write("</dd></dl>" if self._lists[-1].pop()[0] in ":;" else "</li></ul>")

    def _close_lists(self) -> None:
        while self._lists[-1]:
            self._close_list()

    def _begin_block(self) -> None:
        """Close open lists, unless the block that begins is part of their last item."""
        if self._lists[-1] and not self._attached and not self._item_empty:
            self._close_lists()
        self._attached = self._item_empty = False

    # -- blocks

    def _heading(self, level: int, words: str) -> None:
        self._close_lists()
        self._attached = self._item_empty = False
        self._style = self._caption = ""
        self._write(f"<h{level}>{self._text.html(words.rstrip('=').rstrip())}</h{level}>")

    def _paragraph(self, lines: list[str], place: int) -> int:
        end = place + 1
        while end < len(lines) and not self._ends_text(lines[end], item=self._item_empty):
            end += 1
        literal = lines[place][0] in " \t" and not self._item_empty
        if literal and self._lists[-1]:  # an indented block belongs to the item above it
            self._attached = True
        if literal or self._style_name() in _SHOWN_AS_IS:
            self._verbatim(lines[place:end], "")
            return end
        style = self._style_name()
        self._begin_block()
        self._write_caption()
        words = _joined(lines[place:end], " +\n" if style == "verse" else "\n")
        prefix = f"{style}: " if style in _NOTES else ""
        self._write(f"<p>{prefix}{self._text.html(words)}</p>")
        self._style = ""
        return end

    def _verbatim(self, lines: list[str], mark: str) -> None:
        style = self._style_name()
        self._begin_block()
        self._write_caption()
        body = "\n".join(lines)
        if style in _MATH:
            self._write(f'<math display="block" alttext="{escape(body)}"></math>')
        elif mark.startswith("+"):
            self._write(f"<p>{plain(_TAG.sub('', body))}</p>")
        else:
            self._write(f"<pre>\n{escape(body, quote=False)}</pre>")
        self._style = ""

    def _macro(self, name: str, target: str, inside: str) -> None:
        if name == "image":
            self._write(picture(target, inside))
            self._write_caption()
        elif name == "include":
            self._write(f'<p><a href="{escape(self._text.substituted(target))}">{plain(target)}</a></p>')
        self._style = ""

    # -- pieces

    def _cell(self, content: str, blocks: bool) -> str:
        """Return the content of a table cell; one with blocks is converted like a document."""
        return AsciiDocBlocks(self._text).html(content.split("\n")) if blocks else self._text.html(content)

    def _style_name(self) -> str:
        """Return the style of the next block, the first of its attributes."""
        return re.split(r"[,%.#]", self._style, maxsplit=1)[0].strip()

    def _write_caption(self) -> None:
        if self._caption:
            self._write(f'<p class="caption">{self._text.html(self._caption)}</p>')
        self._caption = ""

    def _ends_text(self, line: str, *, item: bool) -> bool:
        """Whether a line ends the paragraph before it, or the list item if `item`."""
        if line in ("", "+") or line.startswith("include::") or _CONDITION.match(line) or _STYLE.fullmatch(line):
            return True
        if any(mark.fullmatch(line) for mark in (_VERBATIM, _CONTAINER, _TABLE, _COMMENT)):
            return True
        return item and (_ITEM.fullmatch(line) or _TERM.fullmatch(line)) is not None

    def _write(self, html: str) -> None:
        self._out.append(html)


def _list_kind(mark: str) -> str:
    """Return a key shared by the marks of one list: all numbers, all letters and all callouts are alike."""
    return "0" if mark[0].isdigit() else "a" if mark[0].isalpha() else "<" if mark[0] == "<" else mark


def _joined(lines: list[str], mark: str = "\n") -> str:
    """Return lines as one text, without comments."""
    return mark.join(line.strip() for line in lines if not line.startswith("//"))


def _end(lines: list[str], place: int, mark: str) -> int:
    """Return the line at which a delimited block ends: its closing mark, or the end of the text."""
    mark = "```" if mark.startswith("```") else mark
    return next((at for at in range(place + 1, len(lines)) if lines[at] == mark), len(lines))


def _is_underlined(line: str, below: str) -> bool:
    """Whether two lines are a heading in the old syntax: underlined by as many characters, give or take two."""
    fits = _UNDERLINE.fullmatch(below) is not None and abs(len(below) - len(line)) <= 2
    return fits and line[0] not in " \t[." and any(one.isalnum() for one in line)
