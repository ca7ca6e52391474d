"""Documents on any file system that fsspec supports: S3, Google Cloud Storage, Azure, SFTP and others."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

from fsspec.core import url_to_fs
from fsspec.registry import known_implementations

from pipelines.core.errors import MissingExtra, SourceError, SourceUnreachable
from pipelines.ingest.sources.source import Listed, without_secrets

EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs", "az": "azure", "abfs": "azure", "abfss": "azure"}
"""The extra that installs the file system of a scheme."""
_VERSIONS = (
    "ETag", "etag", "generation", "md5Hash", "content_md5", "mtime", "LastModified", "last_modified", "updated",
)  # fmt: skip
"""Details of a file that change with its bytes, in s3fs, gcsfs (objects of Cloud Storage), adlfs, local and SFTP."""
_PIECE = 1 << 20


class FsspecSource:
    """The files below a location.

    Credentials and endpoints come from the environment variables of the file system's own tools (`AWS_ACCESS_KEY_ID`,
    `AWS_ENDPOINT_URL`, `FSSPEC_S3_ENDPOINT_URL` and so on).
    """

    at_once = 8

    def __init__(self, location: str) -> None:
        self._shown = without_secrets(location)
        scheme = location.partition(":")[0].lower()
        try:
            self._files, self._root = url_to_fs(location, skip_instance_cache=True)
        except ImportError as error:
            if scheme in EXTRAS:
                raise MissingExtra(EXTRAS[scheme], f"reading {self._shown}") from error
            raise SourceError(str(known_implementations[scheme].get("err", error))) from error
        except ValueError as error:
            raise SourceError(f"no such kind of place: {scheme}", ids=(self._shown,)) from error
        except OSError as error:  # some file systems connect at once
            raise SourceUnreachable(f"{self._shown} cannot be reached: {error}") from error
        self._versions: dict[str, tuple[str, str, int]] = {}

    def list(self) -> Iterable[Listed]:
        try:
            self._files.invalidate_cache()
            found: dict[str, Mapping[str, Any]] = self._files.find(self._root, detail=True)
        except Exception as error:  # the file systems have different error classes
            raise SourceUnreachable(f"{self._shown} cannot be listed: {error}") from error
        for path, details in found.items():
            name = path.removeprefix(self._root).lstrip("/") or path.rpartition("/")[2]
            if details.get("type") == "file":
                size = int(details.get("size") or 0)
                self._versions[name] = (path, _version(details), size)
        return [Listed(name, version, size) for name, (_, version, size) in self._versions.items()]

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        path, version, size = self._versions[name]
        try:
            if size <= _PIECE:
                into.write(self._files.cat_file(path))  # one request; `open` needs two
            else:
                with self._files.open(path, "rb") as remote:
                    shutil.copyfileobj(remote, into, _PIECE)
        except (OSError, SourceError):
            raise
        except Exception as error:
            raise SourceUnreachable(str(error)) from error
        return version

    def close(self) -> None:
        """Do nothing: fsspec closes connections."""


def _version(details: Mapping[str, Any]) -> str:
    known = [f"{name} {details[name]}" for name in _VERSIONS if details.get(name)]
    return f"{details.get('size')} {' '.join(known)}" if known else ""
