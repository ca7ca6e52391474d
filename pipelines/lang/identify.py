"""The language of a chunk, which may be another than its document's."""

from __future__ import annotations

import re

from pipelines.lang.characters import CJK_CHARACTER

_LETTER = re.compile(r"[^\W\d_]")
_EAST_ASIAN = ("zh", "ja", "ko")
_MUCH, _LITTLE = 0.3, 0.02


def language_of(text: str, default: str) -> str:
    """Return `default`, the document's language, unless the script of `text` speaks against it."""
    letters = len(_LETTER.findall(text))
    share = len(CJK_CHARACTER.findall(text)) / letters if letters else 0.0
    if share > _MUCH and not default.startswith(_EAST_ASIAN):
        return "zh"
    if letters and share < _LITTLE and default.startswith(_EAST_ASIAN):
        return "en"
    return default
