"""Tests of formats that other programs convert to PDF, with the real programs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pymupdf
import pytest

from pipelines.core.document import BlockKind
from pipelines.core.outcome import Status
from pipelines.parse.image import draw_page
from pipelines.parse.settings import Limits, ParseSettings
from tests.parse.conftest import ParseBytes

POSTSCRIPT = (
    b"%!PS-Adobe-3.0\n/Helvetica findfont 12 scalefont setfont 72 700 moveto (Bearing torque 45 Nm) show showpage\n"
)
EPS = POSTSCRIPT.replace(b"-3.0\n", b"-3.0 EPSF-3.0\n%%BoundingBox: 60 690 260 720\n")
JOB = b"\x1b%-12345X@PJL JOB\n@PJL ENTER LANGUAGE=POSTSCRIPT\n" + POSTSCRIPT
needs_ghostscript = pytest.mark.skipif(not shutil.which("gs"), reason="Ghostscript is not installed")
needs_djvu = pytest.mark.skipif(not shutil.which("ddjvu"), reason="DjVuLibre is not installed")


@needs_ghostscript
@pytest.mark.parametrize(("name", "data"), [("a.ps", POSTSCRIPT), ("a.eps", EPS), ("a.prn", JOB)])
def test_postscript_is_read_as_pages(name: str, data: bytes, parse_bytes: ParseBytes) -> None:
    document = parse_bytes(name, data).document
    assert document is not None
    assert document.text.strip() == "Bearing torque 45 Nm"
    assert document.source.media_type == "application/postscript"
    [page] = document.pages
    assert (page.width < page.height) is (data is not EPS)


@needs_ghostscript
def test_postscript_with_an_error_is_read_as_far_as_it_runs(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.ps", POSTSCRIPT + b"no-such-operator 72 700 moveto (never) show showpage\n")
    assert parsed.document is not None
    assert parsed.document.text.strip() == "Bearing torque 45 Nm"
    assert parsed.status is Status.PARTIAL
    assert "Error: /undefined in no-such-operator" in parsed.reason


@needs_ghostscript
def test_postscript_cannot_read_other_files(tmp_path: Path, parse_bytes: ParseBytes) -> None:
    (tmp_path / "secret").write_text("(the password)")
    script = f"%!PS\n({tmp_path}/secret) run 72 700 moveto /Helvetica findfont 12 scalefont setfont show showpage\n"
    assert parse_bytes("a.ps", script).status is Status.MALFORMED


@needs_ghostscript
def test_postscript_cannot_write_to_its_own_file(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    overwritten = "{ (w) file dup (lost) writestring closefile } stopped clear"
    found = f"({tmp_path}/*) {{ dup length string copy {overwritten} }} 500 string filenameforall"
    script = f"%!PS\n{found}\n".encode() + POSTSCRIPT
    assert parse_bytes("a.ps", script).status is not Status.UNSUPPORTED
    assert [path.read_bytes() for path in tmp_path.rglob("a.ps")] == [script]


@pytest.mark.parametrize(("name", "data"), [("a.ps", POSTSCRIPT), ("a.djvu", b"AT&TFORM" + bytes(40))])
def test_without_the_programs_the_files_are_unsupported(
    name: str, data: bytes, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    parsed = parse_bytes(name, data)
    assert parsed.status is Status.UNSUPPORTED
    assert "or convert it to PDF" in parsed.reason


def djvu(folder: Path, text: str, hidden: str = "") -> bytes:
    """Return a DjVu file with a page that shows `text`, and before it an empty one; `hidden` is its stored text."""
    with pymupdf.open() as pages:
        pages.new_page(width=300, height=200)
        pages.new_page(width=300, height=200).insert_text((30, 60), text, fontsize=14)
        for number, page in enumerate(pages):
            picture = page.get_pixmap(dpi=200, colorspace=pymupdf.csGRAY)
            picture.save(folder / f"{number}.pgm")
            (folder / f"{number}.pgm").write_bytes(picture.tobytes("pgm"))
            run("c44", "-dpi", "200", folder / f"{number}.pgm", folder / f"{number}.djvu")
        if hidden:
            box = " ".join(
                str(round(side * 200 / 72))
                for side in (30, 200 - 64, 30 + pymupdf.get_text_length(text, fontsize=14), 200 - 45)
            )
            size = f"{picture.width} {picture.height}"
            (folder / "text").write_text(f'(page 0 0 {size} (line {box} (word {box} "{hidden}")))', "utf-8")
            run("djvused", folder / "1.djvu", "-e", f"select 1; set-txt {folder / 'text'}", "-s")
    run("djvm", "-c", folder / "whole.djvu", folder / "0.djvu", folder / "1.djvu")
    return (folder / "whole.djvu").read_bytes()


def run(*command: object) -> None:
    subprocess.run(list(map(str, command)), check=True, capture_output=True)


@needs_djvu
def test_a_djvu_has_the_text_behind_its_pages_at_its_place(tmp_path: Path, parse_bytes: ParseBytes) -> None:
    data = djvu(tmp_path, 'Bearing torque "45" Nm', 'Bearing torque \\"45\\" Nm')
    document = parse_bytes("a.djvu", data).document
    assert document is not None
    assert document.text.strip() == 'Bearing torque "45" Nm'
    [block] = [one for one in document.blocks if one.kind is BlockKind.PARAGRAPH]
    [box] = block.provenance.boxes
    assert block.provenance.pages() == (2,)
    assert (box.left, box.bottom) == (pytest.approx(0.1, abs=0.02), pytest.approx(0.32, abs=0.02))


@needs_djvu
def test_pages_around_a_damaged_one_keep_their_numbers(tmp_path: Path, parse_bytes: ParseBytes) -> None:
    data = djvu(tmp_path, "Bearing torque 45 Nm", "Bearing torque 45 Nm")
    picture = data.index(b"BG44")
    parsed = parse_bytes("a.djvu", data[:picture] + b"XX44" + data[picture + 4 :])
    assert parsed.document is not None
    assert parsed.document.text.strip() == "Bearing torque 45 Nm"
    assert {block.provenance.pages() for block in parsed.document.blocks} == {(2,)}
    assert parsed.status is Status.PARTIAL
    assert "page 1: damaged" in parsed.reason


@needs_djvu
def test_the_text_before_the_end_of_a_djvu_that_is_cut_short_is_kept(tmp_path: Path, parse_bytes: ParseBytes) -> None:
    djvu(tmp_path, "Bearing torque 45 Nm", "Bearing torque 45 Nm")
    pages = tmp_path / "two.djvu"
    run("djvm", "-c", pages, tmp_path / "1.djvu", tmp_path / "0.djvu")
    parsed = parse_bytes("a.djvu", pages.read_bytes()[:-40])
    assert parsed.document is not None
    assert parsed.document.text.strip() == "Bearing torque 45 Nm"
    assert parsed.status is Status.PARTIAL
    assert "page 2: damaged" in parsed.reason


@needs_djvu
def test_a_djvu_without_text_is_read_by_ocr(tmp_path: Path, parse_bytes: ParseBytes) -> None:
    document = parse_bytes("a.djvu", djvu(tmp_path, "Bearing torque 45 Nm")).document
    assert document is not None
    assert document.text.strip() == "Bearing torque 45 Nm"


@needs_djvu
def test_a_djvu_with_too_many_pages_is_not_converted(tmp_path: Path, parse_bytes: ParseBytes) -> None:
    settings = ParseSettings(limits=Limits(pages=1))
    assert parse_bytes("a.djvu", djvu(tmp_path, "Bearing"), settings).status is Status.TOO_LARGE


@pytest.mark.parametrize(("kind", "command"), [("djvu", "ddjvu"), ("postscript", "gs")])
def test_a_page_is_drawn_as_it_is(kind: str, command: str, tmp_path: Path) -> None:
    if not shutil.which(command):
        pytest.skip(f"{command} is not installed")
    path, page = tmp_path / "drawn", 2 if kind == "djvu" else 1
    path.write_bytes(djvu(tmp_path, "Bearing torque") if kind == "djvu" else POSTSCRIPT)
    picture = draw_page(path, "image/vnd.djvu" if kind == "djvu" else "application/postscript", page)
    assert min(pymupdf.Pixmap(picture).samples) < 100
    path.write_bytes(b"AT&TFORM")
    assert draw_page(path, "image/vnd.djvu", 1) == b""
