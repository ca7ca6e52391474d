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
_SAMPLE = 65536
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
    if len(sample) < 4 or len(data) % 2:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 * half and odd < 0.05 * half else ""


def _guess(data: bytes) -> Decoded:
    near_utf8 = _lossy(data, "utf-8")
    if near_utf8.damaged <= len(data) // 5000 + 1 and any(ord(c) > 127 and c != "\ufffd" for c in near_utf8.text):
        return near_utf8
    sample = data[:_SAMPLE]
    east_asian = max(_EAST_ASIAN, key=lambda name: _plausibility(sample, name))
    if _plausibility(sample, east_asian) > 0.5:
        return _lossy(data, east_asian)
    return _lossy(data, _one_byte(sample))


def _plausibility(sample: bytes, encoding: str) -> float:
    """The share of common East Asian characters among those beyond ASCII; kana decide for Japanese."""
    text = sample.decode(encoding, "replace")
    beyond = [char for char in text if ord(char) > 127]
    if not beyond or text[:-1].count("\ufffd") > len(beyond) // 50:
        return 0.0
    return sum(_weight(char, encoding) for char in beyond) / len(beyond)


def _weight(char: str, encoding: str) -> float:
    code = ord(char)
    if 0x3040 <= code <= 0x30FF:
        return 1.0 if encoding in ("cp932", "euc_jp") else 0.3
    if 0xAC00 <= code <= 0xD7AF:
        return 1.0 if encoding == "euc_kr" else 0.0
    if 0x3000 <= code <= 0x303F or 0xFF00 <= code <= 0xFF60:
        return 1.0
    if 0x4E00 <= code <= 0x9FFF:
        return _han_weight(char, encoding)
    return 0.0 if 0xFF61 <= code <= 0xFF9F or code == 0xFFFD else 0.2


def _han_weight(char: str, encoding: str) -> float:
    """Level 1 of GB 2312 and of JIS X 0208 and the first part of Big5 hold the common characters."""
    if encoding not in _COMMON_HAN:
        return 0.2
    codec, low, high = _COMMON_HAN[encoding]
    try:
        return 1.0 if low <= char.encode(codec)[0] <= high else 0.2
    except UnicodeEncodeError:
        return 0.2


def _one_byte(sample: bytes) -> str:
    """In Latin script letters beyond ASCII stand alone or in pairs, in the others whole words consist of them."""
    high = [byte for byte in sample if byte > 127]
    if 2 * sum(map(len, _WORD_BEYOND_ASCII.findall(sample))) > len(high):
        return _best(sample, _OTHER)
    western = sum(byte >= 0xC0 or byte in _WESTERN_SIGNS for byte in high)
    return "cp1252" if western >= 0.9 * len(high) else _best(sample, _LATIN)


def _best(sample: bytes, encodings: list[str]) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=encodings).best()
    return best.encoding if best is not None else "cp1252"
