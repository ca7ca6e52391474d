"""The commonest words of a language, which say little of what a text is about.

`data/common_words/CODE.txt` holds them, the commonest first; `deploy/language_data.py` writes the files.
"""

from __future__ import annotations

from functools import cache

from pipelines.lang.profile import named_languages, read_words

_FOLDER = "common_words"


@cache
def common_words(language: str) -> frozenset[str]:
    """Return the commonest words of a language by its ISO 639-1 code, none where they are not known."""
    return frozenset(read_words(_FOLDER, language)) if language in named_languages(_FOLDER) else frozenset()
