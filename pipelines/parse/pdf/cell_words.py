"""The words of a cell: grouped to lines, and joined to its text."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import accumulate

from pipelines.lang.characters import SMALL, right_to_left
from pipelines.lang.profile import profile
from pipelines.lang.stemming import has_dictionary, is_in_dictionary
from pipelines.parse.lines import Rect, around, join_lines
from pipelines.parse.pdf.page import PageWord

_BEGUN = re.compile(r"[^\w]*([^\W\d_]+)")
_CONTINUED = re.compile(rf"([{SMALL}][^\W\d_]*)[^\w]*")
"""A word that begins with a small letter, and the mark behind it."""
_MOST_PARTS = 4
"""Maximum further lines of one word: "Responsibilities" in a column of three letters has five."""


def cell_text(words: Sequence[PageWord], vocabulary: Container[str] = frozenset(), language: str = "") -> str:
    """Return the text of a cell, with its lines joined and words that are broken at the end of a line restored.

    Args:
        words: the words of the cell.
        vocabulary: the words of the document in lower case.
        language: its language (ISO 639-1), for words that are only in broken form in it.
    """
    if not words:
        return ""
    texts: list[str] = []
    lines, whole = text_lines(words), around(word.rect for word in words)
    for place, line in enumerate(lines):
        first, *rest = [word.text for word in line]
        end = texts[-1].split()[-1] if texts else ""
        broken = (end + first).lower() in vocabulary and first.islower() and first not in vocabulary
        if end and (broken or (_is_full(lines[place - 1], line, whole) and _is_part(end, lines[place:], language))):
            texts[-1] += first
        else:
            rest = [first, *rest]
        texts += [" ".join(rest)] if rest else []
    return join_lines(texts, vocabulary)


def _is_full(above: Sequence[PageWord], line: Sequence[PageWord], whole: Rect) -> bool:
    """Whether the line above one has no space for one more letter, and the word at its end none for the next one.

    Only a word that is too long for the cell, whose words fill `whole`, is broken without a hyphen.
    """
    last, first = above[-1].rect, line[0].rect
    letter = first.width / len(line[0].text)
    return last.right + letter > whole.right and last.width + first.width > whole.width


def _is_part(end: str, lines: Sequence[Sequence[PageWord]], language: str) -> bool:
    """Whether a word ends with the first of the `lines`, or one further down, that begins with `end`: "mana", "geme",
    "nt".

    Such a word is in the dictionary of the language; a compound may not be, but neither are its parts then.
    """
    begun, parts = _BEGUN.fullmatch(end), list(_parts(lines))
    if begun is None or not parts:
        return False
    left, wholes = begun[1].lower(), accumulate(parts)
    if any(is_in_dictionary(left + whole, language) for whole in wholes):
        return True
    compounds = profile(language).compounds and has_dictionary(language)
    return bool(compounds) and not any(is_in_dictionary(part, language) for part in (left, parts[0]))


def _parts(lines: Sequence[Sequence[PageWord]]) -> Iterator[str]:
    """Yield the first words of lines that may go on with a word, up to one with another word behind it."""
    for line in lines[:_MOST_PARTS]:
        if (part := _CONTINUED.fullmatch(line[0].text)) is None:
            return
        yield part[1]
        if len(line) > 1 or part[0] != part[1]:
            return


def text_lines(words: Sequence[PageWord]) -> list[list[PageWord]]:
    """Return words grouped to lines from the top, each in reading order."""
    lines: list[list[PageWord]] = []
    for word in sorted(words, key=lambda word: word.rect.middle[1]):
        if lines and _same_line(lines[-1], word):
            lines[-1].append(word)
        else:
            lines.append([word])
    for line in lines:
        line.sort(key=lambda word: word.rect.left, reverse=right_to_left(" ".join(word.text for word in line)))
    return lines


def _same_line(line: Sequence[PageWord], word: PageWord) -> bool:
    rect = around(other.rect for other in line)
    common = min(rect.bottom, word.rect.bottom) - max(rect.top, word.rect.top)
    return common > 0.5 * min(rect.height, word.rect.height)
