"""The messages of a mailbox on this machine: `maildir:PATH`, `mbox:FILE`."""

from __future__ import annotations

import mailbox
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from pipelines.core.errors import FolderNotFound, SourceError
from pipelines.core.ids import digest
from pipelines.ingest.sources.source import Listed


class MaildirSource:
    """A Maildir and the folders inside it; a message never changes, so its own unique name is its version."""

    at_once = 1

    def __init__(self, path: Path) -> None:
        if not (path / "cur").is_dir():
            raise FolderNotFound(f"{path}/cur")
        self._path = path
        self._places: dict[str, tuple[mailbox.Maildir, str]] = {}

    def list(self) -> Iterable[Listed]:
        self._places = {
            f"{folder}{key}.eml": (box, key) for folder, box in _folders(self._path) for key in sorted(box.iterkeys())
        }
        return [Listed(name, key) for name, (_, key) in self._places.items()]

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        box, key = self._places[name]
        try:
            into.write(box.get_bytes(key))
        except KeyError as error:
            raise FileNotFoundError(name) from error
        return key

    def close(self) -> None:
        """Nothing is held open."""


def _folders(path: Path) -> Iterator[tuple[str, mailbox.Maildir]]:
    """The mailbox itself, and those inside it (Maildir++: ".Sent", ".Sent.2024")."""
    box = mailbox.Maildir(path, create=False)
    yield "", box
    for name in sorted(box.list_folders()):
        yield f"{name.replace('.', '/')}/", mailbox.Maildir(path / f".{name}", create=False)


class MboxSource:
    """The messages of an mbox file. They have no names: one is called by the digest of its bytes, its version too."""

    at_once = 1

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise SourceError(f"no such file: {path}", ids=(str(path),))
        self._box = mailbox.mbox(path, create=False)
        self._keys: dict[str, str] = {}

    def list(self) -> Iterable[Listed]:
        found = {}
        for key in self._box.iterkeys():
            data = self._box.get_bytes(key)
            name = f"{digest(data)[:32]}.eml"
            self._keys[name] = key
            found[name] = Listed(name, name, len(data))
        return found.values()

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        into.write(self._box.get_bytes(self._keys[name]))
        return name

    def close(self) -> None:
        self._box.close()
