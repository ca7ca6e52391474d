"""A reader of text that makes later stages misbehave in its worker, as its documents request.

A line "STAGE WAY" of a document names the stage and the fault: `chunk loop`, `embed crash`.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pipelines.ingest.parse_stage as reading
import pipelines.ingest.stages as stages
from pipelines.core.document import Document, Source
from pipelines.core.errors import StoreError
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.parsed import Parsed, Readings
from pipelines.parse.settings import ParseSettings

ENGINE = "tests.ingest.saboteur:Saboteur"


class Saboteur:
    """Reads a file as paragraphs, and replaces the stages of its worker by ones that execute the requests."""

    name = "saboteur"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        _sabotage()
        builder = DocumentBuilder(source, settings, self.name)
        for line in path.read_text().splitlines():
            if line.startswith("read "):
                _WAYS[line.split()[1]](line)
            builder.paragraph(line)
        return builder.build()


def _sabotage() -> None:
    if getattr(stages, "sabotaged", False):
        return
    stages.sabotaged = True  # type: ignore[attr-defined]
    for stage, function in (("chunk", "split"), ("atomize", "atomize"), ("embed", "document_profile")):
        setattr(stages, function, _disturbed(stage, getattr(stages, function)))
    reading.parse_source = _parse_in_steps


def _disturbed(stage: str, function: Callable[..., object]) -> Callable[..., object]:
    def disturbed(document: Document, *others: object) -> object:
        for line in document.text.splitlines():
            if line.startswith(f"{stage} "):
                _WAYS[line.split()[1]](line)
        return function(document, *others)

    return disturbed


def _parse_in_steps(
    path: Path,
    source: Source,
    settings: ParseSettings,
    *,
    known: Readings,
    checkpoint: Callable[[Parsed], None],
    on_next_part: Callable[[], None],
) -> Parsed:
    """Parse the text, write a checkpoint, and then execute a request for the parse stage."""
    from pipelines.parse.parse import parse

    parsed = parse(path, source, settings)
    if parsed.document is not None and "parse " in parsed.document.text:
        checkpoint(parsed)
        way = parsed.document.text.partition("parse ")[2].split()[0]
        _WAYS[way](way)
    return parsed


def _loop(line: str) -> None:
    while True:
        pass


def _hang(line: str) -> None:
    time.sleep(600)


def _raise(line: str) -> None:
    raise ZeroDivisionError("a fault of the stage")


def _recurse(line: str) -> None:
    _recurse(line)


def _eat(line: str) -> None:
    held = []
    while True:
        held.append(bytearray(16 << 20))
        time.sleep(0.01)


def _crash(line: str) -> None:
    os._exit(3)


def _die(line: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _die_once(line: str) -> None:
    note = Path(line.split()[2])
    if not note.exists():
        note.touch()
        _die(line)


def _fill(line: str) -> None:
    raise StoreError("an artifact cannot be written: no space left on device")


_WAYS: dict[str, Callable[[str], None]] = {
    "loop": _loop,
    "hang": _hang,
    "raise": _raise,
    "recurse": _recurse,
    "eat": _eat,
    "crash": _crash,
    "die": _die,
    "die_once": _die_once,
    "fill": _fill,
}
