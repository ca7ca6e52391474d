"""What an engine for a format is to Strata."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

from pipelines.core.document import Source
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import ParseSettings


@runtime_checkable
class Reader(Protocol):
    """Reads the files of some formats. Has no state: one instance may read many files."""

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
