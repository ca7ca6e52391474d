"""The protocol of sources that documents are fetched from, the syntax of locations, and the paths of local copies."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO, Protocol
from urllib.parse import urlsplit, urlunsplit

from pipelines.core.ids import digest, part_name, path_of


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


LONGEST = 200
"""Maximum bytes of a component of a copy's path; file systems allow 255."""


def paths_of(names: Iterable[str]) -> dict[str, str]:
    """Return the relative path of the copy of each document, by its name in the source.

    Paths never lead out of the folder. If several names give the same path, or one of them is a folder of another, the
    digest of the name is added to the paths that differ from their name, and to those that are folders of another.
    """
    plain = {name: _plain(name) for name in names}
    often = Counter(plain.values())
    folders = {str(parent) for path in plain.values() for parent in PurePosixPath(path).parents}
    clashes = {name for name, path in plain.items() if path in folders or (often[path] > 1 and path != name)}
    return {name: _marked(path, name) if name in clashes else path for name, path in plain.items()}


def _plain(name: str) -> str:
    """Return a name as a path without "..", without invalid characters, and without overlong components."""
    safe = part_name(name.replace("\0", ""))
    return "/".join(map(_short, path_of(safe).parts)) if safe else _marked("document", name)


def _short(part: str) -> str:
    data = os.fsencode(part)
    if len(data) <= LONGEST:
        return part
    suffix = PurePosixPath(part).suffix
    suffix = suffix if len(os.fsencode(suffix)) <= 16 else ""
    return _marked(data[: LONGEST - 40].decode("utf-8", "ignore") + suffix, part)


def _marked(path: str, name: str) -> str:
    whole = PurePosixPath(path)
    return str(whole.with_name(f"{whole.stem}~{digest(os.fsencode(name))[:12]}{whole.suffix}"))
