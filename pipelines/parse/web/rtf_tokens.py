"""RTF to tokens: groups, control words, text; bytes in the code page of their font (RTF 1.9.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"\\bin(?P<count>\d{1,9}) ?|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<byte>[0-9a-fA-F]{2})"
    rb"|\\(?P<symbol>[^a-zA-Z'])|(?P<brace>[{}])|[\r\n\x00]+|(?P<text>[^\\{}\r\n\x00]+)",
    re.DOTALL,
)
# \fcharset numbers of a font's code page.
CHARSETS = {
    0: "cp1252", 1: "", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250", 255: "cp437",
}  # fmt: skip
SYMBOLS = {
    "tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emdash": "—",
    "endash": "–", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "lbr": "\n", "softline": "\n",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is "{", "}", "word", "text" (bytes yet to be decoded), "binary" or "symbol"."""

    kind: str
    word: str = ""
    number: int | None = None
    data: bytes = b""


def tokens(data: bytes) -> Iterator[Token]:
    """Yield the tokens of an RTF file in order; runs of bytes come as one."""
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
        if match.lastgroup is None:  # a line end means nothing
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
