"""Text as it enters a document: no control characters, no lone surrogates, no invisible spaces."""

from __future__ import annotations

import re

_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls, surrogates, non-characters, zero-width spaces, soft hyphens and direction marks carry no text. The
# zero-width joiners stay: Persian and Indic scripts and emoji need them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]")


def clean(text: str) -> str:
    """Return `text` as prose: invisible characters dropped, spaces plain, no blank lines, none around it."""
    lines = (line.rstrip() for line in clean_verbatim(text).split("\n"))
    return "\n".join(line for line in lines if line).strip()


def clean_verbatim(text: str) -> str:
    """Return `text` as code: line by line as it was, indentation kept, invisible characters dropped."""
    if text.isascii() and text.isprintable():
        return text
    return _SPACE.sub(" ", _INVISIBLE.sub("", _LINE_END.sub("\n", text))).strip("\n").rstrip()
