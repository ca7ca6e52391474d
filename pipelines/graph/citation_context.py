"""What the text around the name of a document says of the citation, in the words of all languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.lang.characters import fold
from pipelines.lang.word_lists import FoundWord, any_of, words_in

REACH = 60
"""Characters before and after a name that are its citation context."""
_PARTS = ("section", "appendix", "table", "figure")
_POINTERS = ("see", "supersedes", "superseded")
"""Fields of `pipelines/lang/data/wording.toml`: what stands before the number of a part, what points at a document."""
_TO_NAME_SPACED = re.compile(rf" (?:{any_of('article')} )?[\"'(\[]?", re.IGNORECASE)
_TO_NAME_UNSPACED = re.compile(r"[ :：]?[《「\"]?")
_NAME_OPENS = ("《", "「", '"')
"""Marks before a name that alone show that it is one."""
_SAME_CLAUSE = re.compile(r"[^.。;；]{0,24}")
_PART_NUMBER = r"\s?(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}|(?<=\s)[A-Z](?:\.\d{1,3}){0,4})"
_NUMBER_TO_NAME = re.compile(
    rf"{_PART_NUMBER}(?:\s?\([a-z0-9]\))?(?:,|\s{any_of('within')})?\s"
    rf"(?:(?:{any_of('article')}|{any_of('document')})\s)?[\"“'(]?",
    re.IGNORECASE,
)
_PART_BEHIND = re.compile(
    rf"[\"”'》」)]?,?\s?\(?(?:{any_of('within')}\s)?{any_of(*_PARTS)}"
    rf"{_PART_NUMBER}(?![\w])",
    re.IGNORECASE,
)
_CHINESE_PART = re.compile(r"[》」”\"]?\s?(?:的|中的?)?\s?第\s?(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})\s?[章节節条條款]")
_REVISION_BEHIND = re.compile(
    rf",?\s?\(?{any_of('revision')}\.?\s?(?P<revision>[A-Z]\b|\d{{1,3}}(?:\.\d+)*)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class CitationContext:
    """What the text around the name of a document says of the citation.

    `part` is the number of the section that stands with it, `before` and `behind` the words for that before and
    behind the name: "clause 7.3 of NAME", "NAME, section 4.2", "NAME第4.2节". `revision` is what stands behind the
    name as such. `takes_place` is 1 where the text says that its document supersedes the named one, -1 for the
    reverse.
    """

    part: str = ""
    before: str = ""
    behind: str = ""
    revision: str = ""
    takes_place: int = 0


NO_CONTEXT = CitationContext()


def read_citation(before: str, after: str) -> tuple[bool, CitationContext]:
    """Return whether what stands directly before a name points at a document, and the citation context of the name.

    `before` and `after` are the `REACH` characters around it.

    >>> read_citation("as described in section 3 of the ", "")[1].part
    '3'
    """
    folded = fold(before)
    told = [word for word in words_in(folded, *_PARTS, *_POINTERS) if word.begins]
    part, cited_before, cited_behind = _part(before, after, told)
    revision = _REVISION_BEHIND.match(after)
    found = CitationContext(
        part, cited_before, cited_behind, revision["revision"].upper() if revision else "", _takes_place(before, told)
    )
    return _points(folded, told), NO_CONTEXT if found == NO_CONTEXT else found


def _points(folded: str, told: Sequence[FoundWord]) -> bool:
    """Whether a text ends with "see ", "according to the ", a quotation mark."""
    return folded.endswith(_NAME_OPENS) or any(
        (_TO_NAME_SPACED if word.spaced else _TO_NAME_UNSPACED).fullmatch(folded, word.end)
        for word in told
        if word.field in _POINTERS
    )


def _part(before: str, after: str, told: Sequence[FoundWord]) -> tuple[str, str, str]:
    for word in told:
        if word.field in _PARTS and (match := _NUMBER_TO_NAME.fullmatch(before, word.end)):
            return match["number"], before[word.start :], ""
    if match := _PART_BEHIND.match(after) or _CHINESE_PART.match(after):
        return match["number"], "", match.group()
    return "", "", ""


def _takes_place(before: str, told: Sequence[FoundWord]) -> int:
    near = {word.field for word in told if word.ends and _SAME_CLAUSE.fullmatch(before, word.end)}
    return -1 if "superseded" in near else 1 if "supersedes" in near else 0
