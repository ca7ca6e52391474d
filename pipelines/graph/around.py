"""What stands around the name of a document in a text: the part that is cited with it, its revision, a succession."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.graph.names import fold

REACH = 60
"""Characters before and after a name that are looked at."""
_PART = (
    r"(?:section|sec\.|clause|chapter|paragraph|para\.|article|annex|appendix|part|table|figure|fig\.|abschnitt|kapitel"
    r"|ziffer|anhang|§)"
)
_PART_NUMBER = r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?:\.\d{1,3}){0,4})"
_PART_BEFORE = re.compile(
    rf"\b{_PART}\s?{_PART_NUMBER}(?:\s?\([a-z0-9]\))?(?:,|\s(?:of|in|from|to|der|des|von|im))?\s(?:the\s|our\s|document\s)?[\"“'(]?$",
    re.IGNORECASE,
)
_PART_BEHIND = re.compile(rf"[\"”'》」)]?,?\s?\(?(?:in\s)?{_PART}\s?{_PART_NUMBER}(?![\w])", re.IGNORECASE)
_CHINESE_PART = re.compile(r"[》」”\"]?\s?(?:的|中的?)?\s?第\s?(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})\s?[章节節条條款]")
_REVISION_BEHIND = re.compile(
    r",?\s?\(?(?:rev(?:ision)?\.?|version|issue)\s?(?P<revision>[A-Z]\b|\d{1,3}(?:\.\d+)*)", re.IGNORECASE
)
_TAKES_PLACE = re.compile(
    r"(?:\b(?:supersedes|replaces|ersetzt|remplace)\b|取代|替代|代替)[^.。;；]{0,24}$", re.IGNORECASE
)
_GIVES_PLACE = re.compile(r"\b(?:superseded|replaced|ersetzt)\s(?:by|durch)[^.;]{0,24}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a name.

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


NOTHING = Around()


def around(before: str, after: str) -> Around:
    """Return what these `REACH` characters before and after a name tell of it."""
    part, cited_before, cited_behind = _part(before, after)
    revision = _REVISION_BEHIND.match(after)
    ahead = fold(before)
    takes_place = -1 if _GIVES_PLACE.search(ahead) else 1 if _TAKES_PLACE.search(ahead) else 0
    found = Around(part, cited_before, cited_behind, revision["revision"].upper() if revision else "", takes_place)
    return NOTHING if found == NOTHING else found


def _part(before: str, after: str) -> tuple[str, str, str]:
    if match := _PART_BEFORE.search(before):
        return match["number"], match.group(), ""
    if match := _PART_BEHIND.match(after) or _CHINESE_PART.match(after):
        return match["number"], "", match.group()
    return "", "", ""
