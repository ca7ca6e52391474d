"""RTF 1.9.1: paragraphs with styles, lists, tables, pictures, footnotes, links and metadata."""

from __future__ import annotations

import binascii
import codecs
import contextlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.lang.word_lists import any_of
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.limits import check_text
from pipelines.parse.lookalikes import Look
from pipelines.parse.office.embedded import append_ole1
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.rtf_pieces import ASIDES, ParagraphProperties, RtfBlocks

_TOKEN = re.compile(
    rb"\\bin(?P<count>\d{1,9}) ?|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<byte>[0-9a-fA-F]{2})"
    rb"|\\(?P<symbol>[^a-zA-Z'])|(?P<brace>[{}])|[\r\n\x00]+|(?P<text>[^\\{}\r\n\x00]+)",
    re.DOTALL,
)
# Code pages by the numbers of a font's \fcharset.
_CHARSETS = {
    0: "cp1252", 1: "", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250", 255: "cp437",
}  # fmt: skip
_SYMBOLS = {
    "tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emdash": "—",
    "endash": "–", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "lbr": "\n", "softline": "\n",
    "{": "{", "}": "}", "\\": "\\", "~": " ", "_": "-",
}  # fmt: skip
_SKIPPED = frozenset(
    "colortbl listtable listoverridetable revtbl rsidtbl generator themedata colorschememapping datastore latentstyles"
    " xmlnstbl filetbl listtext pntext nonshppict mmathPr wgrffmtfilter pgdsctbl ftnsep ftnsepc aftnsep"
    " aftnsepc bkmkstart bkmkend fldtype datafield passwordhash pnseclvl xe tc shprslt sp template private1 picprop"
    " blipuid atrfstart atrfend atnid atndate atnref objclass operator company hlinkbase nextfile".split()
)
_ASIDE = {"footnote": "footnote", "annotation": "note"} | {
    name: "header" if name.startswith("header") else "footer"
    for name in ("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf")
}
_INFO = {"title": "title", "author": "author", "subject": "subject", "keywords": "keywords", "doccomm": "description"}
_OPENED = frozenset("shpinst shptxt shppict fldinst footnote annotation pict objdata background".split())
_COLLECTING = frozenset({"fonttbl", "stylesheet", "info", "pict", "objdata", "fldinst", "field"})
_HEADING_STYLE = re.compile(rf"{any_of('heading')}\s*(\d)", re.IGNORECASE)
_ADDRESS = re.compile(r'HYPERLINK\s+(?:\\l\s+)?"([^"]+)"')
_HIGH, _LOW, _LOW_END = 0xD800, 0xDC00, 0xE000
"""First halves, then second halves of characters in UTF-16 (Unicode 15, 3.9, table 3-5)."""
_DEEPEST = 2000
"""Maximum depth of nested groups: documents have about twenty."""
_USUAL = Look(12.0)
"""12 points, the default that `\\plain` resets to (RTF 1.9.1, `\\fs`: 24 half points)."""


class RtfReader:
    """Reads RTF as a word processor shows it."""

    formats = (signed("application/rtf", ".rtf"),)
    name = "rtf"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        data = path.read_bytes()
        # Control words rarely take more than seven times the text, so that a larger file has too much text.
        check_text(len(data) // 8, source.uri, settings.limits)
        builder = DocumentBuilder(source, settings, self.name)
        _Rtf(builder).read(data)
        return builder.build()


@dataclass(frozen=True, slots=True)
class _State:
    """The state that a group inherits from the enclosing group; `into` is the destination of its text."""

    into: str = "body"
    codec: str = "cp1252"
    skip: int = 1
    hidden: bool = False
    look: Look = _USUAL


@dataclass(slots=True)
class _Rtf:
    """Interprets the tokens of an RTF file."""

    builder: DocumentBuilder
    state: _State = field(default_factory=_State)
    stack: list[tuple[_State, ParagraphProperties]] = field(default_factory=list)
    fonts: dict[int, str] = field(default_factory=dict)
    font: int = 0
    codec: str = "cp1252"
    style: int = 0
    names: dict[int, str] = field(default_factory=dict)
    starred: bool = False
    opened: bool = False
    """Whether the last token began a group: only there does `\\*` mark a destination."""
    surrogate: int = 0
    """The first half of a character beyond 16 bits, 0 if none is open."""
    to_skip: int = 0
    """Bytes still to be skipped: the replacement of a Unicode character for old readers."""
    collected: str = ""
    object: bytearray = field(default_factory=bytearray)
    """The hexadecimal digits of an embedded object."""
    objects: int = 0
    blocks: RtfBlocks = field(init=False)

    def read(self, data: bytes) -> None:
        """Read the file. Raises `Malformed` if it is not RTF, `TooLarge` for too deeply nested groups."""
        if not data.lstrip().startswith(b"{\\rtf"):
            raise Malformed("not an RTF file", ids=(self.builder.source.uri,))
        self.blocks = RtfBlocks(self.builder)
        for token in tokens(data.lstrip()):
            self._take(token)
        self.blocks.end()

    def _take(self, token: Token) -> None:
        begins_group, self.opened = self.opened, token.kind == "{"
        if token.kind == "{":
            self._open()
        elif token.kind == "symbol" and token.word == "*":
            self.starred = begins_group
        elif token.kind == "}":
            self._close()
        elif token.kind == "text":
            self._bytes(token.data)
        elif token.kind == "binary":
            self.blocks.picture_bytes(token.data if self.state.into == "pict" else b"")
            self.object += token.data.hex().encode() if self.state.into == "objdata" else b""
        elif token.kind == "symbol":
            self._symbol(token.word)
        else:
            self._word(token.word, token.number)

    # -- groups

    def _open(self) -> None:
        self.stack.append((self.state, self.blocks.properties))
        if len(self.stack) > _DEEPEST:
            raise TooLarge("groups nested too deep", ids=(self.builder.source.uri,))

    def _close(self) -> None:
        if not self.stack:
            return
        ended = self.state
        self.state, properties = self.stack.pop()
        self.blocks.close_group(properties)
        if ended.into == self.state.into:
            return
        if ended.into == "fldinst":
            match = _ADDRESS.search(self.collected)
            self.blocks.open_link(match.group(1) if match else "")
        elif ended.into == "field":
            self.blocks.close_link()
        elif ended.into == "pict":
            self.blocks.end_picture()
        elif ended.into == "objdata":
            self._end_object()
        elif ended.into in _INFO:
            self.builder.meta(_INFO[ended.into], self.collected)
        elif ended.into in ASIDES:
            self.blocks.end_aside(ended.into)
        if ended.into in _INFO or ended.into in ("fldinst", "stylesheet", "fonttbl"):
            self.collected = ""

    def _end_object(self) -> None:
        digits, self.object = self.object.translate(None, b" \t\r\n"), bytearray()
        with contextlib.suppress(binascii.Error):
            data = binascii.unhexlify(digits[: len(digits) // 2 * 2])
            self.objects += 1
            append_ole1(data, f"object {self.objects}", self.builder)

    def _set_destination(self, into: str) -> None:
        self.state = replace(self.state, into=into)

    # -- text

    def _bytes(self, data: bytes) -> None:
        if self.to_skip:
            data, self.to_skip = data[self.to_skip :], max(0, self.to_skip - len(data))
        if self.state.into == "pict":
            self.blocks.picture_hex(data)
        elif self.state.into == "objdata":
            self.object += data
        elif data:
            self._text(data.decode(self.state.codec or self.codec, "replace"))

    def _text(self, text: str) -> None:
        into = self.state.into
        if into == "skip" or self.state.hidden:
            return
        if into == "stylesheet":
            self.names[self.style] = self.names.get(self.style, "") + text.rstrip(";")
        elif into == "fldinst" or into in _INFO:
            self.collected += text
        elif into not in ("fonttbl", "info", "pict", "objdata"):
            self.blocks.text(text, into, self.state.look)

    def _unicode(self, unit: int) -> None:
        """Add a code unit of UTF-16."""
        first, self.surrogate = self.surrogate, 0
        if _HIGH <= unit < _LOW:
            self.surrogate = unit
        elif first and _LOW <= unit < _LOW_END:
            self._text(struct.pack("<HH", first, unit).decode("utf-16-le"))
        else:
            self._text(chr(unit))

    def _symbol(self, symbol: str) -> None:
        if symbol in "\r\n":
            self.blocks.paragraph_end(self.state.into)
        else:
            self._text(_SYMBOLS.get(symbol, ""))

    # -- control words

    def _word(self, word: str, number: int | None) -> None:
        starred, self.starred = self.starred, False
        if self.state.into == "skip":
            return
        if word in _SYMBOLS:
            self._text(_SYMBOLS[word])
        elif word == "u" and number is not None:
            self._unicode(number % 65536)  # a signed number of 16 bits (RTF 1.9.1, Unicode)
            self.to_skip = self.state.skip
        elif not self._destination(word, starred):
            self._property(word, number)

    def _destination(self, word: str, starred: bool) -> bool:
        """Change the destination of the group's text if the word says so; return whether it does."""
        if word in _SKIPPED or (starred and word not in _OPENED):
            self._set_destination("skip")
        elif word in _ASIDE:
            self._set_destination(_ASIDE[word])
        elif word in _COLLECTING or (word in _INFO and self.state.into == "info"):
            self._set_destination(word)
            self.collected = ""
        else:
            return False
        return True

    def _property(self, word: str, number: int | None) -> None:
        value = number or 0
        if word == "ansicpg":
            self.codec = _codec(f"cp{value}")
            self.state = replace(self.state, codec=self.codec)
        elif word == "uc":
            # Bytes of the replacement of a Unicode character; no encoding takes more than 8.
            self.state = replace(self.state, skip=max(0, min(value, 8)))
        elif word == "f":
            self.font = value
            self.state = replace(self.state, codec=self.fonts.get(value, "") or self.codec)
        elif word == "fcharset" and self.state.into == "fonttbl":
            self.fonts[self.font] = _CHARSETS.get(value, "")
        elif word in ("v", "deleted"):
            self.state = replace(self.state, hidden=number != 0)
        elif word == "b":
            self.state = replace(self.state, look=replace(self.state.look, bold=number != 0))
        elif word == "fs" and value:
            self.state = replace(self.state, look=replace(self.state.look, size=value / 2))
        elif word == "plain":
            self.state = replace(self.state, hidden=False, codec=self.codec, look=_USUAL)
        elif word == "s" and self.state.into == "stylesheet":
            self.style = value
        elif self.state.into == "pict":
            self.blocks.picture_word(word)
        elif word == "s":
            self._apply_style(value)
        elif self.state.into not in ("stylesheet", "fonttbl", "info", "objdata"):
            self.blocks.word(word, value, self.state.into)

    def _apply_style(self, number: int) -> None:
        name = self.names.get(number, "")
        if match := _HEADING_STYLE.match(name.strip()):
            self.blocks.heading_level = int(match.group(1))
        elif name.strip().lower() in ("title", "titel", "titre"):
            self.blocks.heading_level = 0
            self.blocks.is_title = True


def _codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `kind` is "{", "}", "word", "text" (undecoded bytes), "binary" or "symbol"."""

    kind: str
    word: str = ""
    number: int | None = None
    data: bytes = b""


def tokens(data: bytes) -> Iterator[Token]:
    """Yield the tokens of an RTF file in order; successive bytes of text are one token."""
    place = 0
    pending = bytearray()
    while match := _TOKEN.match(data, place):
        place = match.end()
        if match["byte"] is not None:
            pending.append(int(match["byte"], 16))
            continue
        if match["text"] is not None:
            pending += match["text"]
            continue
        if match.lastgroup is None:  # a line end has no meaning
            continue
        if pending:
            yield Token("text", data=bytes(pending))
            pending.clear()
        if match["count"] is not None:
            end = place + int(match["count"])
            yield Token("binary", data=data[place:end])
            place = end
        else:
            yield _token(match)
    if pending:
        yield Token("text", data=bytes(pending))


def _token(match: re.Match[bytes]) -> Token:
    if match["brace"] is not None:
        return Token(match["brace"].decode())
    if match["symbol"] is not None:
        return Token("symbol", match["symbol"].decode("latin-1"))
    number = int(match["number"]) if match["number"] is not None else None
    return Token("word", match["word"].decode(), number)
