from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from make_sets import make_set, read_pages
from section_pages import pages_of

FILLER = "Die Verwaltung von Paketen geschieht auf der Kommandozeile und verlangt die Rechte des Systemverwalters. "
SECTION = """
<div class="section"><div class="titlepage"><h2 class="title">{number}. {heading}</h2></div>
<p>{body} Siehe <a class="xref" href="x.html">Abschnitt 3, „Ein anderer Titel“</a>.</p>
<dl><dt>Begriff</dt><dd><p>Eine Sperre verhindert, dass ein Paket {number} erneuert wird. Sie wird mit einem Befehl
gesetzt.</p></dd></dl>
</div>"""
HEADINGS = [f"Werkzeug {name} richtig einsetzen" for name in ("Hammer", "Zange", "Säge", "Feile", "Bohrer")]


def write_manual(folder: Path) -> None:
    folder.mkdir(parents=True)
    parts = [SECTION.format(number=f"2.{n}", heading=one, body=3 * FILLER) for n, one in enumerate(HEADINGS, 1)]
    inner = SECTION.format(number="2.9.1", heading="Gespräche mit Kunden führen", body=3 * FILLER)
    parts.append(f'<div class="section"><h2>2.9. Nur eine Hülle</h2>{inner}</div>')
    title = "<title>Kapitel 2. Werkzeuge</title>"
    (folder / "a.html").write_text(f"<html>{title}<body>{''.join(parts)}</body></html>", encoding="utf-8")


def test_a_section_is_a_page_without_its_heading_and_references(tmp_path: Path) -> None:
    write_manual(tmp_path / "manual")
    pages = list(pages_of(sorted((tmp_path / "manual").glob("*.html"))))
    assert [page.heading for page in pages] == [*HEADINGS, "Gespräche mit Kunden führen"]
    first = pages[0].page()
    assert HEADINGS[0] not in first
    assert "Ein anderer Titel" not in first
    assert "<title>Kapitel 2. Werkzeuge</title>" in first
    assert [sentence for sentence, _ in pages[0].definitions] == [
        "Eine Sperre verhindert, dass ein Paket 2.1 erneuert wird."
    ]


def test_questions_do_not_occur_in_the_pages_and_depend_on_the_seed(tmp_path: Path) -> None:
    write_manual(tmp_path / "usr/share/doc/debian/FAQ/de")

    def made(seed: int) -> tuple[list[str], list[tuple[str, str, str]]]:
        rng = random.Random(seed)
        pages, questions = make_set(read_pages(tmp_path, "faq", "de", rng, 10), rng, 5)
        asked = [(one.question, one.type, one.sources[0].file if one.sources else "") for one in questions]
        return [page.page() for page in pages], asked

    pages, asked = made(1)
    assert made(1) == (pages, asked)
    assert made(2)[1] != asked
    assert len(pages) == 5
    assert sorted(kind for _, kind, _ in asked) == ["definition", "heading", "heading", "heading", "unanswerable"]
    for text, kind, file in asked:
        assert all(text not in page for page in pages)
        assert (file == "") == (kind == "unanswerable")
        assert not file or file in {f"p{number:04}.html" for number in range(5)}
