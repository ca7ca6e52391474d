"""Characters that a font's map tells wrongly or not at all, read off the page: only these, in lines otherwise sound."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from pipelines.lang.characters import right_to_left
from pipelines.parse.lines import Line
from pipelines.parse.ocr.engine import OcrEngine
from pipelines.parse.ocr.pictures import decoded
from pipelines.parse.pdf.garble import is_broken
from pipelines.parse.pdf.mupdf import PdfFile
from pipelines.parse.pdf.page import PageWord
from pipelines.parse.settings import OcrSettings

_INSTEAD = re.compile(r"(?<=\d)\s+\?+|(?<=\w)\?+(?=\w)")
"""Question marks that a map has in place of what it lacks: after a number, and within a word."""
_DPI = 300
"""Dots an inch: the type of a footnote, 6 points, is 25 pixels high, half of what the model reads."""
_ALIKE = 0.6
"""Share of a line's sound characters that OCR must read too, to be believed about the others."""
_LEAST = 4
"""Characters of a line without two sound ones that OCR can be asked about: fewer are signs of a formula."""
_MOST = 40
"""Lines of a page that are read: a page with more has no text layer to speak of, and `garble_score` sees it."""


def lost(text: str) -> list[int]:
    """Return where in a text characters stand that the file does not tell, or may tell wrongly."""
    found = {number for match in _INSTEAD.finditer(text) for number in range(*match.span()) if text[number] == "?"}
    found.update(number for number, character in enumerate(text) if is_broken(character))
    return sorted(found)


def mended(text: str, read: str) -> str:
    """Return a text with its lost characters as `read` has them; as it is where the two are not of one line."""
    places = [number for number, character in enumerate(text) if not character.isspace()]
    own = "".join(text[number] for number in places)
    other = "".join(_as_typed(character) for character in read if not character.isspace())
    gone = set(lost(text))
    sound = len(own) - len(gone)
    matcher = SequenceMatcher(None, own, other, autojunk=False)
    alike = sum(block.size for block in matcher.get_matching_blocks())
    if not gone or (sound < 2 and len(own) < _LEAST) or alike < _ALIKE * sound:
        return text
    letters = list(text)
    for kind, start, end, first, last in matcher.get_opcodes():
        here = places[start:end]
        if kind != "replace" or not gone.intersection(here):
            continue
        if end - start == last - first:
            for place, character in zip(here, other[first:last], strict=True):
                letters[place] = character if place in gone else letters[place]
        else:
            letters[here[0]] = other[first:last]
            for place in here[1:]:
                letters[place] = ""
    return "".join(letters)


def _as_typed(character: str) -> str:
    """Return a sign that stands for several as these: OCR reads the two characters of "°C" as one."""
    together = unicodedata.category(character) == "So" and unicodedata.decomposition(character).startswith("<compat>")
    return unicodedata.normalize("NFKC", character) if together else character


class GlyphReader:
    """Reads what a page's lines lack off the page."""

    def __init__(self, file: PdfFile, engine: OcrEngine, settings: OcrSettings) -> None:
        self.file, self.engine, self.settings = file, engine, settings

    def lines(self, number: int, lines: Sequence[Line]) -> tuple[tuple[Line, ...], int]:
        """Return the lines of a page with what they lacked, and how many were changed; its words are put right too."""
        wanting = [line for line in lines if lost(line.text)][:_MOST]
        found: dict[Line, Line] = {}
        words = list(self.file.words(number))
        for line in wanting:
            read = self._read(number, line)
            text = mended(line.text, read)
            if text != line.text:
                found[line] = replace(line, text=text)
                _mend_words(words, line, read)
        if found:
            self.file.correct(number, words)
        return tuple(found.get(line, line) for line in lines), len(found)

    def _read(self, number: int, line: Line) -> str:
        # A third of the type's size: descenders, and white around the ink.
        picture = decoded(self.file.render(number, _DPI, line.rect.grown(line.size / 3)))
        readings = self.engine.read(picture)
        sure = [reading for reading in readings if reading.confidence >= self.settings.min_confidence]
        sure.sort(key=lambda reading: reading.corners[0][0], reverse=right_to_left(line.text))
        return " ".join(reading.text for reading in sure)


def _mend_words(words: list[PageWord], line: Line, read: str) -> None:
    """Put those words right that stand in a line and lack something."""
    inside = [number for number, word in enumerate(words) if line.rect.grown(1).holds(*word.rect.middle)]
    inside.sort(key=lambda number: words[number].rect.left, reverse=right_to_left(line.text))
    # A blank is never lost, so it parts the words again.
    texts = mended(" ".join(words[number].text for number in inside), read).split(" ")
    if len(texts) == len(inside):
        for number, text in zip(inside, texts, strict=True):
            words[number] = replace(words[number], text=text)
