"""Tests of scans in scripts that RapidOCR lacks, with the real Tesseract where its models are installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pymupdf
import pytest

from pipelines import build
from pipelines.core.outcome import Status
from pipelines.parse.ocr.engine import Raster, ocr_engine
from pipelines.parse.ocr.more_scripts import MoreScripts
from pipelines.parse.ocr.pictures import decoded
from pipelines.parse.ocr.rapid import RapidOcr
from pipelines.parse.ocr.tesseract import Recognized, Word, installed_models, recognize
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import OcrSettings, ParseSettings
from tests.parse.conftest import ParseBytes

RUSSIAN = (
    "<h2>Насосная станция PS-40</h2><p>Рабочее давление не должно превышать 6 бар. Масло меняют каждые 3 000 часов"
    " работы. Фильтр каждую неделю чистит ремонтная бригада.</p>"
)
VIETNAMESE = (
    "<p>Trạm bơm hoạt động từ ngày 12 tháng 3 năm 2019. Bể chứa có dung tích 4.500 lít. Không được để bơm chạy khô vì"
    " phớt trục sẽ bị phá hủy. Áp suất làm việc không được vượt quá 6 bar.</p>"
)
ARABIC = (
    "<p>تبلغ سعة الخزان 4500 لتر. يدور المحرك بسرعة 1450 دورة في الدقيقة. استخدم زيتا معدنيا من فئة اللزوجة ISO VG 46."
    " تطلب قطع الغيار من شركة Hydrotec في غراتس.</p>"
)
WITHOUT = ParseSettings(ocr=OcrSettings(tesseract=False))


def scan(*pages: str) -> bytes:
    """Return a PDF of pictures of HTML pages."""
    with pymupdf.open() as drawn, pymupdf.open() as scanned:
        for html in pages:
            drawn.new_page().insert_htmlbox(pymupdf.Rect(50, 50, 545, 600), html)
            picture = drawn[-1].get_pixmap(dpi=150).tobytes("png")
            scanned.new_page().insert_image(pymupdf.Rect(0, 0, 595, 842), stream=picture)
        return bytes(scanned.tobytes())


def text_of(parsed: Parsed) -> str:
    assert parsed.document is not None, parsed.reason
    return parsed.document.text


def with_model(*names: str) -> pytest.MarkDecorator:
    missing = not set(names).intersection(installed_models())
    return pytest.mark.skipif(missing, reason=f"Tesseract with one of the models {', '.join(names)} is not installed")


@with_model("Cyrillic", "rus")
def test_a_scan_in_cyrillic_is_read_by_tesseract_and_its_latin_words_by_rapidocr(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.pdf", scan(RUSSIAN))
    assert (parsed.status, parsed.reason, parsed.unread) == (Status.INDEXED, "", ())
    assert "Насосная станция PS-40" in text_of(parsed)
    assert "Рабочее давление не должно превышать 6 бар." in text_of(parsed)


@with_model("Arabic", "ara")
def test_latin_words_in_a_right_to_left_line_are_in_their_order(parse_bytes: ParseBytes) -> None:
    text = text_of(parse_bytes("a.pdf", scan(ARABIC)))
    assert "4500 لتر" in text
    assert "ISO VG 46" in text
    assert "Hydrotec" in text


@with_model("Cyrillic", "rus")
def test_a_page_in_two_scripts_is_read_by_both_engines(parse_bytes: ParseBytes) -> None:
    english = "<p>The relief valve opens at the set pressure and closes again when the pressure has fallen.</p>"
    text = text_of(parse_bytes("a.pdf", scan(english + RUSSIAN)))
    assert "The relief valve opens at the set pressure" in text
    assert "Фильтр каждую неделю чистит" in text


@with_model("Cyrillic", "rus")
def test_a_model_that_does_not_exist_reads_nothing() -> None:
    line = decoded(pymupdf.open(stream=scan(RUSSIAN))[0].get_pixmap(dpi=150).tobytes("png"))[100:160]
    assert recognize([line, line], "no such model")[1].text == ""


def test_words_in_the_margin_of_a_line_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [
        Word("Рабочее", 0.95, 0, 80), Word("5", 0.9, -4, -3),
        Word("давление", 0.95, 90, 200), Word("7", 0.9, 9999, 10000),
    ]  # fmt: skip

    def scripted(pictures: Sequence[Raster], model: str) -> list[Recognized]:
        return [Recognized(tuple(words))] * len(pictures)

    monkeypatch.setattr("pipelines.parse.ocr.more_scripts.recognize", scripted)
    page = decoded(pymupdf.open(stream=scan(RUSSIAN))[0].get_pixmap(dpi=150).tobytes("png"))
    read = MoreScripts(RapidOcr(OcrSettings()), ["Cyrillic"]).read(page)
    assert "Рабочее 5 давление 7" in [reading.text for reading in read]


def test_a_scan_that_is_not_legible_is_said_to_be(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.pdf", scan("<p>The relief valve opens at the set pressure.</p>", RUSSIAN * 2), WITHOUT)
    assert parsed.status is Status.PARTIAL
    assert "page 2: text not legible" in parsed.reason
    assert (parsed.unread, parsed.again) == (("page 2",), False)
    assert text_of(parsed) == "The relief valve opens at the set pressure."


def test_a_picture_that_is_not_legible_is_empty_with_a_reason(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.pdf", scan(RUSSIAN * 2), WITHOUT)
    assert parsed.status is Status.EMPTY
    assert "text not legible" in parsed.reason
    assert "Tesseract" in parsed.reason


def test_words_without_their_accents_are_kept_and_reported(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.pdf", scan(VIETNAMESE), WITHOUT)
    assert parsed.status is Status.PARTIAL
    assert "words lack letters that the OCR engine does not know" in parsed.reason
    assert "Vietnamese" in parsed.reason
    assert "4.500" in text_of(parsed)


def test_latin_and_chinese_scans_have_no_issue(parse_bytes: ParseBytes) -> None:
    page = "<p>Přetlakový ventil se otevře. Żółta łódź, größer, élève.</p><p>压力变送器应垂直安装在管道上方</p>"
    parsed = parse_bytes("a.pdf", scan(page), WITHOUT)
    assert (parsed.status, parsed.reason) == (Status.INDEXED, "")


@pytest.fixture
def without_tesseract(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Hide Tesseract, as if it were not installed yet."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("sh", "python3"):
        (folder / name).symlink_to(Path(shutil.which(name) or name))
    monkeypatch.setenv("PATH", str(folder))  # not in a context, after which a test's own change would undo to this one
    ocr_engine.cache_clear()
    yield
    ocr_engine.cache_clear()


@with_model("Cyrillic", "rus")
def test_illegible_scans_are_read_again_once_tesseract_is_installed(
    tmp_path: Path, without_tesseract: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "scan.pdf").write_bytes(scan(RUSSIAN * 2))
    (folder / "page.txt").write_text("The relief valve opens at 8 bar.")
    first, again = build(folder, tmp_path / "kb"), build(folder, tmp_path / "kb")
    assert (first.documents, again.changes["unchanged"]) == ({"indexed": 1, "empty": 1}, 2)
    monkeypatch.setenv("PATH", os.defpath)  # found without a new start of this process
    third, fourth = build(folder, tmp_path / "kb"), build(folder, tmp_path / "kb")
    assert third.documents == {"indexed": 2}
    assert (third.changes["unchanged"], fourth.changes["unchanged"]) == (1, 2)
