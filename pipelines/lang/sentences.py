"""Splits a text into sentences, as spans."""

from __future__ import annotations

import re

from pipelines.core.provenance import Span
from pipelines.lang.characters import SMALL
from pipelines.lang.profile import longest_first, profile

# A sentence ends at .!? before white space, at the marks of Chinese, Hindi, Arabic and Urdu, at a blank line, before a
# list item, before a line with a label ("Type: K80-250"), and before a table row.
_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s)|[。！？；।॥؟۔]+[”’）」』]*|\n\s*\n"
    r"|\n(?=\s*(?:[-*•–·]|\d+[.)])\s)|\n(?=[^\n]* \| )"
    rf"|\n(?=[^\W\d_{SMALL}][^.:：!?\n]{{0,40}}\.?[:：])"
)
SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？", "।", "॥", "؟", "۔")
"""The marks that end a complete sentence."""
QUESTION_MARKS = ("?", "？", "؟")
_CLOSING = "\"'”’»)]）」』 \n"
"""What may follow such a mark: closing quotation marks and brackets."""
_DOTS = ("..", "...", "…")
_INSIDE = frozenset(">→›,;:)/&+=")
"""Marks that do not begin a sentence: "Settings > Options... > Files"."""
_PROFILES = (profile("en"), profile("de"), profile("fr"), profile("es"))
_ABBREVIATIONS = "|".join(sorted(re.escape(word) for one in _PROFILES for word in one.abbreviations))
# The full stop of Indic scripts is a danda; a short word before a period is an abbreviation: "डॉ." (Dr.).
_ABBREVIATION = re.compile(rf"(?:\b(?:{_ABBREVIATIONS})|\b[A-Z]|(?<!\S)[\u0900-\u0d7f]{{1,3}})\.$", re.IGNORECASE)
# A short word at the beginning of brackets does not end a sentence either: "(réf. FB-22)".
_IN_BRACKETS = re.compile(r"[(\[（]\w{1,8}\.$")
# A unit after a figure, unlike an abbreviation, can end a sentence: "75 N·m.", "3.4 m.", "5 min."
_UNIT = re.compile(r"(?:\d\s?|[·/°])(?:[A-Z]|min)\.$", re.IGNORECASE)
# So can a time of day, but "8 a.m. Monday" and "8 a.m. EST" go on.
_TIME_OF_DAY = re.compile(r"\d\s?[ap]\.\s?m\.$", re.IGNORECASE)
_WEEKDAYS = frozenset(day for one in _PROFILES for day in one.weekday_names)
# A short word before a number, but not before that of a list item: "ext. 555", "rys. 3", "рис. 5".
_SHORT = re.compile(r"(?<![^\W_])[^\W\d_]{1,4}\.$")
_NUMBER = re.compile(r"\d(?!\d{0,2}[.)]\s)")
_SPACE = re.compile(r"\s*")
# In languages that capitalize all nouns, a capital after a number need not begin a sentence: "zum 31. März".
_CAPITALS = tuple(one for one in _PROFILES if one.noun_capitals)
_MONTH = re.compile("|".join(longest_first(name for one in _CAPITALS for name in one.month_names)), re.IGNORECASE)
_ARTICLES = "|".join(longest_first(word for one in _CAPITALS for word in one.articles))
_BEHIND_ARTICLE = re.compile(rf"(?<!\w)(?:{_ARTICLES})\s\d{{1,3}}\.$", re.IGNORECASE)
_OPENING = frozenset(word.capitalize() for one in _CAPITALS for word in one.function_words)
_DAY = re.compile(r"(?<![\w.,])\d{1,2}\.$")
# "31. 12. 2024" is a date in many languages.
_REST_OF_DATE = re.compile(r"\d{1,2}\.\s?\d{2,4}(?!\w)")
_DAY_AND_MONTH = re.compile(r"(?<![\w.,])\d{1,2}\.\s\d{1,2}\.$")
_YEAR = re.compile(r"(?:19|20)\d\d(?!\w)")
_WORD = re.compile(r"\w+")
# The label of a title, an entry or a caption: "4." of "4. REPAIR", "Table 1." of "Table 1. Torques".
_LABELS = "|".join(longest_first(word for one in _PROFILES for word in one.labels))
_LABEL = re.compile(
    rf"(?:(?:{_LABELS})\.?\s+)?"
    r"[(\[]?(?:\d{1,3}(?:[.\-–]\d{1,3}){0,4}[a-z]?|[A-Z](?:[.\-–]\d{1,3}){0,4}|[IVXLC]{1,6})\.",
    re.IGNORECASE,
)

_LONGEST_LABEL = 80
"""Maximum characters of a label, or of a word after a number."""


def is_complete(text: str) -> bool:
    """Whether a text ends as a sentence does, apart from closing quotation marks and brackets."""
    return text.rstrip(_CLOSING).endswith(SENTENCE_ENDS)


def sentences(text: str) -> list[Span]:
    """Return the spans of the sentences of `text` in order, without surrounding white space.

    Abbreviations, initials, decimal points and the numbers of titles and captions do not end a sentence; list items and
    table rows are separate sentences. The time is linear in the length of any `text`.
    """
    spans: list[Span] = []
    start = begin = 0
    for match in _END.finditer(text):
        end = match.end()
        if end <= start:
            continue
        begin = begin if begin > start else _skip(text, start)
        if match.group() == "." and _is_abbreviation(text, begin, end):
            continue
        if match.group() in _DOTS and _continues(text, match.start(), end):
            continue
        _append(spans, text, start, end)
        start = end
    _append(spans, text, start, len(text))
    return spans


def _is_abbreviation(text: str, begin: int, end: int) -> bool:
    """Whether the period before `end` does not end the sentence that begins at `begin`."""
    label = end - begin <= _LONGEST_LABEL and _LABEL.fullmatch(text, begin, end) is not None
    if label and not text.startswith("\n\n", end):
        return True
    last = text[max(begin, end - 12) : end]
    if _IN_BRACKETS.search(last):
        return True
    if _ABBREVIATION.search(last) and not _UNIT.search(last):
        return not (text.startswith("\n\n", end) or (_TIME_OF_DAY.search(last) and _opens_sentence(text, end)))
    following = _skip(text, end)
    if text[end:following] == " " and _SHORT.search(last) and _NUMBER.match(text, following):
        return True
    return text[following : following + 1].islower() or _is_ordinal(last, text, following)


def _opens_sentence(text: str, end: int) -> bool:
    """Whether the word after `end` has a capital at its beginning alone, and is no weekday."""
    word = _WORD.match(text, _skip(text, end))
    return word is not None and word.group().istitle() and word.group().lower() not in _WEEKDAYS


def _is_ordinal(last: str, text: str, following: int) -> bool:
    """Whether the number at the end of `last` is an ordinal or part of a date that continues at `following`."""
    rest = text[following : following + _LONGEST_LABEL]
    if _BEHIND_ARTICLE.search(last):
        word = _WORD.match(rest)
        return word is not None and word.group() not in _OPENING
    if _DAY_AND_MONTH.search(last) and _YEAR.match(rest):
        return True
    return _DAY.search(last) is not None and (_MONTH.match(rest) or _REST_OF_DATE.match(rest)) is not None


def _continues(text: str, dots: int, end: int) -> bool:
    """Whether dots from `dots` to `end` are a range ("0 .. 15"), a pause ("wait... then") or a menu within a line."""
    following = _skip(text, end)
    if "\n" in text[end:following]:
        return False
    behind = text[following : following + 1]
    return behind.islower() or behind in _INSIDE or text[dots - 1 : dots].isspace()


def _skip(text: str, place: int) -> int:
    """Return the position of the first character at or after `place` that is not white space."""
    space = _SPACE.match(text, place)
    return space.end() if space else place


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append(Span(start, end))
