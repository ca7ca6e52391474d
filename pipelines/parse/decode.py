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
_DAMAGE = 5000
"""Minimum bytes of UTF-8 per damaged byte; in another encoding, each letter beyond ASCII would be damaged."""
_ASCII, _LETTERS = 0x7F, 0xC0
"""The last byte of ASCII, and the first letter of ISO 8859-1."""
_WESTERN = 0.9
"""Minimum share of letters and signs of Windows-1252 among the bytes beyond ASCII of a Windows-1252 text."""
_SAMPLE = 65536
"""Bytes that the guess is based on."""
_PART = 1000
"""Bytes of a part that is guessed on its own. Of texts of 300 characters, the library recognises 85 of 87; of 2000
characters, all of 96 (Japanese, Chinese, Korean, Russian, Arabic, French, German and Spanish in their encodings)."""
_ENCODINGS = [
    "euc_kr", "cp932", "gb18030", "euc_jp", "big5", "cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257", "cp1251",
    "koi8_r", "cp866", "iso8859_5", "cp1253", "cp1255", "cp1256", "tis_620",
]  # fmt: skip
"""The encodings of web texts that are not in UTF-8 (WHATWG Encoding, section 4.2)."""
_WESTERN_SIGNS = frozenset("€„…‘’“”–—™\xa0§©«®°±²³µ·»½".encode("cp1252"))
_WORD_BEYOND_ASCII = re.compile(rb"[\x80-\xff]{3,}")


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
            return _lossy(data, encoding)
    if b"\x1b$B" in data or b"\x1b$@" in data:
        return _lossy(data, "iso2022_jp")
    unmarked = _unmarked_utf16(data)
    if unmarked:
        return _lossy(data, unmarked)
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
    sample = data[:_SAMPLE]
    return _lossy(data, "cp1252" if _is_western(sample) else _likeliest(sample))


def _is_western(sample: bytes) -> bool:
    """Whether letters beyond ASCII occur singly or in pairs, as in Latin script, and are those of Windows-1252.

    Checked first because the library takes some of these texts for Eastern European.
    """
    high = [byte for byte in sample if byte > _ASCII]
    if 2 * sum(map(len, _WORD_BEYOND_ASCII.findall(sample))) > len(high):
        return False
    return sum(byte >= _LETTERS or byte in _WESTERN_SIGNS for byte in high) >= _WESTERN * len(high)


def _likeliest(sample: bytes) -> str:
    """Return the encoding of most parts of a sample, so that a damaged or truncated part has no influence."""
    from charset_normalizer import from_bytes

    parts = [b""]
    for line in sample.splitlines(keepends=True):
        if len(parts[-1]) > _PART:
            parts.append(b"")
        parts[-1] += line
    best = (from_bytes(part, cp_isolation=_ENCODINGS).best() for part in parts if not part.isascii())
    votes = Counter(match.encoding for match in best if match is not None)
    return votes.most_common(1)[0][0] if votes else "cp1252"
