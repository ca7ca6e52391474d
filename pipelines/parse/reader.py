"""What a reader is: the formats that it reads, how a file of each is recognised, and the call that reads one."""

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
"""Bytes of a file that are looked at to tell what it is: the marks of all formats stand within the first few KiB."""
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd\ufffe\uffff]")
_MOST_CONTROLS = 1 / 50
"""Share of control characters beyond which a file is no text: a damaged text has fewer, random bytes about 1 in 8."""


class FileSample:
    """The beginning of a file, as a format looks at it: `head` in bytes, `text` decoded, `suffix` in lower case."""

    def __init__(self, path: Path, suffix: str) -> None:
        self.path = path
        self.suffix = suffix
        with path.open("rb") as file:
            self.head = file.read(SAMPLE_SIZE)

    @property
    def whole(self) -> bool:
        """Whether `head` is all of the file."""
        return len(self.head) < SAMPLE_SIZE

    @cached_property
    def signature(self) -> str:
        """The media type that the file's first bytes, or what is inside a ZIP or OLE file, tell; empty for none."""
        return signature(self.head, self.path)

    @cached_property
    def is_text(self) -> bool:
        """Whether the file has no signature and hardly any control character."""
        return not self.signature and len(_CONTROL.findall(self._decoded)) <= len(self._decoded) * _MOST_CONTROLS

    @property
    def text(self) -> str:
        """The beginning as text, up to the end of a line where that is half of it; empty for a binary file."""
        return self._decoded if self.is_text else ""

    @cached_property
    def _decoded(self) -> str:
        if self.whole:
            return decode(self.head).text
        end = self.head.rfind(b"\n") + 1
        # A line may be longer than the sample: then three bytes less, for a character of UTF-8 may be cut at its end.
        return decode(self.head[: end if 2 * end > len(self.head) else -3]).text


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file format that a reader reads, and how a file of it is recognised.

    With `sniff` the content decides, whatever the file is called. Without it the name does, where no other reader
    recognises the content: a file is of this format that has one of the `suffixes`, and is text if the media type is
    `text/...`. `guess` is asked last, of text whose name tells nothing. `also` are suffixes of other formats that such
    files go by too: they are no misleading name. Suffixes are in lower case, with their dot.
    """

    media_type: str
    suffixes: tuple[str, ...] = ()
    sniff: Callable[[FileSample], bool] | None = None
    guess: Callable[[FileSample], bool] | None = None
    also: tuple[str, ...] = ()

    def recognises(self, sample: FileSample) -> bool:
        """Whether the content says that the file is of this format."""
        return self.sniff is not None and self.sniff(sample)

    def named(self, sample: FileSample) -> bool:
        """Whether the name says so, of a format without `sniff`."""
        fits = sample.is_text or not self.media_type.startswith("text/")
        return self.sniff is None and sample.suffix in self.suffixes and fits

    def promises(self, suffix: str) -> bool:
        """Whether a file of this name may be of this format."""
        return suffix in self.suffixes or suffix in self.also


def signed(media_type: str, *suffixes: str, also: tuple[str, ...] = ()) -> FileFormat:
    """Return a format that is recognised by its signature in the table of `pipelines.parse.magic`."""
    return FileFormat(media_type, suffixes, sniff=lambda sample: sample.signature == media_type, also=also)


class Reader(Protocol):
    """Reads the files of some formats. Has no state: one instance may read many files.

    A reader of your own is a class like this one (the built-in ones do not inherit from `Reader`), made known by one
    line: in strata.toml, `[parse] engines = {"text/x-foo" = "package.module:FooReader"}`, or in the pyproject.toml of
    an installed package, `[project.entry-points."strata.readers"]` with `foo = "package.module:FooReader"`.

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
        """What it reads. An engine of the settings for a type that is known already need not say."""
        ...

    @property
    def name(self) -> str:
        """The engine's name, as it stands in `Document.engine`."""
        ...

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        """Return what the file at `path` holds; `source` says what it is called and what it is.

        A file of which something could be read gives INDEXED or PARTIAL, one without any text EMPTY. Raises
        `Encrypted`, `Malformed`, `TooLarge`, `Unsupported` or `MissingExtra`; any other exception is a bug of the
        reader and ends as FAILED.
        """
        ...
