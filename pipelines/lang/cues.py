"""Words by which a text shows what it does: gives a reason, denies, warns, asks when, points at something named before.

`data/cues.toml` has them by what they show and by language, as patterns that are linear in the text.
"""

from __future__ import annotations

import re
from functools import cache

from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.profile import of_language, read_table


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
