"""A file that exceeds its limits keeps what was read, and the next run reads the rest."""

from __future__ import annotations

import base64
import math
import re
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from pipelines.core import codec
from pipelines.core.outcome import Status
from pipelines.parse.gallery import page_numbers
from pipelines.parse.limits import Clock, OutOfTime, ParseTask, as_current
from pipelines.parse.ocr.engine import OcrEngine, Raster
from pipelines.parse.ocr.pictures import UprightReading, read_upright
from pipelines.parse.ocr.stored import StoredText
from pipelines.parse.parse import parse, source_of
from pipelines.parse.parsed import NO_READINGS, Parsed, Readings
from pipelines.parse.pdf.reader import PdfReader
from pipelines.parse.settings import Limits, OcrSettings, ParseSettings
from tests.parse.conftest import ParseBytes
from tests.parse.pdf_pages import LOREM, Pdf, drawn

WORDS = ("Inlet valve", "Outlet valve", "Pump house", "Surge tank")


def ticking(limit: float) -> Clock:
    """A clock that advances by a second whenever it is read, for a file that has no second part."""
    ticks = count()
    return Clock(limit, 0.0, lambda: float(next(ticks)), whole_s=limit)


def png(text: str) -> bytes:
    return drawn(Pdf().page(300, 150).text(30, 80, text, size=24).data())


def page_of_pictures(*pictures: bytes) -> str:
    images = (f'<p><img src="data:image/png;base64,{base64.b64encode(data).decode()}"></p>' for data in pictures)
    return "<h1>Valves</h1><p>Three of them.</p>" + "".join(images) + "<p>The end.</p>"


@pytest.fixture
def ocr_calls(monkeypatch: pytest.MonkeyPatch) -> list[Raster]:
    """The pictures that OCR was called for."""
    given: list[Raster] = []

    def counted(engine: OcrEngine, image: Raster, stored: StoredText | None = None) -> UprightReading:
        given.append(image)
        return read_upright(engine, image, stored)

    monkeypatch.setattr("pipelines.parse.ocr.pictures.read_upright", counted)
    return given


def ocr(**values: object) -> ParseSettings:
    return ParseSettings(ocr=OcrSettings(**values))


def parsed_html(folder: Path, html: str, settings: ParseSettings, known: Readings = NO_READINGS) -> Parsed:
    path = folder / "valves.html"
    path.write_text(html)
    return parse(path, source_of(path, path.name), settings, known=known)


# -- pages


def read_pdf(folder: Path, data: bytes, task: ParseTask) -> Parsed:
    path = folder / "a.pdf"
    path.write_bytes(data)
    with as_current(task):
        return PdfReader().read(path, source_of(path, "a.pdf"), ParseSettings())


def test_pages_after_the_time_limit_are_listed_and_those_before_are_kept(tmp_path: Path) -> None:
    pdf = Pdf()
    for number in range(1, 31):
        pdf.page().text(60, 400, f"Valve number {number} opens at {number} bar.")
    parsed = read_pdf(tmp_path, pdf.data(), ParseTask(ticking(40)))
    assert parsed.status is Status.PARTIAL
    found = re.fullmatch(
        r"pages (\d+) to 30: not read: over 40 processor seconds \(parse\.limits\.cpu_s\)", parsed.reason
    )
    assert found is not None, parsed.reason
    first = int(found.group(1))
    assert first > 2
    assert parsed.unread == tuple(f"page {number}" for number in range(first, 31))
    assert parsed.document is not None
    assert f"Valve number {first - 1} opens" in parsed.document.text
    assert f"Valve number {first} opens" not in parsed.document.text


def test_the_next_run_reads_only_the_scans_that_are_missing(tmp_path: Path, ocr_calls: list[Raster]) -> None:
    pdf = Pdf()
    for word in WORDS:
        pdf.page(300, 150).picture(0, 0, 300, 150, png(word))
    data = pdf.data()
    # Only OCR takes time, ten seconds a page.
    clock = Clock(50, 0.0, lambda: 10.0 * len(ocr_calls), whole_s=50)
    first = read_pdf(tmp_path, data, ParseTask(clock))
    assert first.status is Status.PARTIAL
    assert first.again
    assert 0 < len(first.unread) < len(WORDS)
    before = len(ocr_calls)
    second = read_pdf(tmp_path, data, ParseTask(known=first.readings))
    assert len(ocr_calls) - before == len(first.unread)
    whole = read_pdf(tmp_path, data, ParseTask())
    assert codec.encode(second) == codec.encode(whole)
    assert whole.status is Status.INDEXED
    assert (whole.unread, whole.readings) == ((), {})


def test_a_text_over_its_time_keeps_what_was_read(tmp_path: Path) -> None:
    from pipelines.parse.web.markup import HtmlReader

    path = tmp_path / "a.html"
    path.write_text("".join(f"<p>Paragraph {number}.</p>" for number in range(1, 101)))
    task = ParseTask(ticking(50))
    with as_current(task), pytest.raises(OutOfTime, match=r"parse\.limits\.cpu_s") as caught:
        HtmlReader().read(path, source_of(path, path.name), ParseSettings())
    parsed = caught.value.so_far()
    assert parsed.status is Status.PARTIAL
    assert parsed.reason == "the rest was not read: over 50 processor seconds (parse.limits.cpu_s)"
    assert parsed.unread == ("rest",)
    assert not parsed.again
    assert parsed.document is not None
    assert "Paragraph 30." in parsed.document.text
    assert "Paragraph 99." not in parsed.document.text


def test_a_file_without_any_text_in_time_is_too_large(parse_bytes: ParseBytes) -> None:
    data = Pdf().page().text(60, 100, LOREM[:60]).data()
    parsed = parse_bytes("a.pdf", data, ParseSettings(limits=Limits(cpu_s=1e-9)))
    assert parsed.status is Status.TOO_LARGE
    assert parsed.reason == "no text (page 1: not read: over 1e-09 processor seconds (parse.limits.cpu_s))"


def test_members_of_an_archive_after_the_time_is_up_are_left_out(tmp_path: Path) -> None:
    from pipelines.parse.web.archives import ZipReader
    from tests.hostile.made import zipped

    path = tmp_path / "a.zip"
    path.write_bytes(zipped({f"{number}.txt": b"valve" for number in range(100)}))
    with as_current(ParseTask(ticking(50))), pytest.raises(OutOfTime, match=r"parse\.limits\.cpu_s") as caught:
        ZipReader().read(path, source_of(path, path.name), ParseSettings())
    assert 10 < len(caught.value.so_far().children) < 50


# -- figures


def test_figures_are_read_after_all_text_and_the_text_is_kept_before(tmp_path: Path) -> None:
    path = tmp_path / "valves.html"
    path.write_text(page_of_pictures(*map(png, WORDS)))
    kept: list[Parsed] = []
    whole = parse(path, source_of(path, path.name), ParseSettings(), checkpoint=kept.append)
    (text_only,) = kept
    assert text_only.status is Status.PARTIAL
    assert text_only.again
    assert len(text_only.unread) == len(WORDS)
    assert text_only.document is not None
    assert text_only.document.text == "Valves\n\nThree of them.\n\nThe end."
    assert text_only.pictures == whole.pictures
    assert whole.status is Status.INDEXED
    assert whole.document is not None
    assert [figure.ocr_text for figure in whole.document.figures] == list(WORDS)


def test_a_document_without_pictures_has_no_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "valves.html"
    path.write_text(page_of_pictures())
    kept: list[Parsed] = []
    parse(path, source_of(path, path.name), ParseSettings(), checkpoint=kept.append)
    assert kept == []


def test_skipped_pictures_are_counted_listed_and_read_by_the_next_runs(tmp_path: Path, ocr_calls: list[Raster]) -> None:
    html = page_of_pictures(*map(png, WORDS))
    one = ocr(figure_limit=1)
    whole = parsed_html(tmp_path, html, ParseSettings())
    runs = [parsed_html(tmp_path, html, one)]
    assert runs[0].status is Status.PARTIAL
    assert runs[0].reason == "3 of 4 pictures were not read off: more than 1 in one run (parse.ocr.figure_limit)"
    assert len(runs[0].unread) == 3
    before = len(ocr_calls)
    for _ in WORDS[1:]:
        runs.append(parsed_html(tmp_path, html, one, runs[-1].readings))
    assert len(ocr_calls) - before == 3
    assert [run.again for run in runs] == [True, True, True, False]
    assert codec.encode(runs[-1]) == codec.encode(whole)


def test_a_picture_used_twice_is_read_once(tmp_path: Path, ocr_calls: list[Raster]) -> None:
    parsed = parsed_html(tmp_path, page_of_pictures(png("Inlet valve"), png("Inlet valve")), ParseSettings())
    assert len(ocr_calls) == 1
    assert parsed.document is not None
    assert [figure.ocr_text for figure in parsed.document.figures] == ["Inlet valve"] * 2


def test_a_picture_of_two_documents_is_read_once(tmp_path: Path, ocr_calls: list[Raster]) -> None:
    first = parsed_html(tmp_path, page_of_pictures(png("Inlet valve")), ParseSettings())
    second = parsed_html(tmp_path, "<p>Another.</p>" + page_of_pictures(png("Inlet valve")), ParseSettings())
    assert len(ocr_calls) == 1
    texts = [figure.ocr_text for parsed in (first, second) if parsed.document for figure in parsed.document.figures]
    assert texts == ["Inlet valve"] * 2


def test_a_picture_without_text_is_not_read_again(tmp_path: Path, ocr_calls: list[Raster]) -> None:
    blank = drawn(Pdf().page(300, 150).data())
    html = page_of_pictures(blank, *map(png, WORDS[:2]))
    first = parsed_html(tmp_path, html, ocr(figure_limit=2))
    looked = len(ocr_calls)
    assert len(first.unread) == 1
    second = parsed_html(tmp_path, html, ocr(figure_limit=2), first.readings)
    assert second.status is Status.INDEXED
    assert len(ocr_calls) - looked == 1


def test_without_seconds_for_pictures_they_stay_unread_in_every_run(tmp_path: Path) -> None:
    parsed = parsed_html(tmp_path, page_of_pictures(*map(png, WORDS)), ocr(figures_cpu_s=0))
    assert parsed.status is Status.PARTIAL
    assert "4 of 4 pictures were not read off: over 0 processor seconds" in parsed.reason
    assert "parse.ocr.figures_cpu_s" in parsed.reason
    assert not parsed.again


def test_pictures_are_not_read_if_the_file_has_used_its_time(tmp_path: Path) -> None:
    from pipelines.parse.assemble import DocumentBuilder, Image

    path = tmp_path / "a.txt"
    path.write_text("valve")
    now = [0.0]
    with as_current(ParseTask(Clock(100, 0.0, lambda: now[0]))):
        builder = DocumentBuilder(source_of(path, "a.txt"), ParseSettings(), "test")
        builder.paragraph("valve")
        builder.figure(Image(png("Inlet valve")))
        now[0] = 95.0
        parsed = builder.build()
    assert parsed.reason == "1 of 1 pictures was not read off: over 100 processor seconds (parse.limits.cpu_s)"


def test_every_hundred_pages_get_the_time_of_a_file(tmp_path: Path) -> None:
    pages = Pdf()
    for number in range(1, 251):
        pages.page(300, 100).text(30, 50, f"Valve {number} is shut.", size=12)
    (tmp_path / "long.pdf").write_bytes(pages.data())
    source = source_of(tmp_path / "long.pdf", "long.pdf")
    begun: list[float] = []

    def read(whole_s: float) -> Parsed:
        clock = ticking(250)  # a part of the survey and 100 pages fit into this, 250 pages do not
        clock.whole_s = whole_s
        with as_current(ParseTask(clock, on_next_part=lambda: begun.append(clock.before_s))):
            return PdfReader().read(tmp_path / "long.pdf", source, ParseSettings())

    parsed = read(math.inf)
    assert (parsed.status, len(begun)) == (Status.INDEXED, 2)
    assert parsed.document is not None
    assert "Valve 250 is shut." in parsed.document.text
    assert 0 < begun[0] < begun[1]
    begun.clear()
    parsed = read(300)
    assert (parsed.status, begun) == (Status.PARTIAL, [])
    assert parsed.document is not None
    assert "to 250: not read: over 250 processor seconds" in parsed.reason


def test_a_long_scan_gets_the_time_of_a_file_several_times(tmp_path: Path, ocr_calls: list[Raster]) -> None:
    pdf = Pdf()
    for number in range(8):
        pdf.page(300, 150).picture(0, 0, 300, 150, png(f"Valve {number}"))
    begun: list[float] = []
    # Only OCR takes time, ten seconds a page: eight pages take more than the limit.
    clock = Clock(50, 0.0, lambda: 10.0 * len(ocr_calls))
    parsed = read_pdf(tmp_path, pdf.data(), ParseTask(clock, on_next_part=lambda: begun.append(clock.before_s)))
    assert (parsed.status, len(ocr_calls)) == (Status.INDEXED, 8)
    assert begun == [20, 40, 60, 80]  # three times for OCR, and once for reading the pages


def test_pages_that_share_an_issue_are_listed_together() -> None:
    assert page_numbers([3]) == "page 3"
    assert page_numbers([3, 7, 8, 9, 12]) == "pages 3, 7 to 9, 12"
    assert page_numbers([*range(1, 40, 2), 40]) == "pages 1, 3, 5, 7, 9 and 16 more"


def break_engine(monkeypatch: pytest.MonkeyPatch, least: int) -> None:
    """Let OCR fail for pictures whose shorter side has fewer than `least` pixels."""

    def breaking(engine: OcrEngine, image: Raster, stored: StoredText | None = None) -> UprightReading:
        if min(image.shape[:2]) < least:
            raise RuntimeError("no such tensor")
        return read_upright(engine, image, stored)

    monkeypatch.setattr("pipelines.parse.ocr.pictures.read_upright", breaking)


def test_a_picture_that_breaks_the_engine_does_not_affect_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_engine(monkeypatch, least=200)
    small = drawn(Pdf().page(300, 100).text(30, 60, "Small", size=24).data())
    parsed = parsed_html(tmp_path, page_of_pictures(small, png("Inlet valve")), ParseSettings())
    assert parsed.status is Status.INDEXED
    assert parsed.document is not None
    assert [figure.ocr_text for figure in parsed.document.figures] == ["", "Inlet valve"]
    assert "a picture was not read off: RuntimeError: no such tensor" in parsed.document.notes


def test_a_scan_that_breaks_the_engine_is_named_and_does_not_affect_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_engine(monkeypatch, least=250)
    pdf = Pdf().page(300, 150).picture(0, 0, 300, 150, png("Inlet valve"))
    pdf.page(300, 100).picture(0, 0, 300, 100, png("Outlet valve"))
    parsed = read_pdf(tmp_path, pdf.data(), ParseTask())
    assert (parsed.status, parsed.reason) == (Status.PARTIAL, "page 2: not readable: no such tensor")
    assert parsed.document is not None
    assert parsed.document.text == "Inlet valve"


def test_readings_survive_encoding(tmp_path: Path, ocr_calls: list[Raster]) -> None:
    pdf = Pdf().page(300, 150).picture(0, 0, 300, 150, png("Inlet valve"))
    task = ParseTask()
    read_pdf(tmp_path, pdf.data(), task)
    parsed = replace(Parsed(Status.PARTIAL), readings=task.read)
    assert parsed.readings
    assert codec.decode(codec.encode(parsed), Parsed) == parsed
