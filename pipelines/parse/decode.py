"""Decoding bytes to text: byte order marks, UTF-8, declared encodings, and a guess for everything else."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# The superset that browsers use when a page names the smaller encoding (WHATWG Encoding, section 4.2).
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "iso-8859-1": "cp1252", "ascii": "cp1252"}
_UTF16_LEAST, _UTF16_ZEROS, _UTF16_OTHERS = 2, 0.4, 0.05
"""Thresholds for UTF-16 without a byte order mark: minimum characters, and the shares of zeros in every second byte and
in the others. Latin text has nearly all zeros in the one and none in the other; text with 6 in 10 characters beyond
Latin-1 always has a mark in practice."""
HOLE = re.compile(rb"\0{16,}")
"""Zeros where a part of a text is lost: a file system fills it so after a crash. UTF-32 has seven in a row at most."""
_DAMAGE = 5000
"""Minimum bytes of UTF-8 per damaged byte; in another encoding, each letter beyond ASCII would be damaged."""
_SAMPLE = 65536
"""Bytes that the guess is based on."""
_PART = 1000
"""Bytes of a part that is guessed on its own, about ten lines: chardet recognizes 500 of 500 samples of that size, and
472 of 495 of a single line of 40 characters (lines of manual pages in 13 languages and 13 encodings)."""
_ENCODINGS = (
    "cp949", "cp932", "gb18030", "euc_jis_2004", "big5", "big5hkscs", "cp1252", "cp1250", "iso8859-2", "cp1254",
    "cp1257", "cp1251", "koi8-r", "cp866", "iso8859-5", "cp1253", "cp1255", "cp1256", "cp874",
)  # fmt: skip
"""The encodings of web texts that are not in UTF-8 (WHATWG Encoding, section 4.2), by the names of chardet."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and its encoding; `damaged` is the number of characters that could not be decoded."""

    text: str
    encoding: str
    damaged: int = 0


def decode(data: bytes, declared: str = "") -> Decoded:
    """Return `data` as text: by byte order mark, as UTF-8, as `declared`, or in the most likely encoding."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            # In UTF-16, a letter before a hole may end with a zero.
            return _lossy(HOLE.sub(b"", data) if encoding == "utf-8-sig" else data, encoding)
    if b"\x1b$B" in data or b"\x1b$@" in data:
        return _lossy(data, "iso2022_jp")
    unmarked = _unmarked_utf16(data)
    if unmarked:
        return _lossy(data, unmarked)
    data = HOLE.sub(b"", data)
    return _strict(data, "utf-8") or _strict(data, _known(declared)) or _guess(data)


def _known(name: str) -> str:
    try:
        found = codecs.lookup(name.strip() or "utf-8").name
    except LookupError:
        return ""
    return _WIDER.get(found.replace("_", "-"), _WIDER.get(found, found))


def _strict(data: bytes, encoding: str) -> Decoded | None:
    if not encoding:
        return None
    try:
        return Decoded(data.decode(encoding), encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _lossy(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, "replace")
    return Decoded(text, encoding, text.count("\ufffd"))


def _unmarked_utf16(data: bytes) -> str:
    """Return the encoding of Latin text in UTF-16, which has zeros in nearly every second byte and no others."""
    sample = data[:_SAMPLE]
    if len(sample) < 2 * _UTF16_LEAST or len(data) % 2:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > _UTF16_ZEROS * half and even < _UTF16_OTHERS * half:
        return "utf-16-le"
    return "utf-16-be" if even > _UTF16_ZEROS * half and odd < _UTF16_OTHERS * half else ""


def _guess(data: bytes) -> Decoded:
    near_utf8 = _lossy(data, "utf-8")
    if near_utf8.damaged <= len(data) // _DAMAGE + 1 and any(not c.isascii() and c != "\ufffd" for c in near_utf8.text):
        return near_utf8
    return _lossy(data, _likeliest(data[:_SAMPLE]))


def _likeliest(sample: bytes) -> str:
    """Return the encoding of most parts of a sample, so that a damaged or truncated part has no influence.

    Lines in ASCII are left out: a single word in another script would not count among them.
    """
    from chardet import detect

    parts = [b""]
    for line in sample.splitlines(keepends=True):
        if len(parts[-1]) > _PART:
            parts.append(b"")
        parts[-1] += b"" if line.isascii() else line
    found = (detect(part, include_encodings=_ENCODINGS, compat_names=False) for part in parts if part)
    votes = Counter(match["encoding"] or "cp1252" for match in found)
    return votes.most_common(1)[0][0] if votes else "cp1252"
