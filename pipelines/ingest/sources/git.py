"""The files of a Git repository at a branch, tag or commit: `git+https://host/x.git@v2#docs`, `git+/path/to/x`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from pipelines.core.errors import SettingsError, SourceUnreachable
from pipelines.ingest.sources.source import Listed, without_secrets

PREFIX = "git+"
FETCH_SECONDS = 3600
_REF = "refs/strata/head"
_PROTOCOLS = "file:git:http:https:ssh"
"""The allowed protocols; `ext` is excluded because it would run the address as a command."""
_PIECE = 1 << 20
_LINE = re.compile(rb"(?P<mode>\d+) blob (?P<id>[0-9a-f]+) +(?P<size>\d+)\t(?P<path>.+)", re.DOTALL)
_LINK = b"120000"
_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
"""Variables that Git sets when it runs a hook; with them, commands would use the repository of the hook."""


class GitSource:
    """One commit of a repository, or a folder of it, fetched without history into a temporary folder.

    The version of a file is the id of its blob, so only files that a commit changes are copied again. Symbolic links
    and submodules are left out, and no code of the repository is run.
    """

    at_once = 1

    def __init__(self, location: str) -> None:
        address, _, folder = location.removeprefix(PREFIX).partition("#")
        self._url, self._revision = _parted(address)
        self._below = f"{folder.strip('/')}/" if folder.strip("/") else ""
        self._shown = without_secrets(self._url)
        if shutil.which("git") is None:
            raise SettingsError(f"reading {self._shown} needs the command `git`", hint="install Git")
        self._folder = Path(tempfile.mkdtemp(prefix="strata-git-"))
        self._reader: subprocess.Popen[bytes] | None = None
        self._blobs: dict[str, bytes] = {}
        self._lock = Lock()

    def list(self) -> Iterable[Listed]:
        self._git("init", "--quiet", "--bare")
        url = self._url if "://" in self._url or ":" in self._url else Path(self._url).absolute().as_uri()
        wanted = f"+{self._revision}:{_REF}"
        self._git("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", url, wanted)
        found = []
        for line in self._git("ls-tree", "-r", "-l", "-z", "--full-tree", _REF).split(b"\0"):
            entry = _LINE.fullmatch(line)
            if entry is not None and entry["mode"] != _LINK:
                name = os.fsdecode(entry["path"])
                if name.startswith(self._below):
                    self._blobs[name] = entry["id"]
                    found.append(Listed(name, entry["id"].decode(), int(entry["size"])))
        return found

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        blob = self._blobs[name]
        with self._lock:
            reader = self._reader = self._reader or self._open_reader()
            assert reader.stdin is not None  # noqa: S101
            assert reader.stdout is not None  # noqa: S101
            reader.stdin.write(blob + b"\n")
            reader.stdin.flush()
            head = reader.stdout.readline().split()
            if len(head) != 3:
                raise SourceUnreachable(f"git has no {blob.decode()}")
            left = int(head[2])
            while left and (data := reader.stdout.read(min(left, _PIECE))):
                left -= len(data)
                into.write(data)
            reader.stdout.read(1)
        return blob.decode()

    def close(self) -> None:
        if self._reader is not None:
            with self._reader as reader:
                reader.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _open_reader(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["git", "-C", str(self._folder), "cat-file", "--batch"],  # noqa: S607 - the user's own
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment(),
        )  # fmt: skip

    def _git(self, *words: str) -> bytes:
        command = ["git", "-C", str(self._folder), *words]
        try:
            done = subprocess.run(
                command, capture_output=True, check=False, timeout=FETCH_SECONDS, env=_environment(),
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise SourceUnreachable(f"{self._shown} took longer than an hour to fetch") from error
        if done.returncode:
            lines = done.stderr.decode("utf-8", "replace").replace(self._url, self._shown).strip().splitlines()
            # The last line can be advice ("Please make sure you have the correct access rights").
            fatal = [line for line in lines if line.startswith("fatal: ")] or lines[-1:] or ["git failed"]
            raise SourceUnreachable(f"{self._shown} cannot be read: {fatal[0].removeprefix('fatal: ')}")
        return done.stdout


def _parted(address: str) -> tuple[str, str]:
    """Split an address into the URL and the revision after the "@" of its path (a branch, tag or commit), or HEAD."""
    mark = "://" if "://" in address else ":"
    head, found, rest = address.partition(mark)
    if not found:
        head, rest = "", address
    host, slash, path = rest.partition("/") if mark == "://" else ("", "", rest)
    path, at, revision = path.rpartition("@")
    if not at or not path or Path(address).exists():
        return address, "HEAD"
    return f"{head}{found}{host}{slash}{path}", revision


def _environment() -> dict[str, str]:
    """Return the environment for Git: no prompts, and only protocols that do not run commands."""
    own = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
    ssh = own.get("GIT_SSH_COMMAND") or "ssh -o BatchMode=yes"
    return own | {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": _PROTOCOLS, "GIT_SSH_COMMAND": ssh, "LC_ALL": "C"}
