"""Questions to pages of web sites and intranets: what a page is about, versions, branches, tasks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipelines import build
from pipelines.settings import load
from qa import KnowledgeBase
from qa.settings import QaSettings

PAGES = {
    "gauge.html": "<html lang=en><main><h1>CalPro 300</h1><p>Art. no. CP-300-G</p><p>£1,849.00 excl. VAT</p>"
    "<h2>Scope of delivery</h2><ul><li>Test hose</ul><h2>Others</h2><h3>CalPro 700</h3><p>£2,990.00</p></main>",
    "MNT-2291.html": "<html lang=en><title>[MNT-2291] Palletizer 3 stops - Tracker</title><h1>Palletizer 3 stops</h1>"
    "<dl><dt>Assignee:</dt><dd>Kofi Osei</dd></dl><dl><dt>Reporter:</dt><dd>Ines Brandt</dd></dl>"
    "<p>The gripper stops at layer 4. Alarm 217 is shown.</p>",
    "runbook.html": "<html lang=en><h1>Runbook compressor</h1><table><tr><th>Owner<td>Petra Lind<tr><th>State<td>"
    "Approved</table><h2>Open tasks</h2><ul class=inline-task-list><li class=checked>Order gaskets for the separator"
    "<li>Tomasz Wilk calibrates the gas sensor by 11 December</ul>",
    "branches.html": "<html lang=en><h1>Branches</h1><h2>Leeds</h2><p>14 Kirkstall Road<br>LS3 1LW Leeds</p>"
    "<p>+44 113 496 0200</p><h2>Bristol</h2><p>2 Feeder Road<br>BS2 0TH Bristol</p><p>+44 117 496 0311</p>",
    "notes.html": "<html lang=en><h1>PlantView release notes</h1><h2>4.2.0 28 October 2026</h2><h3>New</h3><ul><li>"
    "Dark mode</ul><h3>Removed</h3><ul><li>Support for Windows 8</ul><h2>4.1.3 2 September 2026</h2><h3>Fixed</h3><ul>"
    "<li>The export of trends lost the last line</ul>",
    "zweig.html": "<html lang=de><h1>Kontakt</h1><h3>Niederlassung Kassel</h3><p>Lilienthalstraße 25<br>34123 Kassel"
    "<br>Tel. 0561 50730-0</p><h3>Niederlassung Gera</h3><p>Am Stadtgraben 3<br>07545 Gera<br>Tel. 0365 77120-0</p>",
}  # fmt: skip


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("pages")
    source = folder / "source"
    source.mkdir()
    for name, html in PAGES.items():
        (source / name).write_text(f"<!doctype html>{html}", encoding="utf-8")
    settings = load(None, {"ingest.workers": 1}, QaSettings).settings
    build(source, folder / "kb", settings)
    with KnowledgeBase.open(folder / "kb", settings) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much does the CalPro 300 cost?", "1,849"),
        ("How much does the CalPro 700 cost?", "2,990"),
        ("What is the article number of the CalPro 300?", "CP-300-G"),
        ("What is included with the CalPro 300?", "Test hose"),
        ("Who is assigned to MNT-2291?", "Assignee: Kofi Osei"),
        ("Who reported MNT-2291?", "Reporter: Ines Brandt"),
        ("Who owns the runbook for the compressor?", "Petra Lind"),
        ("Who calibrates the gas sensor?", "Tomasz Wilk"),
        ("Which task of the runbook is still open?", "Open tasks"),
        ("Where is the Leeds branch?", "14 Kirkstall Road"),
        ("What is the phone number of the Bristol branch?", "+44 117 496 0311"),
        ("Which version removed support for Windows 8?", "4.2.0 28 October 2026; Removed: Support for Windows 8"),
        ("When was dark mode added?", "28 October 2026"),
        ("In which version was the export of trends fixed?", "4.1.3 2 September 2026"),
        ("When was PlantView 4.1.3 released?", "2 September 2026"),
        ("Welche Telefonnummer hat die Niederlassung Kassel?", "0561 50730-0"),
    ],
)
def test_a_question_to_pages_is_answered(knowledge: KnowledgeBase, question: str, answer: str) -> None:
    assert answer in knowledge.ask(question).text


def test_a_place_that_no_page_has_is_named(knowledge: KnowledgeBase) -> None:
    found = knowledge.ask("Welche Telefonnummer hat die Niederlassung Bremen?")
    assert found.abstained
    assert "No document has the name Bremen." in found.warnings
