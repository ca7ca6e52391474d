"""Recognition of single lines by Tesseract, a program with models for most scripts; it is started only here.

Its neural models read one line at a time (`--psm 7`); a list of pictures is read by one process. A model is for a
script ("Arabic") or for a language ("fas").
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from pipelines.parse.limits import READING, current_task, within_seconds
from pipelines.parse.ocr.engine import Raster
from pipelines.parse.settings import OcrSettings

_LIKE_RAPIDOCR = frozenset("Latin Fraktur HanS HanT Japanese".split())
_LANGUAGES = frozenset(
    "amh ara asm aze_cyrl bel ben bod bul chr div dzo ell fas grc guj heb hin hye iku kan kat kaz khm kir kor lao mal "
    "mar mkd mon mya nep ori pan pus rus san sin snd srp syr tam tat tel tgk tha tir uig ukr urd uzb_cyrl vie "
    "yid".split()
)
"""The models for languages that are not written in Latin or Han, and for Vietnamese (tessdata, the list of languages);
RapidOCR reads the others, and better."""
_UNSPACED = frozenset("Hangul Thai Lao Khmer Myanmar Tibetan kor tha lao khm mya bod dzo".split())
"""The models that return letters and syllables as words; only their plain text has the blanks of the line."""
_MARGIN = 4
"""Pixels around a line: Tesseract loses letters that touch the edge."""
_LONGEST_START_S = 20
"""Maximum seconds of `tesseract --list-langs`, which takes a few hundredths."""


@dataclass(frozen=True, slots=True)
class Word:
    """A recognized word; `left` and `right` are pixels of the picture of its line."""

    text: str
    confidence: float
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Recognized:
    """The words of a line in logical order; `confidence` is the mean over the characters."""

    words: tuple[Word, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def confidence(self) -> float:
        characters = sum(len(word.text) for word in self.words)
        return sum(len(word.text) * word.confidence for word in self.words) / characters if characters else 0.0


def usable_models(settings: OcrSettings) -> tuple[str, ...]:
    """Return the installed models, none if the settings do not use them."""
    used = settings.tesseract and settings.engine == "rapidocr" and settings.when != "never"
    return installed_models() if used else ()


def installed_models() -> tuple[str, ...]:
    """Return the names of the models for scripts that RapidOCR lacks, those of scripts first; none without Tesseract.

    A model of a script also reads its languages, mostly better than theirs (`benchmarks/manuals.py --scans`).
    """
    program = shutil.which("tesseract")
    if program is None:
        return ()
    try:
        done = subprocess.run(
            [program, "--list-langs"], capture_output=True, check=False, encoding="utf-8", timeout=_LONGEST_START_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    names = [line.strip() for line in done.stdout.splitlines()[1:]]
    scripts = [name for name in names if _is_script(name)]
    return (*sorted(scripts), *sorted(_LANGUAGES.intersection(names)))


def _is_script(name: str) -> bool:
    # Some systems have the models of scripts in a folder: "script/Arabic".
    plain = PurePosixPath(name).name
    return plain[:1].isupper() and plain not in _LIKE_RAPIDOCR and not plain.endswith("_vert")


def failure(model: str) -> str:
    """Return why a model does not work, empty if it does."""
    with tempfile.TemporaryDirectory(prefix="strata-") as name:
        blank = _saved(np.full((48, 240, 3), 255, np.uint8), Path(name) / "blank.png")  # a line without text
        command = ["tesseract", blank, str(Path(name) / "out"), "-l", model, "--psm", "7"]
        done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8")
    return (done.stderr.strip().rpartition("\n")[2] or f"exit status {done.returncode}") if done.returncode else ""


def recognize(pictures: Sequence[Raster], model: str) -> list[Recognized]:
    """Return the text of pictures of one horizontal line each; empty if the model does not work, or time is up."""
    with tempfile.TemporaryDirectory(prefix="strata-") as name:
        folder = Path(name)
        files = [_saved(picture, folder / f"{number}.png") for number, picture in enumerate(pictures)]
        (folder / "list").write_text("\n".join(files), "utf-8")
        command = ["tesseract", str(folder / "list"), str(folder / "out"), "-l", model, "--psm", "7"]
        command += ["-c", "preserve_interword_spaces=1", "txt", "tsv"]
        clock = current_task().clock
        limited = within_seconds(command, READING * clock.limit_s - clock.spent)
        environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
        done = subprocess.run(limited, capture_output=True, check=False, env=environment)
        if done.returncode:
            return [Recognized()] * len(pictures)
        lines = _words(folder / "out.tsv", len(pictures))
        texts = (folder / "out.txt").read_text("utf-8").split("\f")
    if PurePosixPath(model).name in _UNSPACED and len(texts) == len(lines):
        lines = [_joined(line, _plain(text).split()) for line, text in zip(lines, texts, strict=True)]
    return [Recognized(tuple(line)) for line in lines]


def _saved(picture: Raster, path: Path) -> str:
    from PIL import Image as Pillow
    from PIL import ImageOps

    grey = Pillow.fromarray(picture).convert("L")
    # The most frequent shade is the background.
    ImageOps.expand(grey, _MARGIN, fill=max(range(256), key=grey.histogram().__getitem__)).save(path, compress_level=1)
    return str(path)


def _words(path: Path, count: int) -> list[list[Word]]:
    lines: list[list[Word]] = [[] for _ in range(count)]
    for page, word in _rows(path):
        lines[page - 1].append(word)
    return lines


def _rows(path: Path) -> Iterator[tuple[int, Word]]:
    """Yield the words of Tesseract's table, with the numbers of their pictures from 1."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            text = _plain(row["text"] or "")
            if text:
                left, confidence = int(row["left"]) - _MARGIN, float(row["conf"]) / 100  # per cent
                yield int(row["page_num"]), Word(text, confidence, left, left + int(row["width"]))


def _joined(pieces: Sequence[Word], words: Sequence[str]) -> list[Word]:
    """Return the words of a line, put together from their pieces; the pieces, if they are not those of the words."""
    joined: list[Word] = []
    rest = iter(pieces)
    for word in words:
        parts: list[Word] = []
        while sum(len(part.text) for part in parts) < len(word) and (part := next(rest, None)) is not None:
            parts.append(part)
        if "".join(part.text for part in parts) != word:
            return list(pieces)
        sure = sum(part.confidence * len(part.text) for part in parts) / len(word)
        joined.append(Word(word, sure, min(part.left for part in parts), max(part.right for part in parts)))
    return joined


def _plain(text: str) -> str:
    """Return text without repeated blanks and without marks of the direction of writing."""
    return " ".join("".join(character for character in text if not _is_direction(character)).split())


def _is_direction(character: str) -> bool:
    # Those that join letters or keep them apart, which some words need, have the class BN (UAX 9, table 4).
    return unicodedata.category(character) == "Cf" and unicodedata.bidirectional(character) != "BN"
