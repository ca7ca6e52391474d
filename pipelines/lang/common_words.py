"""The commonest words of a language, which say little of what a text is about.

`data/common_words/CODE.txt` holds them, the commonest first; `deploy/common_words.py` writes the files.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_DATA = Path(__file__).with_name("data") / "common_words"


@cache
def common_words(language: str) -> frozenset[str]:
    """Return the commonest words of a language by its ISO 639-1 code, none where they are not known."""
    path = _DATA / f"{language}.txt"
    return frozenset(path.read_text(encoding="utf-8").split()) if language.isalpha() and path.is_file() else frozenset()
