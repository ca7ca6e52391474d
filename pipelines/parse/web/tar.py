"""Archives of tape format and compressed files (.tar, .tar.gz, .gz, .bz2, .xz): each member a document of its own."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from pipelines.core.document import Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.core.outcome import Status
from pipelines.core.uris import path_of
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.limits import most_unpacked
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.members import append_member, is_clutter

_BROKEN = (tarfile.TarError, EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)
_OPENERS: Mapping[str, Callable[[Path], io.BufferedIOBase]] = MappingProxyType(
    {
        "application/x-tar": lambda path: path.open("rb"),
        "application/gzip": gzip.GzipFile,
        "application/x-bzip2": bz2.BZ2File,
        "application/x-xz": lzma.LZMAFile,
    }
)
_HEADER = 512
_CHUNK = 1 << 20


class TarReader:
    """Unpacks in memory and as a stream, so that nothing grows beyond the limits before it is noticed."""

    formats = (
        signed("application/x-tar", ".tar"),
        signed("application/gzip", ".gz", ".tgz"),
        signed("application/x-bzip2", ".bz2"),
        signed("application/x-xz", ".xz"),
    )
    name = "tar"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        most = most_unpacked(path.stat().st_size, settings.limits)
        with _OPENERS[source.media_type](path) as unpacked:
            stream = _Bounded(unpacked, most, source.uri)
            try:
                head = stream.read(_HEADER)
                whole = _Rejoined(head, stream)
                fault = _append_all(whole, builder) if head[257:262] == b"ustar" else _append_one(whole, builder)
            except _BROKEN as error:
                raise Malformed(f"not a readable archive: {error}", ids=(source.uri,)) from error
        parsed = builder.build()
        return replace(parsed, status=Status.PARTIAL, reason=fault) if fault and parsed.children else parsed


class _Bounded(io.RawIOBase):
    """Reads a stream up to `most` bytes. Raises `TooLarge` beyond."""

    def __init__(self, stream: io.BufferedIOBase, most: int, uri: str) -> None:
        self._stream = stream
        self._left = most
        self._uri = uri

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(min(size, _CHUNK) if size >= 0 else _CHUNK)
        self._left -= len(data)
        if self._left < 0:
            raise TooLarge("unpacks to more than is allowed", ids=(self._uri,))
        return data


class _Rejoined(io.RawIOBase):
    """A stream whose beginning has been read already."""

    def __init__(self, head: bytes, rest: _Bounded) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self._head:
            return self._rest.read(size)
        cut = len(self._head) if size < 0 else size
        data, self._head = self._head[:cut], self._head[cut:]
        return data


def _append_all(stream: _Rejoined, builder: DocumentBuilder) -> str:
    """Append the members; return what cut them short, nothing where all is well. Raises the fault of the first."""
    count = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                data = archive.extractfile(member) if member.isreg() and not is_clutter(member.name) else None
                if data is None:
                    continue
                count += 1
                if count > builder.settings.limits.members:
                    raise TooLarge(f"more than {builder.settings.limits.members} members", ids=(builder.source.uri,))
                append_member(member.name, data.read(), builder)
    except _BROKEN as error:
        if count < 2:
            raise
        return f"the archive breaks off: {error}"
    return ""


def _append_one(stream: _Rejoined, builder: DocumentBuilder) -> str:
    """Append the one file that a compressed file is; it is called as its container without the last suffix."""
    parts = []
    while chunk := stream.read(_CHUNK):
        parts.append(chunk)
    path = path_of(builder.source.name)
    name = path.stem if path.suffix.lower() in (".gz", ".bz2", ".xz") else path.name
    append_member(name, b"".join(parts), builder)
    return ""
