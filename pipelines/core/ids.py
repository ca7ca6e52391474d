"""Identifiers: digests of content, equal on every machine; and URIs of files, reversible for every file name.

A URI is the path relative to the ingested folder, in which each byte of the following is escaped as `%XX` (two
uppercase hexadecimal digits):

- bytes that are not UTF-8;
- control characters, line and paragraph separators, and marks that embed, override or isolate a text direction, because
  a terminal or a browser interprets them instead of showing them;
- a "!" before a "/": only members of containers have that ("a.zip!/b.txt"), so no folder can pass for a container;
- a "%" that would otherwise begin such an escape.

Different names have different URIs, even if they differ only in their bytes (é composed and decomposed).
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePath, PurePosixPath

from pipelines.core.safe_output import shown

ID_HEX_DIGITS = 32
INSIDE = "!/"
"""Separates a container from the name of its member."""
LONGEST = 120
"""Maximum characters of a component of a member's name; a longer one is truncated, its suffix kept."""

_ESCAPE = r"(?:[01][0-9A-F]|21|25|7F|[89A-F][0-9A-F])"
_READS_AS_ESCAPE = re.compile(f"%(?={_ESCAPE})")
_ESCAPED = re.compile(f"%({_ESCAPE})".encode())
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_RESERVED = re.compile('[<>:"|?*]')


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data` as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def content_id(kind: str, *parts: str | int) -> str:
    """Return `kind:` followed by the first 128 bits of the SHA-256 over `parts`.

    Parts are length-prefixed, so ("ab", "c") and ("a", "bc") differ; their order matters.
    """
    hasher = hashlib.sha256()
    for part in parts:
        encoded = str(part).encode("utf-8", "surrogatepass")
        hasher.update(f"{len(encoded)}:".encode())
        hasher.update(encoded)
    return f"{kind}:{hasher.hexdigest()[:ID_HEX_DIGITS]}"


def normalize(text: str) -> str:
    """Return `text` in NFKC, case-folded and with white space collapsed, for comparing names."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def uri_of(path: PurePath | str | bytes) -> str:
    """Return the URI of a relative path."""
    text = os.fsencode(path).decode("utf-8", "surrogateescape")
    return _escaped(text)


def path_of(uri: str) -> Path:
    """Return the path of a URI: the inverse of `uri_of`."""
    return Path(os.fsdecode(_ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), uri.encode("utf-8"))))


def called(given: str, uris: Iterable[str]) -> tuple[str, ...]:
    """Return the URIs that a user input can refer to: the identical one, else those with this display or file name."""
    known = tuple(uris)
    if given in known:
        return (given,)
    real = _escaped(given)
    return tuple(uri for uri in known if given == shown(uri) or real == uri)


def part_name(name: str) -> str:
    """Return the name of a member of a container as used in its URI, empty if nothing remains of `name`.

    It cannot lead out of the container: no "..", no drive, no leading slash. Backslashes count as slashes. Several
    names may map to one; the container keeps them distinct (`DocumentBuilder.child`).
    """
    parts = (_component(part) for part in name.replace("\\", "/").split("/"))
    return _escaped("/".join(part for part in parts if part))


def last_part(name: str) -> str:
    """Return the file name at the end of a path from a mail or an archive of any operating system."""
    return name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def _component(part: str) -> str:
    plain = _RESERVED.sub("", part).strip(" ")
    if not plain.strip("."):
        return ""
    if len(plain) <= LONGEST:
        return plain
    stem, dot, suffix = plain.rpartition(".")
    return stem[: LONGEST - len(suffix) - 1] + dot + suffix if dot and len(suffix) < 12 else plain[:LONGEST]


def _escaped(text: str) -> str:
    """Return `text` with escapes; it represents bytes that are not UTF-8 as lone surrogates, as Python does."""
    marked = _READS_AS_ESCAPE.sub("%25", text).replace(INSIDE, "%21/")
    return _OBEYED.sub(lambda found: "".join(f"%{byte:02X}" for byte in _bytes(found[0])), marked)


def _bytes(char: str) -> bytes:
    try:
        return char.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that represents no byte, which archives and mails can contain
        return char.encode("utf-8", "surrogatepass")


def is_clutter(name: str) -> bool:
    """Whether this is the relative path of a metadata file of macOS or Windows, which is no document."""
    path = PurePosixPath(name)
    metadata = path.name in (".DS_Store", "Thumbs.db", "desktop.ini")
    return metadata or "__MACOSX" in path.parts or path.name.startswith("._")
