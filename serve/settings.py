"""Settings of a server: knowledge bases, address, keys, limits."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from pipelines.core.errors import FolderNotFound, SettingsError
from serve.access import Key


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits of requests.

    `body_bytes` limits the body of a request, `results` the length of every list, `question` the characters of a
    question. `asks` is the number of questions answered concurrently, `waiting` the number that may wait. `nodes`
    limits a neighbourhood. `source_mb` is the maximum size in MiB of a file whose pages are drawn, `upload_mb` of an
    upload.
    """

    body_bytes: int = 64 * 1024
    results: int = 200
    question: int = 4000
    asks: int = 1
    waiting: int = 256
    nodes: int = 300
    source_mb: int = 256
    upload_mb: int = 256


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Settings of a server. `folders[i]` has the documents of `knowledge_bases[i]`; the list may be shorter.

    If there are `keys`, every request needs one. With `changes`, admins may ingest and upload files.
    """

    knowledge_bases: tuple[Path, ...]
    folders: tuple[Path, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8420
    keys: tuple[Key, ...] = ()
    changes: bool = False
    limits: RequestLimits = RequestLimits()

    def check(self) -> None:
        """Raise `SettingsError` for unsafe settings: a host that others can reach without a key, a short key.

        Raises `FolderNotFound` for a folder of documents that does not exist.
        """
        if not self.knowledge_bases:
            raise SettingsError("no knowledge base is given", hint="--kb KB")
        if len(self.folders) > len(self.knowledge_bases):
            raise SettingsError("more folders than knowledge bases", hint="one --folder for each --kb, in their order")
        for folder in self.folders:
            if not folder.is_dir():
                raise FolderNotFound(str(folder))
        if self.changes and not self.folders:
            raise SettingsError("changes need the folder of the documents", hint="--folder FOLDER")
        if not self.keys and not is_loopback_host(self.host):
            hint = "--key-file FILE gives a key; without a key, only 127.0.0.1 can be served"
            raise SettingsError(f"{self.host} can be reached by others, and there is no key", hint=hint)
        for key in self.keys:
            key.check()
        if len({key.secret for key in self.keys}) < len(self.keys):
            raise SettingsError("two keys are the same", hint="a key determines the permissions of a request")


def is_loopback_host(host: str) -> bool:
    """Whether a host is "localhost" or a loopback address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
