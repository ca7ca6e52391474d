"""What a server is given: its knowledge bases, its address, its keys, its limits."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from pipelines.core.errors import SettingsError
from serve.access import Key


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """What one request may take.

    `body_bytes` bounds what a client sends, `results` the length of every list, `question` its characters. `asks` is
    how many questions are answered at once, `waiting` how many more may wait for their turn. `nodes` bounds a
    neighbourhood. `source_mb` is the size of the largest file of which a page is drawn, `upload_mb` that of the
    largest one that an admin sends, in MiB.
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
    """A server. `folders[i]` is the folder that `knowledge_bases[i]` was made of; fewer of them are allowed.

    One of the `keys` is asked of every request where there are any. With `changes` admins may ingest and send files.
    """

    knowledge_bases: tuple[Path, ...]
    folders: tuple[Path, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8420
    keys: tuple[Key, ...] = ()
    changes: bool = False
    limits: RequestLimits = RequestLimits()

    def check(self) -> None:
        """Raise `SettingsError` for unsafe settings: a host that others can reach without a key, a short key."""
        if not self.knowledge_bases:
            raise SettingsError("no knowledge base is named", hint="--kb KB")
        if len(self.folders) > len(self.knowledge_bases):
            raise SettingsError("more folders than knowledge bases", hint="one --folder for each --kb, in their order")
        if self.changes and not self.folders:
            raise SettingsError("what may be changed has no folder", hint="--folder FOLDER names that of the documents")
        if not self.keys and not is_loopback_host(self.host):
            hint = "--key-file FILE names a file with a key; without one only 127.0.0.1 is served"
            raise SettingsError(f"{self.host} can be reached by others, and there is no key", hint=hint)
        for key in self.keys:
            key.check()
        if len({key.secret for key in self.keys}) < len(self.keys):
            raise SettingsError("two keys are the same", hint="what a key may do depends on which it is")


def is_loopback_host(host: str) -> bool:
    """Whether a host is this machine alone: "localhost" or a loopback address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
