"""Lines of one column grouped into paragraphs and list items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from itertools import groupby, pairwise

from pipelines.lang.characters import RIGHT_TO_LEFT
from pipelines.parse.lines import BULLET_GLYPHS, CJK_START, HYPHENS, LABELLED, LEADER, Line, join_lines

_LEADING = 1.2
"""Distance of baselines in type sizes, the default of fonts and word processors (CSS: normal)."""
_TAB = 4.0
"""Width in ems of white space wider than any blank: a tab, the rest of a short line, the gap to another column."""
_WIDER, _SCATTER = 1.25, 1.08
"""Line steps relative to the usual one: of a new paragraph (6 points on 12: 1.4), and the scatter of baselines."""
_OCR_SIZES = 1.3
"""Maximum ratio of the sizes that OCR measures for lines of one paragraph: 9 points, and 11 for "E-12." at its end."""
_LEAST_FIELDS = 3
"""Minimum lines of a list of fields."""
_NEVER_WRAPPED = 1 / 3
"""Minimum share of line breaks before words that would have fitted: text that is wrapped at a fixed width has none, and
wrapping around a picture or for balance causes few."""
_NUMBERED = re.compile(r"\(?(\d{1,3}|[a-zA-Z])[.)]\s")
"""A mark that may also be the last word of a sentence ("... am / 2. Mai", "Figure / 2. The", "type / b) or c)")."""


def group_paragraphs(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines of one column, in order from the top, grouped into paragraphs.

    A paragraph begins after a wider gap, at a change of style, at a bullet or a number of a list, at an indented line,
    and after a short line that ends a sentence.
    """
    if not lines:
        return []
    steps = _usual_steps(lines)
    right = max(line.rect.right for line in lines)
    groups: list[list[Line]] = [[lines[0]]]
    marks = {_mark(lines[0])}
    for above, line in pairwise(lines):
        usual = steps.get(_size_key(line), _LEADING * line.size)
        if _begins_paragraph(above, line, groups[-1], usual, right, marks):
            groups.append([])
            marks.add(_mark(line))
        groups[-1].append(line)
    return groups


def _mark(line: Line) -> str:
    """Return the number or letter that a line begins with as an item of a list does, or ''."""
    mark = None if line.marked else _NUMBERED.match(line.text)
    return mark[1] if mark else ""


def _size_key(line: Line) -> int:
    return round(2 * line.size)  # 7.5 and 8.5 points, code and text, are not the same


def _usual_steps(lines: Sequence[Line]) -> dict[int, float]:
    """Return the most frequent distance from line to line for each type size."""
    found: dict[int, Counter[float]] = {}
    for above, line in pairwise(lines):
        step = line.rect.top - above.rect.top
        # Same size within rounding to half points; from overlapping lines of capitals (.6) to double spacing (2.2).
        if abs(line.size - above.size) < 0.6 and 0.6 * line.size < step < 2.2 * line.size:
            found.setdefault(_size_key(line), Counter())[round(step * 2) / 2] += 1
    return {size: min(steps, key=lambda step: (-steps[step], step)) for size, steps in found.items()}


def _begins_paragraph(
    above: Line, line: Line, group: Sequence[Line], usual: float, right: float, marks: Container[str]
) -> bool:
    step = line.rect.top - above.rect.top
    em = max(line.size, 1.0)
    # Beside the line above, or at the top of another column; a superscript begins up to .3 of its size lower.
    if step < 0.3 * em:
        return step < -em or line.rect.left - above.rect.right > _TAB * em
    if above.style.mono and line.style.mono:
        # A blank line in code is two steps of 1.2.
        return step > 2.5 * em or line.text[:1] in BULLET_GLYPHS
    short = above.rect.right < right - _TAB * em
    changes = _style_changes(above, line, short or step > _SCATTER * usual)
    # A tenth of the size is added for the rounding of steps to half points.
    if step > _WIDER * usual + 0.1 * em or (changes and (short or not _is_measured_anew(above, line))):
        return True
    # The page number of a table of contents entry may be a line of its own.
    if line.raised or LEADER.search(" ".join(part.text for part in group[-2:])):
        return True
    if line.is_item and (short or not _is_wrapped(line, group, em, marks)):
        return True
    in_item = len(group) == 1 and group[0].is_item
    return not in_item and (_is_indented(line, group, em) or (short and _ends_sentence(above.text)))


def _is_wrapped(line: Line, group: Sequence[Line], em: float, marks: Container[str]) -> bool:
    """Whether the number at the start of a line belongs to the sentence of the full line above.

    It does if that line ends no sentence, the line begins where the text above does, and the number before it is not
    among the `marks` of the items above.
    """
    mark, above = _mark(line), group[-1]
    shift = line.rect.left - above.rect.left
    hangs = len(group) == 1 and above.is_item and 0 < shift < _TAB * em
    if not mark or _ends_sentence(above.text) or not (abs(shift) < em / 2 or hangs):
        return False
    before = str(int(mark) - 1) if mark.isdigit() else chr(ord(mark) - 1)
    return before not in marks


def _is_indented(line: Line, group: Sequence[Line], em: float) -> bool:
    """Whether a line begins further right than the paragraph so far, like the first line of the next one."""
    edge = min(part.rect.left for part in group[1:]) if len(group) > 1 else group[0].rect.left
    # An indent is an em in books, 3 to 5 in typescripts; a line further right is in another column.
    return 0.8 * em < line.rect.left - edge < 6 * em and (_ends_sentence(group[-1].text) or len(group) > 2)


def _is_measured_anew(above: Line, line: Line) -> bool:
    """Whether a sentence goes on in the next line in about the same size, which OCR measures by a few letters."""
    alike = max(above.size, line.size) < _OCR_SIZES * min(above.size, line.size)
    return alike and line.confidence < 1 and not _ends_sentence(above.text)


def _style_changes(above: Line, line: Line, loose: bool) -> bool:
    """Whether another style begins; a change of weight counts only if the text does not clearly continue (`loose`)."""
    # More than the rounding to half points and the variation of sizes estimated by OCR.
    if abs(above.size - line.size) >= max(0.8, 0.06 * max(above.size, line.size)) and above.style.size:
        return True
    if above.style.mono != line.style.mono:
        return True
    continues = not (loose or _ends_sentence(above.text) or LABELLED.match(line.text))
    return above.style.bold != line.style.bold and not continues


def paragraph_text(lines: Sequence[Line], right: float | None, vocabulary: Container[str] = frozenset()) -> str:
    """Return the lines of a paragraph as one text; line breaks that the author made are kept.

    Where the next word would have fitted on the line above, nobody wrapped the line: a form, an address, a letterhead.

    Args:
        lines: the lines of the paragraph.
        right: the right edge of its column, None if it is not known.
        vocabulary: the document's words, see `join_lines`.
    """
    parts: list[list[str]] = [[lines[0].text]]
    kept = _kept_breaks(lines, right)
    for number, line in enumerate(lines[1:], 1):
        if number in kept:
            parts.append([])
        parts[-1].append(line.text)
    return "\n".join(filter(None, (join_lines(part, vocabulary) for part in parts)))


def _kept_breaks(lines: Sequence[Line], right: float | None) -> set[int]:
    """Return the numbers of the lines before which the author has broken the line.

    If enough of them are such relative to the longest line, all are where a word would have fitted into
    the column, or, in a column that is not known, where the next line does not begin with a small letter. In any other
    text, only those between two lines with labels are, and all before lines of a list of fields.
    """
    longest = max(line.rect.right for line in lines)
    labelled = [LABELLED.match(line.text) is not None for line in lines]
    breaks = range(1, len(lines))
    within = {number for number in breaks if _word_fits(lines[number - 1], lines[number], longest)}
    if len(lines) > 2 and _NEVER_WRAPPED * len(breaks) <= len(within):
        if right is None:
            return within | {number for number in breaks if not lines[number].text.lstrip()[:1].islower()}
        within = {number for number in breaks if _word_fits(lines[number - 1], lines[number], right)}
        return within | _before_fields(labelled)
    return _before_fields(labelled) | {
        number
        for number in breaks
        if labelled[number - 1]
        and labelled[number]
        and (number in within or (right is not None and _word_fits(lines[number - 1], lines[number], right)))
    }


def _before_fields(labelled: Sequence[bool]) -> set[int]:
    """Return the numbers of the lines of fields, each with a label, in succession; text has two at most by chance."""
    found: set[int] = set()
    for is_field, run in groupby(range(len(labelled)), labelled.__getitem__):
        numbers = list(run)
        if is_field and len(numbers) >= _LEAST_FIELDS:
            found |= set(numbers) - {0}
    return found


def _word_fits(above: Line, line: Line, right: float) -> bool:
    """Whether the first word of a line would have fitted on the line above, with an em to spare."""
    text = line.text.strip()
    # Lines of Hebrew and Arabic end on the left; two parts of a justified line are beside each other.
    if not text or above.rect.beside(line.rect) or above.text.rstrip().endswith(HYPHENS) or RIGHT_TO_LEFT.match(text):
        return False
    # Chinese and Japanese lines may be broken after any character.
    word = 1 if CJK_START.match(text) else len(text.split(None, 1)[0])
    width = line.rect.width * word / len(text)
    return above.rect.right + width + max(line.size, 1.0) < right


def _ends_sentence(text: str) -> bool:
    return text.rstrip().endswith((".", "!", "?", ":", "。", "！", "？", "：", '."', ".”", ".)", ";"))
