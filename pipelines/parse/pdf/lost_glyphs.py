"""Restoration by OCR of single characters that a font's map does not encode, in lines that are otherwise sound."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from difflib import SequenceMatcher

from pipelines.core.errors import MissingExtra
from pipelines.lang.characters import right_to_left
from pipelines.parse.lines import Line
from pipelines.parse.ocr.engine import ocr_engine
from pipelines.parse.pdf.garble import is_broken
from pipelines.parse.pdf.mupdf import PdfFile
from pipelines.parse.pdf.page import PageWord, RawPage
from pipelines.parse.settings import OcrSettings

_QUESTION_MARKS = re.compile(r"(?<=\d)\s+\?+|(?<=\w)\?+(?=\w)")
"""Question marks that replace missing characters: after a number, or inside a word."""
_DPI = 300
"""Dots per inch: footnotes of 6 points are 25 pixels high, half of the height of the recognition model."""
_LEAST_MATCHING = 0.6
"""Minimum share of a line's sound characters that OCR must read too, for its other characters to be accepted."""
_LEAST_UNSURE = 4
"""Minimum characters of a line with fewer than two sound ones; shorter lines are signs of a formula."""
_MOST_LINES = 40
"""Maximum lines of a page that are read; a page with more is recognized by `garble_score`."""


def lost_characters(text: str) -> list[int]:
    """Return the positions of characters in a text that are missing or possibly wrong in the file."""
    found = {
        number for match in _QUESTION_MARKS.finditer(text) for number in range(*match.span()) if text[number] == "?"
    }
    found.update(number for number, character in enumerate(text) if is_broken(character))
    return sorted(found)


def restored(text: str, read: str) -> str:
    """Return a text with its lost characters replaced by those of `read`, unchanged if the two do not match."""
    places = [number for number, character in enumerate(text) if not character.isspace()]
    own = "".join(text[number] for number in places)
    other = "".join(_decomposed(character) for character in read if not character.isspace())
    gone = set(lost_characters(text))
    sound = len(own) - len(gone)
    matcher = SequenceMatcher(None, own, other, autojunk=False)
    alike = sum(block.size for block in matcher.get_matching_blocks())
    if not gone or (sound < 2 and len(own) < _LEAST_UNSURE) or alike < _LEAST_MATCHING * sound:
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


def _decomposed(character: str) -> str:
    """Return a compatibility symbol as its parts: OCR reads the two characters of "°C" as one symbol."""
    together = unicodedata.category(character) == "So" and unicodedata.decomposition(character).startswith("<compat>")
    return unicodedata.normalize("NFKC", character) if together else character


def with_restored_characters(file: PdfFile, page: RawPage, settings: OcrSettings) -> tuple[RawPage, tuple[str, ...]]:
    """Return the page with lost characters read by OCR, and remarks; its words in `file` are restored too."""
    try:
        engine = ocr_engine(settings)
    except MissingExtra as error:
        return page, (f"lines lack characters, and {error.message}",)
    if engine is None:
        return page, ()
    found: dict[Line, Line] = {}
    words = list(file.words(page.number))
    for line in [line for line in page.lines if lost_characters(line.text)][:_MOST_LINES]:
        # A margin of a third of the type size, for descenders and white space.
        picture = file.pixels(page.number, _DPI, line.rect.grown(line.size / 3))
        readings = [one for one in engine.read(picture) if one.confidence >= settings.min_confidence]
        readings.sort(key=lambda one: one.corners[0][0], reverse=right_to_left(line.text))
        read = " ".join(one.text for one in readings)
        text = restored(line.text, read)
        if text != line.text:
            found[line] = replace(line, text=text)
            _restore_words(words, line, read)
    if not found:
        return page, ()
    file.set_words(page.number, words)
    lines = tuple(found.get(line, line) for line in page.lines)
    return replace(page, lines=lines), ("characters that the fonts do not tell, read by OCR",)


def _restore_words(words: list[PageWord], line: Line, read: str) -> None:
    """Replace the words of a line by restored ones."""
    inside = [number for number, word in enumerate(words) if line.rect.grown(1).holds(*word.rect.middle)]
    inside.sort(key=lambda number: words[number].rect.left, reverse=right_to_left(line.text))
    # Blanks are never lost, so the text can be split into words again.
    texts = restored(" ".join(words[number].text for number in inside), read).split(" ")
    if len(texts) == len(inside):
        for number, text in zip(inside, texts, strict=True):
            words[number] = replace(words[number], text=text)
