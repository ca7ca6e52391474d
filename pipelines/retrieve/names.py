"""Names as they are compared: in the question, in entities and in titles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from pipelines.core.ids import normalize
from pipelines.lang.terms import terms
from pipelines.lang.words import STOP_WORDS

_WORD = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"(?:(?<!\s)\s++)?[(（][^)）]{0,200}[)）]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_FORMS = {
    "pdf": "pdf paper",
    "wordprocessing": "word document",
    "msword": "word document",
    "spreadsheet": "spreadsheet workbook sheet excel",
    "ms-excel": "spreadsheet workbook sheet excel",
    "presentation": "slides presentation powerpoint deck",
    "ms-powerpoint": "slides presentation powerpoint deck",
    "html": "web page site",
    "csv": "table list csv",
    "image/": "picture image photo drawing screen",
    "rfc822": "mail email message letter",
    "ms-outlook": "mail email message letter",
    "epub": "book handbook",
}
"""What readers call a document by its type."""
LONGEST = 8
"""Words of a name at most."""


def name_key(text: str) -> str:
    """Return a name in words without accents, one blank between them: "Kenjirō" and "kenjiro" are one."""
    plain = normalize(text)
    return " ".join(_WORD.findall(plain if plain.isascii() else "".join(map(_bare, plain))))


def _bare(letter: str) -> str:
    """A Latin letter without its marks; other scripts keep theirs."""
    first = unicodedata.normalize("NFKD", letter)[:1]
    return first if first.isascii() and first.isalpha() else letter


def title_keys(title: str) -> Iterator[str]:
    """Yield the names that a title gives: itself, without what is in brackets, and before its first comma."""
    bare = _BRACKETS.sub("", title).strip()
    for form in dict.fromkeys((title, bare, bare.partition(",")[0])):
        key = name_key(form)
        if len(key) > 1 and not all(word in STOP_WORDS for word in key.split()):
            yield key


def calling_terms(title: str, uri: str, media_type: str) -> list[str]:
    """Return the terms by which a reader may call a document: those of its title, file name and kind."""
    file = uri.rsplit("/", 1)[-1].rpartition(".")[0] if "." in uri else ""
    kinds = " ".join(words for mark, words in _FORMS.items() if mark in media_type)
    return list(dict.fromkeys(terms(f"{title} {_CAMEL.sub(' ', file)} {kinds}")))


def runs(text: str, longest: int = LONGEST) -> Iterator[tuple[int, int, str]]:
    """Yield every run of up to `longest` words as (first word, behind the last word, key), the longest first."""
    words = name_key(text).split()
    for size in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            yield start, start + size, " ".join(words[start : start + size])
