"""What a server is given: its knowledge bases, its address, its key, its limits."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.core.errors import SettingsError

SHORTEST_KEY = 16
"""Characters of a key: 16 of hexadecimal are 64 bits, which nobody guesses over a network (NIST SP 800-63B, 5.1.1)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take.

    `body_bytes` bounds what a client sends, `results` the length of every list, `question` its characters. `asks` is
    how many questions are answered at once, `waiting` how many more may wait for their turn. `nodes` bounds a
    neighbourhood. `source_mb` is the size of the largest file of which a page is drawn, in MiB.
    """

    body_bytes: int = 64 * 1024
    results: int = 200
    question: int = 4000
    asks: int = 1
    waiting: int = 16
    nodes: int = 300
    source_mb: int = 256


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """A server. `folders[i]` is the folder that `knowledge_bases[i]` was made of; fewer of them are allowed.

    `key` is asked of every request where it is not empty.
    """

    knowledge_bases: tuple[Path, ...]
    folders: tuple[Path, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8420
    key: str = ""
    limits: Limits = Limits()

    def check(self) -> None:
        """Raise `SettingsError` for what must not be: a host that others reach without a key, a key that is short."""
        if not self.knowledge_bases:
            raise SettingsError("no knowledge base is named", hint="--kb KB")
        if len(self.folders) > len(self.knowledge_bases):
            raise SettingsError("more folders than knowledge bases", hint="one --folder for each --kb, in their order")
        if not self.key and not is_loopback_host(self.host):
            hint = "--key-file FILE names a file with a key; without one only 127.0.0.1 is served"
            raise SettingsError(f"{self.host} can be reached by others, and there is no key", hint=hint)
        if self.key and (len(self.key) < SHORTEST_KEY or not self.key.isascii() or not self.key.isprintable()):
            raise SettingsError(f"the key is not {SHORTEST_KEY} printable ASCII characters or more")


def is_loopback_host(host: str) -> bool:
    """Whether a host is this machine alone: "localhost" or an address of loopback, beyond doubt."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def read_key(path: Path | None) -> str:
    """Return the first line of a key file, empty for None. Raises `SettingsError` where it cannot be read."""
    if path is None:
        return ""
    try:
        lines: Sequence[str] = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the key file cannot be read: {error}") from error
    if not lines or not lines[0].strip():
        raise SettingsError("the key file is empty", hint="its first line is the key")
    return lines[0].strip()
