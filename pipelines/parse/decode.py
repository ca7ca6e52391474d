"""Bytes to text: byte order marks, UTF-8, declared encodings, and a guess for the rest."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What browsers read when a page names the smaller set (WHATWG Encoding, section 4.2).
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "iso-8859-1": "cp1252", "ascii": "cp1252"}
_UTF16_LEAST, _UTF16_ZEROS, _UTF16_OTHERS = 2, 0.4, 0.05
"""Of UTF-16 without a mark: characters that tell it, and the shares of zeros in every second byte and in the others.
Latin text has nearly all in the one and none in the other; text of 6 in 10 characters beyond Latin-1 has a mark."""
_DAMAGE = 5000
"""Bytes of a text in UTF-8 for each that is damaged; in another encoding each letter beyond ASCII would be one."""
_LOST = 50
"""Characters beyond ASCII for each that an encoding does not explain, if it is the right one."""
_ASCII, _LETTERS = 0x7F, 0xC0
"""The last byte of ASCII, and the first letter of ISO 8859-1."""
_KANA, _HANGUL, _HAN = range(0x3040, 0x3100), range(0xAC00, 0xD7B0), range(0x4E00, 0xA000)
"""Blocks of Unicode: kana, Hangul syllables, unified ideographs."""
_WIDE_SIGNS, _HALF_KANA = (range(0x3000, 0x3040), range(0xFF00, 0xFF61)), range(0xFF61, 0xFFA0)
"""Blocks of Unicode: punctuation and full-width forms, half-width kana."""
_FOREIGN_KANA, _RARE = 0.3, 0.2
"""What a character counts beside a common one of its own encoding, 1: kana stand in Chinese codes too, but not many in
a text; the rare ones of any plane are what a wrong encoding gives. tests/parse/test_decode.py has a text of each."""
_WESTERN = 0.9
"""Share of the bytes beyond ASCII that are letters and signs of Windows-1252 in a text that is in it."""
_SAMPLE = 65536
"""Bytes that the guess is made from."""
# Korean first: read as Chinese it is plausible too, while Chinese read as Korean is not.
_EAST_ASIAN = ("euc_kr", "cp932", "gb18030", "euc_jp", "big5")
_LATIN = ["cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257"]
_OTHER = ["cp1251", "koi8_r", "cp866", "iso8859_5", "cp1253", "cp1255", "cp1256", "tis_620"]
_WESTERN_SIGNS = frozenset("€„…‘’“”–—™\xa0§©«®°±²³µ·»½".encode("cp1252"))
_WORD_BEYOND_ASCII = re.compile(rb"[\x80-\xff]{3,}")
# Where an encoding keeps its common characters: the codec to ask, the first and the last lead byte.
_COMMON_HAN = {
    "gb18030": ("gb2312", 0xB0, 0xD7),
    "cp932": ("euc_jp", 0xB0, 0xCF),
    "euc_jp": ("euc_jp", 0xB0, 0xCF),
    "big5": ("big5", 0xA4, 0xC6),
}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and the encoding it was in; `damaged` counts the bytes that the encoding could not explain."""

    text: str
    encoding: str
    damaged: int = 0


def decode(data: bytes, declared: str = "") -> Decoded:
    """Return `data` as text: by its byte order mark, as UTF-8, as `declared`, or as the likeliest encoding."""
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
    """Latin text in UTF-16 has a zero in nearly every second byte, and every second byte only."""
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
    east_asian = max(_EAST_ASIAN, key=lambda name: _plausibility(sample, name))
    if _plausibility(sample, east_asian) > 0.5:
        return _lossy(data, east_asian)
    return _lossy(data, _one_byte(sample))


def _plausibility(sample: bytes, encoding: str) -> float:
    """The share of common East Asian characters among those beyond ASCII; kana decide for Japanese."""
    text = sample.decode(encoding, "replace")
    beyond = [char for char in text if not char.isascii()]
    if not beyond or text[:-1].count("\ufffd") > len(beyond) // _LOST:
        return 0.0
    return sum(_weight(char, encoding) for char in beyond) / len(beyond)


def _weight(char: str, encoding: str) -> float:
    code = ord(char)
    if code in _KANA:
        return 1.0 if encoding in ("cp932", "euc_jp") else _FOREIGN_KANA
    if code in _HANGUL:
        return 1.0 if encoding == "euc_kr" else 0.0
    if any(code in signs for signs in _WIDE_SIGNS):
        return 1.0
    if code in _HAN:
        return _han_weight(char, encoding)
    return 0.0 if code in _HALF_KANA or char == "\ufffd" else _RARE


def _han_weight(char: str, encoding: str) -> float:
    """Level 1 of GB 2312 and of JIS X 0208 and the first part of Big5 hold the common characters."""
    if encoding not in _COMMON_HAN:
        return _RARE
    codec, low, high = _COMMON_HAN[encoding]
    try:
        return 1.0 if low <= char.encode(codec)[0] <= high else _RARE
    except UnicodeEncodeError:
        return _RARE


def _one_byte(sample: bytes) -> str:
    """In Latin script letters beyond ASCII stand alone or in pairs, in the others whole words consist of them."""
    high = [byte for byte in sample if byte > _ASCII]
    if 2 * sum(map(len, _WORD_BEYOND_ASCII.findall(sample))) > len(high):
        return _best(sample, _OTHER)
    western = sum(byte >= _LETTERS or byte in _WESTERN_SIGNS for byte in high)
    return "cp1252" if western >= _WESTERN * len(high) else _best(sample, _LATIN)


def _best(sample: bytes, encodings: list[str]) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=encodings).best()
    return best.encoding if best is not None else "cp1252"
