"""Subtitles (SubRip, WebVTT): what is said, in sentences, each with the time at which it begins."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.decode import decode
from pipelines.parse.lines import join_lines
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings

_TIME = re.compile(r"((?:\d{1,4}:)?\d\d:\d\d)[,.]\d{3}[ \t]+-->[ \t]+(?:\d{1,4}:)?\d\d:\d\d[,.]\d{3}[^\n]*")
_SUBRIP = re.compile(r"\s*\d{1,9}[ \t]*\r?\n" + _TIME.pattern)
_SPEAKER = re.compile(r"<v(?:\.[\w.-]{1,80})? ([^<>]{1,200})>")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>|<\d[\d:.]{0,20}>|\{\\[^{}]{0,200}\}")
_ENDS = (".", "!", "?", "…", "。", "！", "？", '."', ".”", "♪", ")", "]")
_LONGEST = 600
"""Characters of a passage whose sentences have no marks at their ends: eight lines of 75."""


class SubtitleReader:
    """Joins cues to sentences: a line on the screen ends anywhere."""

    formats = (
        FileFormat("text/vtt", (".vtt",), sniff=lambda sample: sample.text.lstrip("\ufeff").startswith("WEBVTT")),
        FileFormat("application/x-subrip", (".srt",), sniff=lambda sample: _SUBRIP.match(sample.text) is not None),
    )
    name = "subtitles"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        began, held = "", list[str]()
        for cue in re.split(r"\n(?:[ \t]*\n)+", decode(path.read_bytes()).text.replace("\r\n", "\n")):
            time = _TIME.search(cue)
            if time is None:
                _remark(cue, builder)
                continue
            lines = [_plain(line) for line in cue[time.end() :].splitlines()]
            if held and (_SPEAKER.search(cue) or held[-1].endswith(_ENDS) or sum(map(len, held)) > _LONGEST):
                builder.paragraph(join_lines(held), Place(label=began))
                held = []
            began = began if held else time[1]
            held += filter(None, lines)
        builder.paragraph(join_lines(held), Place(label=began))
        return builder.build()


def _plain(line: str) -> str:
    return unescape(_TAG.sub("", _SPEAKER.sub(r"\1: ", line))).strip()


def _remark(block: str, builder: DocumentBuilder) -> None:
    """Keep a comment; what else stands without a time says how the file is shown."""
    head, _, rest = block.strip().partition("\n")
    if head.startswith("NOTE"):
        builder.note(f"{head.removeprefix('NOTE')}\n{rest}")
