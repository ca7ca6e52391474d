"""The protocol of a source that documents are fetched from, and the syntax of its location."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, Protocol
from urllib.parse import urlsplit, urlunsplit


@dataclass(frozen=True, slots=True)
class Listed:
    """A document in the list of a source.

    `name` is unique in the source, with "/" between folders. `version` changes whenever the bytes may have changed; it
    is empty if the source does not know. `size` is in bytes, or -1 if unknown. `left_out` is the reason why the
    document must not be read, which the source or the settings give; empty if there is none.
    """

    name: str
    version: str = ""
    size: int = -1
    left_out: str = ""


class DocumentSource(Protocol):
    """A place from which documents are fetched; up to `at_once` may be read at the same time, in threads."""

    at_once: int

    def list(self) -> Iterable[Listed]:
        """Return all present documents, in any order.

        Raises `SourceUnreachable` or `SourceError` if the list would be incomplete, because documents that are not
        listed are removed from the knowledge base.
        """
        ...

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        """Write the bytes of a listed document to `into`, and return their version, empty if unknown.

        `known` is the version of the local copy, if there is one. If it is still current, `known` is returned and
        nothing is written. Raises `FileNotFoundError` if the document no longer exists, and `OSError` or `SourceError`
        if it cannot be read.
        """
        ...

    def close(self) -> None:
        """Close connections and delete temporary files."""
        ...


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?=\S)")


def is_location(text: str) -> bool:
    """Return whether a text starts with a scheme ("s3://bucket/manuals", "mbox:mail"); a single letter is a drive."""
    return text.startswith("git+") or _SCHEME.match(text) is not None


def without_secrets(location: str) -> str:
    """Return a location without its query, and without a password or token before its host."""
    if "://" not in location:
        return location
    parts = urlsplit(location)
    user, at, host = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    hidden = "" if parts.scheme.removeprefix("git+") in ("http", "https") else name  # the user name can be a token
    return urlunsplit(parts._replace(netloc=f"{hidden}{'@' if hidden else ''}{host}" if at else host, query=""))
