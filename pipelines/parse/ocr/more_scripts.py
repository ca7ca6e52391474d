"""OCR of scripts that RapidOCR lacks: its lines of low confidence are read again by Tesseract.

RapidOCR finds the lines of any script, but recognizes only CJK, Latin and Greek without accents. Lines of another
script have low confidence or no text. The model of Tesseract is chosen by confidence on a few of them: that of the
right script has .87 or more, others .65 or less, and more only for Latin text (`benchmarks/manuals.py --scans`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import PurePosixPath

from pipelines.lang.characters import right_to_left
from pipelines.lang.identify import detect_language
from pipelines.lang.word_lists import missing_letters
from pipelines.parse.ocr.engine import CONFIDENT, Known, Raster, Reading, nothing_known
from pipelines.parse.ocr.rapid import Detected, RapidOcr
from pipelines.parse.ocr.tesseract import Recognized, Word, recognize

_LEAST_DOUBTFUL = 0.1
"""Minimum share of doubtful lines among the long ones, by length: a word does not start Tesseract."""
_MOSTLY = 0.5
"""Share from which the page is in another script: that of RapidOCR's scripts is below .5, of others above .9."""
_SAMPLE = 5
"""The longest doubtful lines, by which the model is chosen."""
_MAY_BE_RIGHT, _RIGHT_MODEL = 0.6, 0.8
"""Minimum confidence of Tesseract with the model of the right script: for the longest line, and for all."""
_LEAST_FOREIGN = 0.2
"""Minimum share of the words that have a character which RapidOCR lacks: .4 in Vietnamese, .9 in Greek, else all."""
_LEAST_LETTERS = 15
"""Minimum letters that tell a language or a script: two words. "120 °C" is Cyrillic as well."""
_LEAST_LINE = 0.35
"""Minimum confidence of Tesseract for a line of a page in its script: of 190 lines of eight manuals, three have less
(`benchmarks/manuals.py --scans`)."""
_SURE, _CERTAIN = 0.85, 0.95
"""Minimum confidence of RapidOCR for a word in a line of another script, which it reads out of its context, and for one
of letters or digits of that script; it has .9 for the Persian digits "۱۲", which it reads as "Ir"."""
_AS_RAPIDOCR = 0.5
"""Tesseract's doubt about a rightly read line is twice RapidOCR's: .1 and .05."""
_CORE = re.compile(r"°?[^\W_](?:.*[^\W_])?°?")
_GROUP = re.compile(r"[0-9]{3}")
_LETTER = re.compile(r"[A-Za-z]")
_DEGREES = re.compile(r"\b([A-Z])°")
_BESIDE = re.compile(r"[^.,:;!?()\[\]،؛؟।]")
"""What is no punctuation beside a word: a part of a letter, read as a sign."""


class MoreScripts:
    """RapidOCR, with Tesseract for the scripts of its `models`."""

    def __init__(self, rapid: RapidOcr, models: Sequence[str]) -> None:
        self._rapid = rapid
        self._models = models
        self._last = ""

    @property
    def name(self) -> str:
        return f"{self._rapid.name} (tesseract for other scripts)"

    @property
    def characters(self) -> frozenset[str]:
        return self._rapid.characters

    def read(self, image: Raster, known: Known = nothing_known) -> list[Reading]:
        lines = self._rapid.detect(image, known)
        readings = [line.reading for line in lines]
        doubtful = [
            number
            for number in self._doubtful(readings)
            if not readings[number].is_vertical and not lines[number].known
        ]
        model = self._model([lines[number] for number in doubtful])
        if not model:
            return readings
        again = recognize([lines[number].picture for number in doubtful], model)
        for number, recognized in zip(doubtful, again, strict=True):
            if self._is_better(recognized, readings[number], mixed=len(doubtful) < len(lines)):
                readings[number] = self._reading(lines[number], recognized)
        return readings

    def _doubtful(self, readings: Sequence[Reading]) -> Sequence[int]:
        """Return the indices of the lines to be read again: all of a page that is mostly in another script.

        There RapidOCR reads some words as words of its own. None are read again if they are a small part of the lines.
        """
        every = range(len(readings))
        text = " ".join(reading.text for reading in readings)
        if _letters(text) >= _LEAST_LETTERS and missing_letters(detect_language(text), self.characters):
            return every
        doubtful = [number for number in every if readings[number].confidence < CONFIDENT]
        long = [reading for reading in readings if reading.is_long]
        length = sum(reading.length for reading in long if reading.confidence < CONFIDENT)
        share = length / max(1.0, sum(reading.length for reading in long))
        return () if share < _LEAST_DOUBTFUL else doubtful if share < _MOSTLY else every

    def _model(self, lines: Sequence[Detected]) -> str:
        """Return the model for the script of the lines, empty if there is none.

        The first suitable model of a script is taken, beginning with that of the last picture; of the models of
        languages, which may share a script, the best.
        """
        unread_first = sorted(lines, key=lambda line: (line.reading.confidence >= CONFIDENT, -line.reading.length))
        sample = [line.picture for line in unread_first[:_SAMPLE] if line.reading.is_long]
        best, most = "", 0.0
        for model in sorted(self._models, key=lambda name: name != self._last) if sample else ():
            if recognize(sample[:1], model)[0].confidence < _MAY_BE_RIGHT:
                continue
            suits = self._suits(recognize(sample, model))
            if suits and PurePosixPath(model).name[0].isupper():
                self._last = model
                return model
            if suits > most:
                best, most = model, suits
        return best

    def _suits(self, sample: Sequence[Recognized]) -> float:
        """Return the confidence of a model that reads the lines, 0 if it does not."""
        whole = Recognized(tuple(word for line in sample for word in line.words))
        foreign = sum(self._is_foreign(word.text) for word in whole.words)
        enough = foreign >= _LEAST_FOREIGN * len(whole.words) and _letters(whole.text) >= _LEAST_LETTERS
        return whole.confidence if enough and whole.confidence >= _RIGHT_MODEL else 0.0

    def _is_foreign(self, text: str) -> bool:
        """Whether RapidOCR lacks a letter of the text."""
        return any(map(_is_letter, set(text) - self.characters))

    def _is_better(self, recognized: Recognized, reading: Reading, *, mixed: bool) -> bool:
        """Whether Tesseract has read a line; `mixed` says that other lines of the page are in scripts of RapidOCR."""
        if reading.confidence >= CONFIDENT:
            return recognized.confidence >= _RIGHT_MODEL and self._is_foreign(recognized.text)
        return recognized.confidence >= (max(_LEAST_LINE, reading.confidence) if mixed else _LEAST_LINE)

    def _reading(self, line: Detected, recognized: Recognized) -> Reading:
        words = self._with_latin_words(line.picture, recognized.words)
        if right_to_left(recognized.text):
            words = [word for run in _runs(sorted(words, key=lambda word: -word.right)) for word in run]
        text = " ".join(word.text for word in words)
        return replace(line.reading, text=text, confidence=1 - _AS_RAPIDOCR * (1 - recognized.confidence))

    def _with_latin_words(self, picture: Raster, words: Sequence[Word]) -> list[Word]:
        """Return the words of a line, those of Latin letters and digits as RapidOCR reads them.

        Tesseract mistakes them for letters of its script: it reads "PS-40" as "Ρ5-40".
        """
        leads = {number for number, (one, other) in enumerate(pairwise(words)) if _is_lead(one.text, other.text)}
        doubtful = [number for number, word in enumerate(words) if number in leads or _may_be_latin(word)]
        pictures = [_part(picture, words[number]) for number in doubtful]
        found = list(words)
        for number, (text, confidence) in zip(doubtful, self._rapid.recognize(pictures), strict=True):
            word = words[number]
            # Digits and letters of the other script are only mistaken for a Latin word: "2019년" is not "2019".
            plain = _is_plain(word.text) or (number in leads and text.isdecimal())
            latin = confidence >= _SURE if plain else confidence >= _CERTAIN and _LETTER.search(text)
            if latin and text.replace("°", "").isascii():
                found[number] = replace(word, text=_with_core(word.text, text))
        return found


def _part(picture: Raster, word: Word) -> Raster:
    """Return the pixels of a word, at least a column: its box may be in the margin that Tesseract was given."""
    # Tesseract's boxes may end within the last stroke of a letter.
    start = min(max(0, word.left - 2), picture.shape[1] - 1)
    return picture[:, start : max(start + 1, word.right + 2)]


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _may_be_latin(word: Word) -> bool:
    """Whether a word has digits or "°", has no letters of another script than Latin, or is doubtful itself."""
    figures = any(character.isdecimal() or character == "°" for character in word.text)
    return figures or word.confidence < _RIGHT_MODEL or not any(map(_is_letter, word.text))


def _is_lead(word: str, following: str) -> bool:
    """Whether a letter before a group of digits may be the digit that it looks like: "З 000" is 3,000 in Russian."""
    return len(word) == 1 and _is_letter(word) and _GROUP.match(following) is not None


def _is_plain(text: str) -> bool:
    """Whether a word has no letters or digits of another script than Latin."""
    return not any(_is_letter(character) or (character.isdecimal() and not character.isascii()) for character in text)


def _is_letter(character: str) -> bool:
    """Whether a character is a letter or mark of another script than ASCII."""
    return not character.isascii() and unicodedata.category(character)[0] in "LM"


def _with_core(word: str, other: str) -> str:
    """Return a word with its letters and digits replaced by those of another reading, but its own punctuation.

    >>> _with_core("Ρ5-40.", ".PS-40")
    'PS-40.'
    """
    own, new = _CORE.search(word), _CORE.search(other)
    if own is None or new is None:
        return word
    return _BESIDE.sub("", word[: own.start()]) + new[0] + _BESIDE.sub("", word[own.end() :])


def _runs(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Yield the words of a right-to-left line in runs of one direction, those in Latin script from the left."""
    for is_latin, run in groupby(words, key=lambda word: word.text.isascii()):
        found = list(run)
        if is_latin and any(character.isalpha() for word in found for character in word.text):
            ordered = sorted(found, key=lambda word: word.left)
            # Punctuation stays where it is: that at the end of a sentence is on the left, as the sign of "C°" is.
            yield [
                replace(own, text=_DEGREES.sub(r"°\1", _with_core(own.text, word.text)))
                for own, word in zip(found, ordered, strict=True)
            ]
        else:
            yield found
