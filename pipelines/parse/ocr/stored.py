"""The text layer of a searchable scan, which another program has read off its picture, as text of detected lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise

from pipelines.lang.characters import CJK_CHARACTER, right_to_left
from pipelines.lang.names import without_accents
from pipelines.parse.lines import Line, Rect, around
from pipelines.parse.near import Near
from pipelines.parse.ocr.engine import CONFIDENT, LONG, Corners, OcrEngine, Raster, Reading, bounds

_CHECKED_EVERY, _MOST_CHECKED = 8, 8
"""Every eighth long line is recognized too, up to eight on a page, which takes a tenth of the time of OCR."""
_ALIKE = 0.9
"""Minimum similarity of stored and recognized text: of 28 scanned pages that Tesseract has read with the right
model it is .96 to 1, of 8 in another script below .6 (`benchmarks/pdf_pages.py --searchable`)."""
_MOST_COMPARED = 1000
"""Maximum characters that are compared, which takes quadratic time: eight lines of a page."""
_WIDEST = 2.0
"""Maximum gap between the words of a line, and at its ends, in heights of the line; in wider ones a word is missing."""
_BLANK = 0.25
"""Minimum gap between CJK characters that is a blank, in heights of the line."""
_MOST_REST = 30
"""Maximum words in no detected line that are looked at one by one; more are noise in a figure."""


class StoredText:
    """Words of a text layer, in pixels of the picture, as the text of the lines that OCR detects there."""

    def __init__(self, words: Sequence[Line]) -> None:
        self._words = words
        self._near = Near(range(len(words)), lambda number: words[number].rect)
        self._used: set[int] = set()
        self._long = 0
        self.checked: dict[Corners, str] = {}
        """The stored text of the lines that are recognized too."""

    def line(self, corners: Corners) -> str:
        """Return the text of a detected line, empty if words are missing or it is one of those that are checked."""
        rect = bounds(corners)
        inside = [number for number in self._near.at(rect) if rect.holds(*self._words[number].rect.middle)]
        text = _joined([self._words[number] for number in inside], rect)
        if not text:
            return ""
        self._used.update(inside)
        if rect.width >= LONG * rect.height:
            self._long += 1
            if self._long % _CHECKED_EVERY == 1 and len(self.checked) < _MOST_CHECKED:
                self.checked[corners] = text
                return ""
        return text

    def rest(self, lines: Sequence[Reading]) -> list[Reading]:
        """Return the words with letters or digits that are in none of the lines, adjacent ones together."""
        taken = Near([line.rect for line in lines], lambda rect: rect)
        rest = [
            word
            for number, word in enumerate(self._words)
            if number not in self._used and not any(rect.holds(*word.rect.middle) for rect in taken.at(word.rect))
        ]
        return [_reading(part) for part in _parts(rest) if any(map(_is_written, part))]


def read_stored(engine: OcrEngine, image: Raster, stored: StoredText) -> list[Reading] | None:
    """Return the lines of an upright page with their stored text, None if that is not what the picture shows.

    What the text layer lacks is recognized. Its words in no detected line are kept if they are recognized likewise.
    """
    readings = engine.read(image, stored.line)
    checked = [(stored.checked[one.corners], one) for one in readings if one.corners in stored.checked]
    legible = [(text, one.text) for text, one in checked if one.confidence >= CONFIDENT or _knows(engine, text)]
    if legible and not _is_right(legible):
        return None
    texts = {one.corners: text for text, one in checked}
    found = [replace(one, text=texts[one.corners], confidence=1.0) if one.corners in texts else one for one in readings]
    rest = stored.rest(readings)
    if checked and not legible:  # the engine cannot recognize the script, nor confirm anything
        return found + rest
    return found + [word for word in rest[:_MOST_REST] if _is_there(engine, image, word)]


def _knows(engine: OcrEngine, text: str) -> bool:
    """Whether an engine knows all letters of a text, so that a picture of it is recognized, if only with doubt."""
    return bool(engine.characters) and all(not letter.isalpha() or letter in engine.characters for letter in text)


def _is_right(lines: Sequence[tuple[str, str]]) -> bool:
    """Whether stored lines are like the recognized ones, and have as many letters that English lacks.

    With the model of English, other programs lose the accents of German or French, and little else.
    """
    stored, recognized = map(" ".join, zip(*lines, strict=True))
    accents, expected = (sum(map(_is_accented, text)) for text in (stored, recognized))
    return _similarity(stored, recognized) >= _ALIKE and accents >= _ALIKE * expected


def _is_accented(character: str) -> bool:
    return character.isalpha() and not character.isascii()


def _is_there(engine: OcrEngine, image: Raster, word: Reading) -> bool:
    """Whether a word is recognized in its place of a picture."""
    left, top, right, bottom = (max(0, round(side)) for side in word.rect.grown(word.height / 2))
    part = image[top:bottom, left:right]
    text = " ".join(one.text for one in engine.read(part)) if part.size else ""
    return _similarity(word.text, text) >= _ALIKE


def _joined(words: Sequence[Line], line: Rect) -> str:
    """Return the words of a line as text, empty if some are missing."""
    ordered = sorted(words, key=lambda word: word.rect.left)
    if not ordered:
        return ""
    edges = [line.left, *(side for word in ordered for side in (word.rect.left, word.rect.right)), line.right]
    if any(end - start > _WIDEST * line.height for start, end in zip(edges[::2], edges[1::2], strict=True)):
        return ""
    if right_to_left("".join(word.text for word in words)):  # in the order of the file, which is that of reading
        return " ".join(word.text for word in words)
    text = ordered[0].text
    for before, word in pairwise(ordered):
        close = word.rect.left - before.rect.right < _BLANK * line.height
        is_cjk = CJK_CHARACTER.search(before.text[-1:]) and CJK_CHARACTER.match(word.text)
        text += word.text if close and is_cjk else f" {word.text}"
    return text


def _similarity(one: str, other: str) -> float:
    one, other = (_plain(text)[:_MOST_COMPARED] for text in (one, other))
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _plain(text: str) -> str:
    """Return letters and digits without accents and case, which engines lack or mistake."""
    return "".join(filter(str.isalnum, without_accents(text).casefold()))


def _parts(words: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the words in groups of adjacent ones on a line."""
    part: list[Line] = []
    for word in words:
        if part and not _follows(part[-1].rect, word.rect):
            yield part
            part = []
        part.append(word)
    if part:
        yield part


def _follows(before: Rect, word: Rect) -> bool:
    return word.beside(before) and 0 <= word.left - before.right < before.height


def _is_written(word: Line) -> bool:
    """Whether a word has a letter or digit; edges and rules are often read as marks."""
    return any(map(str.isalnum, word.text))


def _reading(words: Sequence[Line]) -> Reading:
    left, top, right, bottom = around(word.rect for word in words)
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return Reading(" ".join(word.text for word in words), corners, 1.0)
