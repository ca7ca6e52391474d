"""File names that are not valid text, are special in a terminal or shell, or look alike."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from tests.hostile.case import FAILED, LARGE, READ, SKIPPED, Bait, Family

family = Family()
_TEXT = b"The gasket is green."


def _write(folder: Path, name: bytes) -> None:
    path = os.path.join(os.fsencode(folder), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(_TEXT + name.hex().encode())


NAMES = {
    "latin-1": (b"caf\xe9.txt",),
    "bytes": (bytes(range(0x80, 0xC0)) + b".txt", b"\xff\xfe"),
    "surrogate": (b"\xed\xa0\x80.txt",),
    "markup": (b"[red]x[/red].txt", b"[/].txt", b"[link=http://[x]y.txt"),
    "folder-of-markup": (b"[/x].bin",),
    "escapes": (b"\x1b[2J\x1b]0;owned\x07.txt", b"\x9b31m.txt", b"a\rb.txt"),
    "newlines": (b"a\nb.txt", b"a\tb.txt"),
    "bidi": ("\u202etxt.exe".encode(), "a\u2066b\u2069.txt".encode()),
    "invisible": ("a\u200bb.txt".encode(), b"ab.txt", "\ufeffab.txt".encode()),
    "composed": ("é.txt".encode(), "e\u0301.txt".encode()),
    "case": (b"Gasket.txt", b"gasket.txt", b"GASKET.TXT"),
    "percent": (b"100%.txt", b"caf%E9.txt", b"caf\xe9.txt", b"%25.txt", b"%2525.txt", b"%.txt"),
    "marker": (b"x.zip!/y.txt", b"y.zip!", b"!/!/z.txt"),
    "options": (b"-rf.txt", b"--help", b"-"),
    "quotes": (b"a'b\"c`d$(x).txt", b"a;b|c&d.txt", b"*.txt", b"?.txt", b"~.txt"),
    "windows": (b"CON.txt", b"a\\b.txt", b"trailing. .txt ", b"a:b.txt"),
    "blank": (b" .txt", b"   ", b"a  b.txt"),
    "long": (b"n" * 251 + b".txt", "ü".encode() * 125 + b".txt"),
    "deep": (b"d/" * 300 + b"a.txt",),
    "no-suffix": (b"README", b"...", b"a."),
    "many-suffixes": (b"a.pdf.zip.docx.txt", b"a" + b".x" * 100 + b".txt"),
    "regex": (b"((((a+)+)+)+.txt", b"[a-.txt"),
    "format": (b"%s%n{0}{x.__class__}.txt", b"${jndi:ldap://x}.txt"),
    "emoji": ("👩\u200d🔧.txt".encode(), "𝕻ump.txt".encode()),
}


def _named(names: tuple[bytes, ...]) -> None:
    @family.folder("names-" + next(key for key, value in NAMES.items() if value is names), READ, SKIPPED)
    def place(folder: Path, bait: Bait) -> None:
        for name in names:
            _write(folder, name)


for _names in NAMES.values():
    _named(_names)


@family.folder("brackets", READ, SKIPPED)
def folder_called_bracket(folder: Path, bait: Bait) -> None:
    _write(folder, b"[/x].txt")
    _write(folder, b"[/b]x].txt")


@family.folder("no-files", SKIPPED, FAILED)
def pipes_and_sockets(folder: Path, bait: Bait) -> None:
    os.mkfifo(folder / "pipe.txt")
    server = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(folder)  # the path of a socket is limited to 108 bytes
    try:
        server.bind("socket.txt")
    finally:
        os.chdir(here)
        server.close()


@family.folder("sparse", LARGE, SKIPPED)
def a_file_of_a_terabyte(folder: Path, bait: Bait) -> None:
    with (folder / "sparse.txt").open("wb") as file:
        file.truncate(1 << 40)


@family.folder("one-content", READ)
def one_content_under_many_names(folder: Path, bait: Bait) -> None:
    for number in range(20):
        (folder / f"{number}.txt").write_bytes(_TEXT)
