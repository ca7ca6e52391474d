"""Files that other programs convert or unpack: PostScript, which is a program itself, DjVu, Outlook, Access, dBase.

Where a program is not installed, its files are unsupported.
"""

from __future__ import annotations

import shutil
import struct

from tests.hostile.case import BROKEN, EMPTY, LARGE, LOCKED, READ, UNKNOWN, Bait, Family

family = Family()

_TEXT = "/Helvetica findfont 12 scalefont setfont 72 700 moveto (The valve opens at 12 bar.) show\n"


def _unless_missing(command: str) -> frozenset[str]:
    return frozenset() if shutil.which(command) else UNKNOWN


_NO_GS, _NO_DJVU, _NO_READPST, _NO_MDB = map(_unless_missing, ("gs", "ddjvu", "readpst", "mdb-tables"))


def _ps(program: str) -> bytes:
    return f"%!PS-Adobe-3.0\n{program}\nshowpage\n".encode()


@family.file("endless.ps", LARGE, _NO_GS)
def postscript_that_never_ends() -> bytes:
    return _ps("{} loop")


@family.file("pages-by-millions.ps", LARGE, _NO_GS)
def postscript_of_many_pages() -> bytes:
    return _ps(f"1 1 100000000 {{ pop {_TEXT} showpage }} for")


@family.file("one-page-of-gigabytes.ps", LARGE, _NO_GS)
def postscript_of_a_page_that_grows() -> bytes:
    picture = "300 300 8 [1 0 0 1 0 0] { 0 1 299 { s exch rand 256 mod put } for s } image"
    return _ps(f"/s 300 string def {{ {picture} }} loop")


@family.file("memory.ps", LARGE, BROKEN, READ, EMPTY, _NO_GS)
def postscript_that_takes_memory() -> bytes:
    return _ps("{ 60000 string } loop")


@family.file("recursion.ps", BROKEN, LARGE, READ, EMPTY, _NO_GS)
def postscript_that_calls_itself() -> bytes:
    return _ps("/f { f f } def f")


@family.file("huge-box.eps", BROKEN, LARGE, READ, EMPTY, _NO_GS)
def eps_with_a_huge_box() -> bytes:
    return b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 2000000000 2000000000\n" + _TEXT.encode() + b"showpage\n"


@family.file("reads-its-input.ps", BROKEN, LARGE, READ, EMPTY, _NO_GS)
def postscript_that_waits_for_input() -> bytes:
    return _ps("(%stdin) (r) file 100 string readstring pop show (%lineedit) (r) file pop")


@family.baited("reads-a-file.ps", BROKEN, READ, EMPTY, _NO_GS)
def postscript_that_shows_a_file(bait: Bait) -> bytes:
    return _ps(f"{_TEXT} {{ ({bait.secret}) (r) file 300 string readstring pop 72 600 moveto show }} stopped")


@family.baited("runs-a-file.ps", BROKEN, READ, EMPTY, _NO_GS)
def postscript_that_runs_a_file(bait: Bait) -> bytes:
    return _ps(f"{_TEXT} {{ ({bait.secret}) run }} stopped clear {{ ({bait.secret}) runlibfile }} stopped clear")


@family.baited("attaches-a-file.ps", BROKEN, READ, EMPTY, _NO_GS)
def postscript_that_attaches_a_file(bait: Bait) -> bytes:
    return _ps(
        f"{_TEXT} {{ [ /_objdef {{s}} /type /stream /OBJ pdfmark [ {{s}} ({bait.secret}) (r) file /PUT pdfmark\n"
        "[ /Name (s) /FS << /Type /Filespec /F (s) /EF << /F {s} >> >> /EMBED pdfmark } stopped clear"
    )


@family.baited("lists-a-folder.ps", BROKEN, READ, EMPTY, _NO_GS)
def postscript_that_shows_the_names_of_files(bait: Bait) -> bytes:
    return _ps(f"{_TEXT} {{ ({bait.secret.parent}/*) {{ 72 500 moveto show }} 200 string filenameforall }} stopped")


@family.baited("writes-a-file.ps", BROKEN, READ, EMPTY, _NO_GS)
def postscript_that_writes_a_file(bait: Bait) -> bytes:
    there = bait.secret.parents[1] / "written.txt"
    return _ps(f"{_TEXT} {{ ({there}) (w) file (written) writestring }} stopped clear")


@family.baited("pipes.ps", BROKEN, READ, EMPTY, _NO_GS)
def postscript_that_starts_a_program(bait: Bait) -> bytes:
    there = bait.secret.parents[1] / "started.txt"
    return _ps(f"{_TEXT} {{ (%pipe%touch {there}) (w) file closefile }} stopped clear")


@family.baited("writes-its-pages-elsewhere.ps", BROKEN, READ, EMPTY, _NO_GS)
def postscript_that_sets_the_path_of_its_pages(bait: Bait) -> bytes:
    there = bait.secret.parents[1] / "pages.pdf"
    return _ps(f"{{ << /OutputFile ({there}) >> setpagedevice }} stopped clear {_TEXT}")


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack(">I", len(data)) + data + b"\0" * (len(data) % 2)


def _djvu(info: bytes, *chunks: bytes) -> bytes:
    return b"AT&T" + _chunk(b"FORM", b"DJVU" + _chunk(b"INFO", info) + b"".join(chunks))


def _info(wide: int, high: int) -> bytes:
    return struct.pack(">HHBBHBB", wide, high, 24, 0, 300, 22, 1)


@family.file("huge.djvu", LARGE, BROKEN, READ, EMPTY, _NO_DJVU)
def djvu_of_a_huge_page() -> bytes:
    return _djvu(_info(65535, 65535), _chunk(b"Sjbz", bytes(64)))


@family.file("cut-off.djvu", BROKEN, EMPTY, _NO_DJVU)
def djvu_that_is_cut_off() -> bytes:
    return _djvu(_info(600, 800), _chunk(b"Sjbz", bytes(900)))[:100]


@family.file("includes-itself.djvu", LARGE, BROKEN, READ, EMPTY, _NO_DJVU)
def djvu_that_includes_itself() -> bytes:
    return _djvu(_info(600, 800), _chunk(b"INCL", b"includes-itself.djvu"), _chunk(b"Sjbz", bytes(64)))


@family.file("pages-elsewhere.djvu", BROKEN, EMPTY, READ, _NO_DJVU)
def djvu_whose_pages_are_other_files() -> bytes:
    return b"AT&T" + _chunk(b"FORM", b"DJVM" + _chunk(b"DIRM", b"\x01" + struct.pack(">H", 60000) + bytes(400)))


@family.file("junk.pst", BROKEN, EMPTY, LOCKED, _NO_READPST)
def outlook_file_of_junk() -> bytes:
    return b"!BDN" + bytes(4) + b"SM" + struct.pack("<HH", 23, 19) + bytes(range(256)) * 40


@family.file("trees-in-a-circle.pst", BROKEN, EMPTY, LARGE, LOCKED, _NO_READPST)
def outlook_file_whose_trees_are_circles() -> bytes:
    header = bytearray(b"!BDN" + bytes(4) + b"SM" + struct.pack("<HH", 23, 19) + bytes(600))
    for place in range(180, 260, 8):
        header[place : place + 8] = struct.pack("<Q", 1024)
    page = (
        struct.pack("<QQQ", 1, 1, 1024) * 20 + struct.pack("<BBBB", 20, 20, 24, 1) + bytes(4) + b"\x80\x80" + bytes(14)
    )
    return bytes(header[:564]) + bytes(460) + page * 8


@family.file("junk.mdb", BROKEN, EMPTY, LOCKED, _NO_MDB)
def access_file_of_junk() -> bytes:
    return b"\0\1\0\0Standard Jet DB\0" + bytes([1]) + bytes(range(256)) * 200


@family.file("pages-in-a-circle.accdb", BROKEN, EMPTY, LARGE, LOCKED, _NO_MDB)
def access_file_whose_pages_are_circles() -> bytes:
    page = b"\2\1" + struct.pack("<HII", 0, 2, 2) + struct.pack("<H", 30) + bytes(20) + b"\xff" * 400
    return (b"\0\1\0\0Standard ACE DB\0" + bytes([2])).ljust(4096, b"\0") + page.ljust(4096, b"\0") * 6
