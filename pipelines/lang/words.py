"""The word lists of English and Chinese together: those by which texts and questions are read today."""

from __future__ import annotations

from pipelines.lang.profile import LanguageProfile, profile

_PROFILES: tuple[LanguageProfile, ...] = (profile("en"), profile("zh"))


def _union(name: str) -> frozenset[str]:
    return frozenset().union(*(getattr(one, name) for one in _PROFILES))


STOP_WORDS = _union("stop_words")
FUNCTION_WORDS = _union("function_words")
PHRASE_ENDS = FUNCTION_WORDS | profile("en").phrase_ends
"""Words at which a key phrase ends; Chinese has characters for it, in its profile."""
