"""Archives, books and mails: path traversal, false sizes, and nested members."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import warnings
import zipfile
from pathlib import Path

from tests.hostile.case import BROKEN, EMPTY, LARGE, LOCKED, READ, UNKNOWN, Bait, Family
from tests.hostile.made import epub, mail, tarred, zipped

family = Family()
_TEXT = b"The gasket is green."


@family.folder("inside-and-beside", READ)
def archive_beside_a_folder_called_like_its_inside(folder: Path, bait: Bait) -> None:
    (folder / "a.zip").write_bytes(zipped({"b.txt": b"The inner gasket is green."}))
    (folder / "a.zip!").mkdir()
    (folder / "a.zip!" / "b.txt").write_bytes(b"The outer gasket is blue.")


@family.file("one-name-many-times.zip", READ)
def zip_with_one_name_many_times() -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as archive:
        warnings.simplefilter("ignore")
        for number in range(5):
            archive.writestr("a.txt", f"The gasket no. {number} is green.")
    return buffer.getvalue()


@family.file("names-of-bytes.zip", READ)
def zip_with_names_that_are_no_text() -> bytes:
    data = zipped({"xxxx.txt": _TEXT, "yyyy.txt": _TEXT}, zipfile.ZIP_STORED)
    return data.replace(b"xxxx.txt", b"caf\xe9.txt").replace(b"yyyy.txt", b"\x1b[2J.txt")


@family.file("names-of-markers.zip", READ)
def zip_with_names_like_paths_of_parts() -> bytes:
    return zipped(dict.fromkeys(("x!/y.txt", "x!", "!/", "a%21/b.txt", " ", ".", "[red].txt", "con.txt"), _TEXT))


@family.file("long-name.zip", READ)
def zip_with_a_long_name() -> bytes:
    return zipped({"a" * 60_000 + ".txt": _TEXT, "d/" * 20_000 + "b.txt": _TEXT})


@family.file("within-itself.zip", READ, LARGE)
def zip_within_zip_within_zip() -> bytes:
    data = _TEXT
    for depth in range(130):
        data = zipped({f"{depth}.zip" if depth else "a.txt": data}, zipfile.ZIP_STORED)
    return data


@family.file("spreading.zip", READ, LARGE, heavy=True)
def zip_of_archives_of_archives() -> bytes:
    data = zipped({f"{n}.txt": _TEXT + str(n).encode() for n in range(8)})
    for _ in range(3):
        data = zipped({f"{n}.zip": data for n in range(8)})
    return data


@family.file("gaps.zip", READ, BROKEN, UNKNOWN)
def zip_with_junk_before_and_behind() -> bytes:
    return b"junk" * 1000 + zipped({"a.txt": _TEXT}) + b"\0" * 1000


@family.file("unknown-method.zip", BROKEN, READ, EMPTY)
def zip_of_an_unknown_method() -> bytes:
    data = bytearray(zipped({"a.txt": _TEXT}, zipfile.ZIP_STORED))
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(signature) + offset] = 99
    return bytes(data)


@family.file("wrong-sum.zip", BROKEN, READ, EMPTY)
def zip_with_a_wrong_sum() -> bytes:
    return zipped({"a.txt": _TEXT, "b.txt": b"second"}, zipfile.ZIP_STORED).replace(b"gasket", b"Gasket")


def _special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@family.baited("special.tar", READ)
def tar_of_links_and_devices(bait: Bait) -> bytes:
    return tarred(
        {"a.txt": _TEXT, "../../climb.txt": _TEXT, "/abs.txt": _TEXT},
        _special("link.txt", tarfile.SYMTYPE, str(bait.secret)),
        _special("hard.txt", tarfile.LNKTYPE, str(bait.secret)),
        _special("dir", tarfile.SYMTYPE, str(bait.secret.parent)),
        _special("null", tarfile.CHRTYPE),
        _special("pipe", tarfile.FIFOTYPE),
    )


@family.file("sparse.tar", READ, BROKEN, LARGE, EMPTY)
def tar_that_says_it_is_large() -> bytes:
    info = tarfile.TarInfo("big.txt")
    info.size = 10**15
    return tarred({"a.txt": _TEXT})[:1024] + info.tobuf(tarfile.GNU_FORMAT) + b"x" * 512


@family.file("endless-names.tar", READ, BROKEN, EMPTY)
def tar_with_long_names() -> bytes:
    return tarred({"n" * 50_000 + ".txt": _TEXT, "a.txt": _TEXT})


@family.file("cut-short.tar.gz", BROKEN, READ, EMPTY)
def tar_cut_short() -> bytes:
    return tarred({f"{n}.txt": _TEXT * 50 for n in range(30)}, mode="w:gz")[:-200]


@family.file("bomb.gz", LARGE)
def gz_bomb() -> bytes:
    return gzip.compress(b"\0" * 300_000_000, 9)


@family.file("bomb.bz2", LARGE, heavy=True)
def bz2_bomb() -> bytes:
    return bz2.compress(b"\0" * 300_000_000)


@family.file("bomb.xz", LARGE)
def xz_bomb() -> bytes:
    return lzma.compress(b"\0" * 300_000_000, preset=1)


@family.file("greedy.xz", BROKEN, LARGE, READ, UNKNOWN)
def xz_that_wants_memory() -> bytes:
    data = bytearray(lzma.compress(_TEXT, format=lzma.FORMAT_ALONE))
    data[1:5] = b"\xff\xff\xff\xff"
    return bytes(data)


@family.file("many-streams.gz", READ, LARGE)
def gz_of_many_streams() -> bytes:
    return gzip.compress(b"The gasket is green.\n") * 5000


@family.file("wrong-sum.gz", BROKEN, READ)
def gz_with_a_wrong_sum() -> bytes:
    return gzip.compress(_TEXT * 100)[:-8] + b"\0" * 8


@family.file("nothing.7z", UNKNOWN, BROKEN)
def seven_zip() -> bytes:
    return b"7z\xbc\xaf\x27\x1c\x00\x04" + b"\0" * 200


@family.file("nothing.rar", UNKNOWN, BROKEN)
def rar() -> bytes:
    return b"Rar!\x1a\x07\x01\x00" + b"\0" * 200


# -- books


@family.baited("outside.epub", READ, BROKEN, EMPTY)
def epub_with_chapters_outside(bait: Bait) -> bytes:
    items = "".join(
        f'<item id="c{n}" href="{href}"/>'
        for n, href in enumerate(
            (
                "a.html",
                "../../../../../.." + str(bait.secret),
                bait.secret.as_uri(),
                f"http://{bait.address}/c",
                "http://[x",
            )
        )
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in (0, 1, 2, 3, 4, 0, 0, 9))
    return epub(
        f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>",
        {"a.html": f'<p>The valve is stuck. <img src="{bait.secret.as_uri()}"/></p>'.encode()},
    )


@family.file("package-of-itself.epub", BROKEN, EMPTY, READ)
def epub_whose_chapter_is_its_package() -> bytes:
    return epub(
        '<package><manifest><item id="a" href="o.opf"/></manifest><spine><itemref idref="a"/></spine></package>', {}
    )


# -- mails


def _parts(*parts: str) -> bytes:
    body = "".join(f"--b\r\n{part}\r\n" for part in parts)
    return mail(body + "--b--\r\n", 'multipart/mixed; boundary="b"')


def _attached(name: str, text: str = "The gasket is green.") -> str:
    return f'Content-Type: text/plain\r\nContent-Disposition: attachment; filename="{name}"\r\n\r\n{text}'


@family.file("names-that-climb.eml", READ)
def mail_with_attachments_that_climb() -> bytes:
    names = (
        "../../climb.txt",
        "/etc/passwd",
        "C:\\x.txt",
        "a\\..\\..\\b.txt",
        "",
        ".",
        "x!/y.txt",
        "[/].txt",
        "a" * 3000,
    )
    return _parts("\r\nThe valve is stuck.", *(_attached(name) for name in names))


@family.file("one-name.eml", READ)
def mail_with_attachments_of_one_name() -> bytes:
    return _parts("\r\nThe valve is stuck.", *(_attached("a.txt", f"The gasket no. {n} is green.") for n in range(5)))


@family.file("mail-in-mail.eml", READ, LARGE)
def mails_within_mails() -> bytes:
    data = mail("The valve is stuck.")
    for _ in range(60):
        data = mail(data.decode(), "message/rfc822")
    return data


@family.baited("outside.eml", READ)
def mail_with_a_body_elsewhere(bait: Bait) -> bytes:
    return _parts(
        "\r\nThe valve is stuck.",
        f'Content-Type: message/external-body; access-type=local-file; name="{bait.secret}"\r\n\r\nContent-Type: text/plain\r\n\r\n',
        f'Content-Type: text/html\r\n\r\n<img src="http://{bait.address}/pixel"><iframe src="{bait.secret.as_uri()}"></iframe>',
    )


@family.file("header-names.eml", READ)
def mail_with_headers_of_no_kind() -> bytes:
    return mail(
        "The valve is stuck.",
        Subject="=?utf-8?b?////?= =?klingon?q?=FF?= [red]\x1b[2J",
        Date="Thu, 99 Foo 99999 99:99:99 +9999",
        Message_ID="<" + "[" * 500 + ">",
        Content_Transfer_Encoding="klingon",
        To=", ".join(f"a{n}@example.com" for n in range(3000)),
    )


@family.file("bytes-in-headers.eml", READ)
def mail_with_bytes_in_its_headers() -> bytes:
    return b"From: \xff\xfe <a@example.com>\r\nSubject: caf\xe9 \x00 valve\r\nDate: \xff\r\n\r\nThe valve is stuck. caf\xe9\r\n"


@family.file("10000-parts.eml", READ, LARGE, heavy=True)
def mail_of_many_parts() -> bytes:
    return _parts("\r\nThe valve is stuck.", *("\r\npart" for _ in range(10_000)))


@family.file("locked.msg", BROKEN, EMPTY, UNKNOWN, LOCKED)
def msg_of_junk() -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(range(256)) * 40
