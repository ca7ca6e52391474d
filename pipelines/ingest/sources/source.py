"""The protocol of a place that documents are fetched from, and the names of such places."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, Protocol
from urllib.parse import urlsplit, urlunsplit


@dataclass(frozen=True, slots=True)
class Listed:
    """A document at its place.

    `name` is what it is called there, unique, with "/" between folders. `version` is another one whenever the bytes
    may be others, empty where only reading tells. `size` is in bytes, -1 where it is not known before reading.
    `left_out` says why the place does not want it to be read, or the settings do not.
    """

    name: str
    version: str = ""
    size: int = -1
    left_out: str = ""


class DocumentSource(Protocol):
    """A place that documents are fetched from; `at_once` of them may be read at the same time, in threads."""

    at_once: int

    def list(self) -> Iterable[Listed]:
        """Return all documents that are there now, in any order.

        Raises `SourceUnreachable`, `SourceError` where not all of them can be told: a part of a list would be taken
        for the removal of the rest.
        """
        ...

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        """Write the bytes of a document that was listed, and return their version, empty for none.

        `known` is the version that was read before, where there is a copy of it: where it is returned, nothing was
        written. Raises `FileNotFoundError` where the document is no longer there, `OSError` and `SourceError` where it
        cannot be read.
        """
        ...

    def close(self) -> None:
        """Let go of connections and temporary files."""
        ...


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?=\S)")


def is_location(text: str) -> bool:
    """Whether a text names a place by a scheme ("s3://bucket/manuals", "mbox:mail"); a letter alone is a drive."""
    return text.startswith("git+") or _SCHEME.match(text) is not None


def without_secrets(location: str) -> str:
    """Return a location without the password or token that may stand in it before its host, and without its query."""
    if "://" not in location:
        return location
    parts = urlsplit(location)
    user, at, host = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    hidden = "" if parts.scheme.removeprefix("git+") in ("http", "https") else name  # a token can stand for the user
    return urlunsplit(parts._replace(netloc=f"{hidden}{'@' if hidden else ''}{host}" if at else host, query=""))
