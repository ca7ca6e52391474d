"""The words of a cell: grouped to lines, and joined to its text."""

from __future__ import annotations

from collections.abc import Container, Sequence

from pipelines.lang.characters import right_to_left
from pipelines.parse.lines import around, join_lines
from pipelines.parse.pdf.page import PageWord


def cell_text(words: Sequence[PageWord], vocabulary: Container[str] = frozenset()) -> str:
    """Return the text of a cell, with its lines joined and words that are broken at the end of a line restored."""
    texts: list[str] = []
    for line in text_lines(words):
        first, *rest = [word.text for word in line]
        end = texts[-1].split()[-1] if texts else ""
        broken = (end + first).lower() in vocabulary and first.islower() and first not in vocabulary
        if end and broken:
            texts[-1] += first
        else:
            rest = [first, *rest]
        texts += [" ".join(rest)] if rest else []
    return join_lines(texts, vocabulary)


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
