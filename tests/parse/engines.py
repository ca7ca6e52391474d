"""Readers that misbehave, for the tests of isolation; selected by `ParseSettings.engines`."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

from pipelines.core import codec
from pipelines.core.document import Source
from pipelines.core.work.job import JobContext
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.parse import parse
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import ParseSettings

OURS = "tests.parse.engines:"


class Misbehaving:
    """Misbehaves as the first word of the file says, then reads the file as one paragraph."""

    name = "misbehaving"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        text = path.read_text()
        getattr(self, "_" + text.split()[0])(text)
        builder = DocumentBuilder(source, settings, self.name)
        builder.paragraph(f"{text} in process {os.getpid()}")
        return builder.build()

    def _behave(self, text: str) -> None:
        """Do nothing wrong."""

    def _crash(self, text: str) -> None:
        ctypes.string_at(0)

    def _leave(self, text: str) -> None:
        sys.stderr.write("goodbye\n")
        sys.stderr.flush()
        os._exit(3)

    def _hang(self, text: str) -> None:
        time.sleep(600)

    def _hang_with_a_child(self, text: str) -> None:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(text.split()[1]).write_text(str(child.pid))
        time.sleep(600)

    def _eat(self, text: str) -> None:
        held = []
        while True:
            held.append(bytearray(16 << 20))
            time.sleep(0.01)

    def _gulp(self, text: str) -> None:
        bytearray(64 << 30)

    def _print(self, text: str) -> None:
        print("x" * 100_000)
        os.write(1, b"y" * 1000)

    def _raise(self, text: str) -> None:
        raise ZeroDivisionError("a fault of the reader")

    def _recurse(self, text: str) -> None:
        self._recurse(text)

    def _say_nothing(self, text: str) -> None:
        """Do nothing here; `Mute` removes the text."""


class Mute(Misbehaving):
    """Returns INDEXED without any text."""

    name = "mute"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        from dataclasses import replace

        path.with_suffix(".tmp").write_text("behave")
        parsed = super().read(path.with_suffix(".tmp"), source, settings)
        assert parsed.document is not None
        return replace(parsed, document=replace(parsed.document, text=" ", blocks=()))


def parse_file_and_die(desk: JobContext, path: Path, source: Source, settings: ParseSettings) -> bytes:
    """The job of a parser that reaches the checkpoint and is killed while reading pictures."""
    desk.begin("parse")
    desk.keep(codec.pack(parse(path, source, settings)))
    os._exit(3)
