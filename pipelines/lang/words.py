"""Word lists: words that are no terms, the commonest ones, and cues, by which a text shows what it does.

`data/common_words/CODE.txt` holds the commonest words of a language, the commonest first (`deploy/language_data.py`
writes the files); `data/cues.toml` those that give a reason, deny, warn, ask when or point at something named before,
by language, as patterns that are linear in the text.
"""

from __future__ import annotations

import re
from functools import cache

from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.profile import LanguageProfile, named_languages, of_language, profile, read_table, read_words

_PROFILES: tuple[LanguageProfile, ...] = (profile("en"), profile("zh"))


def _union(name: str) -> frozenset[str]:
    return frozenset().union(*(getattr(one, name) for one in _PROFILES))


STOP_WORDS = _union("stop_words")
FUNCTION_WORDS = _union("function_words")
PHRASE_ENDS = FUNCTION_WORDS | profile("en").phrase_ends
"""Words at which a key phrase ends; Chinese has characters for it, in its profile."""


_FOLDER = "common_words"


@cache
def common_words(language: str) -> frozenset[str]:
    """Return the commonest words of a language by its ISO 639-1 code, none where they are not known."""
    return frozenset(read_words(_FOLDER, language)) if language in named_languages(_FOLDER) else frozenset()


@cache
def cue(name: str, language: str = "") -> re.Pattern[str]:
    """Return a pattern of the words of a language that show `name`, of all languages where it is not known.

    Of a language without any it matches nothing.
    """
    chosen = cue_words(name, language)
    parts = [part if CJK_CHARACTER.search(part) else rf"(?<!\w){part}(?!\w)" for part in chosen]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)


def cue_words(name: str, language: str = "") -> list[str]:
    """Return the patterns of the words of a language that show `name`, of all languages where it is not known."""
    return of_language(read_table("cues")[name], language)
