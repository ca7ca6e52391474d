"""The reader protocol: the formats that a reader supports, how a file's format is detected, and reading a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from pipelines.core.document import Source
from pipelines.parse.decode import decode
from pipelines.parse.magic import signature
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import ParseSettings

SAMPLE_SIZE = 65536
"""Bytes of a file used for detection: the signatures of all formats are within the first few KiB."""
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd\ufffe\uffff]")
_MOST_CONTROLS = 1 / 50
"""Maximum share of control characters in text: damaged text has fewer; in random bytes it is about 1 in 8."""


class FileSample:
    """The beginning of a file: `head` in bytes, `text` decoded; `suffix` is in lower case."""

    def __init__(self, path: Path, suffix: str) -> None:
        self.path = path
        self.suffix = suffix
        with path.open("rb") as file:
            self.head = file.read(SAMPLE_SIZE)

    @property
    def whole(self) -> bool:
        """Whether `head` is the whole file."""
        return len(self.head) < SAMPLE_SIZE

    @cached_property
    def signature(self) -> str:
        """The media type by the first bytes and, for ZIP or OLE files, the content; empty if unknown."""
        return signature(self.head, self.path)

    @cached_property
    def is_text(self) -> bool:
        """Whether the file has no signature and almost no control characters."""
        return not self.signature and len(_CONTROL.findall(self._decoded)) <= len(self._decoded) * _MOST_CONTROLS

    @property
    def text(self) -> str:
        """The beginning as text, empty for a binary file; cut at a line end if that keeps at least half of it."""
        return self._decoded if self.is_text else ""

    @cached_property
    def _decoded(self) -> str:
        if self.whole:
            return decode(self.head).text
        end = self.head.rfind(b"\n") + 1
        # Otherwise three bytes are dropped, because a character of UTF-8 may be cut at the end.
        return decode(self.head[: end if 2 * end > len(self.head) else -3]).text


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file format that a reader supports, and how its files are detected.

    With `sniff`, the content decides, whatever the file's name. Without it, and if no other reader recognises the
    content, the name decides: the file has one of the `suffixes`, and is text if the media type is `text/...`. `guess`
    is asked last, for text whose name says nothing. `also` lists suffixes of other formats that such files legitimately
    have, so that no mismatch is reported. Suffixes are in lower case, with a dot.
    """

    media_type: str
    suffixes: tuple[str, ...] = ()
    sniff: Callable[[FileSample], bool] | None = None
    guess: Callable[[FileSample], bool] | None = None
    also: tuple[str, ...] = ()

    def recognises(self, sample: FileSample) -> bool:
        """Whether the file has this format by its content."""
        return self.sniff is not None and self.sniff(sample)

    def named(self, sample: FileSample) -> bool:
        """Whether the file has this format by its name; only for formats without `sniff`."""
        fits = sample.is_text or not self.media_type.startswith("text/")
        return self.sniff is None and sample.suffix in self.suffixes and fits

    def promises(self, suffix: str) -> bool:
        """Whether a file of this name may have this format."""
        return suffix in self.suffixes or suffix in self.also


def signed(media_type: str, *suffixes: str, also: tuple[str, ...] = ()) -> FileFormat:
    """Return a format that is detected by its signature in `pipelines.parse.magic`."""
    return FileFormat(media_type, suffixes, sniff=lambda sample: sample.signature == media_type, also=also)


class Reader(Protocol):
    """Reads the files of some formats. Has no state: one instance may read many files.

    Your own reader is a class like this one (inheriting from `Reader` is not necessary), registered by one line: in
    strata.toml, `[parse] engines = {"text/x-foo" = "package.module:FooReader"}`, or in the pyproject.toml of an
    installed package, `[project.entry-points."strata.readers"]` with `foo = "package.module:FooReader"`.

        class FooReader:
            name = "foo"
            formats = (FileFormat("text/x-foo", (".foo",), sniff=lambda sample: sample.head.startswith(b"FOO")),)

            def read(self, path, source, settings):
                builder = DocumentBuilder(source, settings, self.name)
                builder.paragraph(path.read_text())
                return builder.build()
    """

    @property
    def formats(self) -> tuple[FileFormat, ...]:
        """The supported formats; optional for an engine that the settings name for a known media type."""
        ...

    @property
    def name(self) -> str:
        """The engine's name, which is stored in `Document.engine`."""
        ...

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        """Return the content of the file at `path`; `source` has its name and media type.

        The status is INDEXED or PARTIAL if something could be read, EMPTY if the file has no text. Raises `Encrypted`,
        `Malformed`, `TooLarge`, `Unsupported` or `MissingExtra`; any other exception is a bug of the reader and results
        in FAILED.
        """
        ...
