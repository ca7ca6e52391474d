"""Files that other programs unpack: RAR, CAB, LHA and others (bsdtar), Windows help (7-Zip), mail of Outlook (readpst),
and databases of Access (mdbtools)."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pipelines.core.document import Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.core.ids import is_clutter
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.limits import check_archive, most_unpacked
from pipelines.parse.magic import ACCESS, OUTLOOK
from pipelines.parse.parsed import Parsed
from pipelines.parse.programs import fault, output, output_pipe, program, started, write_into
from pipelines.parse.reader import FileFormat, signed
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.archives import BROKEN_TAR, Bounded, append_all, append_member
from pipelines.parse.web.dom import parse_html_text, text_of
from pipelines.parse.web.eml import name_of_mail

BSDTAR, SEVEN_ZIP, READPST, MDB_TABLES = ("bsdtar",), ("7zz", "7z", "7za"), ("readpst",), ("mdb-tables",)
"""The names of the commands."""
_SIZE = re.compile(r"^Size = (\d+)$", re.MULTILINE)
_INTERNAL = ("#", "$", "::")
"""Beginnings of the names of a help file's own data (CHM: tables of topics, strings and links)."""
_POSTMARK = re.compile(rb"(^Content-Type: message/rfc822\r?\n\r?\n)>From [^\n]*\n", re.MULTILINE)
"""The line of a mailbox with which readpst begins an attached mail, in front of its headers."""
_SKIPPED = re.compile(r" (\d{1,9}) items skipped\.$", re.MULTILINE)
"""The end of a line of readpst about a folder."""
_DATES = ("-D", "%Y-%m-%d", "-T", "%Y-%m-%d %H:%M:%S")
"""Options of mdb-export for dates and times as in ISO 8601."""


class LibarchiveReader:
    """Unpacks what bsdtar reads, as a stream of tar, so that nothing is written to disk."""

    formats = (
        signed("application/vnd.rar", ".rar"),
        signed("application/vnd.ms-cab-compressed", ".cab"),
        signed("application/x-compress", ".z"),
        signed("application/zstd", ".zst", ".zstd"),
        FileFormat("application/x-lzh-compressed", (".lzh", ".lha")),
        FileFormat("application/x-iso9660-image", (".iso",)),
        FileFormat("application/x-cpio", (".cpio",)),
    )
    name = "bsdtar"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        bsdtar = program(BSDTAR, "bsdtar (libarchive-tools)", source)
        limit = most_unpacked(path.stat().st_size, settings.limits)
        with tempfile.TemporaryFile() as said:
            with started([bsdtar, "-cf", "-", f"@{path.resolve()}"], said) as process:
                stream = io.BufferedReader(Bounded(output_pipe(process), limit, source.uri))
                with contextlib.suppress(*BROKEN_TAR):  # what bsdtar says is the reason
                    append_all(stream, builder)
            said.seek(0)
            failed = fault(process.returncode, said.read(), source)
        if failed is not None and not builder.empty:
            builder.left_out(issue=failed.message)
        elif failed is not None:
            raise failed
        return builder.build()


class HelpReader:
    """Unpacks compiled HTML help (CHM); its pages become documents."""

    formats = (signed("application/vnd.ms-htmlhelp", ".chm"),)
    name = "7z"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        seven_zip = program(SEVEN_ZIP, "7-Zip", source)
        listed = output([seven_zip, "l", "-slt", str(path.resolve())], source).decode("utf-8", "replace")
        check_archive([int(size) for size in _SIZE.findall(listed)], path.stat().st_size, source.uri, settings.limits)
        failed: Malformed | None = None
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            try:
                output([seven_zip, "x", "-y", f"-o{folder}", str(path.resolve())], source)
            except Malformed as error:
                failed = error
            for name, data in _files(Path(folder)):
                if not name.startswith(_INTERNAL) and not is_clutter(name):
                    append_member(name, data, builder)
        if failed is not None and builder.empty:
            raise failed
        if failed is not None:
            builder.left_out(issue=f"damaged, and read as far as it goes: {failed.message}")
        return builder.build()


class OutlookReader:
    """Unpacks data files of Outlook: mails, deleted ones too, become EML, contacts VCF, appointments and tasks ICS."""

    formats = (signed(OUTLOOK, ".pst", ".ost"),)
    name = "readpst"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        readpst = program(READPST, "readpst (pst-utils)", source, "export its mails as .eml or .msg")
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            command = [readpst, "-e", "-D", "-8", "-j", "0", "-o", folder, str(path.resolve())]
            said = write_into(Path(folder), command, source, most_unpacked(path.stat().st_size, settings.limits))
            for number, (name, data) in enumerate(_files(Path(folder)), 1):
                if number > settings.limits.members:
                    raise TooLarge(f"more than {settings.limits.members} mails", ids=(source.uri,))
                _append_item(PurePosixPath(name), data, builder)
        if skipped := sum(map(int, _SKIPPED.findall(said))):
            builder.left_out(issue=f"{skipped} items were not read: they are damaged, or neither mail nor appointment")
        return builder.build()


class AccessReader:
    """Exports the tables of Access databases as CSV; what is binary in a cell is left out."""

    formats = (signed(ACCESS, ".mdb", ".accdb"),)
    name = "mdbtools"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        mdb_tables = program(MDB_TABLES, "mdb-tables (mdbtools)", source, "export its tables as CSV")
        try:
            tables = output([mdb_tables, "-1", str(path.resolve())], source).decode("utf-8", "replace").splitlines()
        except Malformed as error:
            hint = "remove the password in Access, or export its tables as CSV"
            raise Malformed("the database is damaged or has a password", ids=(source.uri,), hint=hint) from error
        export = [f"{mdb_tables.removesuffix('tables')}export", "-b", "strip", "-B", *_DATES, "--", str(path.resolve())]
        for table in filter(None, tables):
            try:
                exported = output([*export, table], source)
            except Malformed as error:
                builder.left_out(issue=f"the table {table!r} was not read: {error.message}")
                continue
            append_member(f"{table.replace('/', ' ')}.csv", _without_markup(exported), builder)
        return builder.build()


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the files in a folder, sorted by name."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            yield file.relative_to(folder).as_posix(), file.read_bytes()


def _append_item(name: PurePosixPath, data: bytes, builder: DocumentBuilder) -> None:
    """Append an item of Outlook; a mail, which readpst numbers in its folder, is named by its subject too."""
    if name.suffix == ".eml" and name.stem.isdecimal():
        data = _POSTMARK.sub(rb"\1", data)
        name = name.with_name(name_of_mail(data, int(name.stem)))
    append_member(str(name), data, builder)


def _without_markup(exported: bytes) -> bytes:
    """Return a table with the texts of cells in HTML, which Access stores with these elements around paragraphs."""
    written = io.StringIO(newline="")
    rows = csv.reader(io.StringIO(exported.decode("utf-8", "replace"), newline=""))
    try:
        csv.writer(written).writerows(
            [_text(cell) if cell.startswith("<div") else cell for cell in row] for row in rows
        )
    except csv.Error:  # a cell longer than the library allows
        return exported
    return written.getvalue().encode()


def _text(html: str) -> str:
    return text_of(parse_html_text(html, ""))
