"""Questions to the same facts in cards, sections, lists and tables with a thing in each column."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines import build
from pipelines.settings import load
from qa import KnowledgeBase
from qa.settings import QaSettings

CHANGES = [
    ("2.3", "12 May 2025", "Keller", "Alarm delay for each channel"),
    ("2.2", "3 February 2025", "Ortiz", "No crash if the log is full"),
    ("2.1", "20 October 2024", "Novak", "New menu for calibration"),
]
FORMS = {
    "blocks.txt": "Version: {}\nDate: {}\nAuthor: {}\nChange: {}\n\n",
    "headings.html": "<h2>Version {0} ({1})</h2><p>{3}</p><p>Author: {2}</p>",
    "lines.txt": "V{}, {}, {}: {}\n",
    "labels.html": "<p>Version</p><p>{}</p><p>Date</p><p>{}</p><p>Author</p><p>{}</p><p>Change</p><p>{}</p>",
    "tabs.txt": "{}\t{}\t{}\t{}\n",
}
COLUMNS = "".join(
    f"<tr><th>{name}</th>{''.join(f'<td>{change[place]}</td>' for change in CHANGES)}</tr>"
    for place, name in enumerate(("Version", "Date", "Author", "Change"))
)


def ask(folder: Path, name: str, text: str, *questions: str) -> list[str]:
    source = folder / "source"
    source.mkdir()
    (source / name).write_text(text, "utf-8")
    settings = load(None, {"ingest.workers": 1}, QaSettings).settings
    build(source, folder / "kb", settings)
    with KnowledgeBase.open(folder / "kb", settings) as knowledge:
        return [knowledge.ask(question).text for question in questions]


@pytest.mark.parametrize("name", [*FORMS, "columns.html"])
def test_an_entry_of_a_log_is_answered_as_a_row(name: str, tmp_path: Path) -> None:
    head = "Version\tDate\tAuthor\tChange\n" if name == "tabs.txt" else ""
    body = (
        f"<table>{COLUMNS}</table>" if name == "columns.html" else "".join(FORMS[name].format(*one) for one in CHANGES)
    )
    title = "<h1>Changes</h1>" if name.endswith("html") else "Changes\n\n"
    when, who, which = ask(
        tmp_path,
        name,
        title + head + body,
        "When was version 2.1 released?",
        "Who is the author of version 2.2?",
        "In which version was the alarm delay added?",
    )
    assert ("October" in when, "Ortiz" in who, "2.3" in which) == (True, True, True)


def test_a_heading_tells_when_what_is_below_was_done(tmp_path: Path) -> None:
    text = (
        "# Changes\n\n## [2.3] - 12 May 2025\n\n- Alarm delay\n\n## [2.2] - 3 February 2025\n\n- New menu\n- No logs\n"
    )
    since, when = ask(tmp_path, "log.md", text, "Since when is there a new menu?", "When was version 2.3 released?")
    assert ("February" in since, "May" in when) == (True, True)


def test_a_question_that_names_only_a_column_gets_it_whole(tmp_path: Path) -> None:
    text = "| Shift | Monday | Tuesday |\n|---|---|---|\n| Early | Keller | Ortiz |\n| Late | Novak | Rossi |\n"
    (answer,) = ask(tmp_path, "shifts.md", text, "Who works on Tuesday?")
    assert ("Ortiz" in answer, "Rossi" in answer, "Keller" in answer) == (True, True, False)


def test_a_mark_counts_for_its_column(tmp_path: Path) -> None:
    text = "| Work | daily | weekly |\n|---|---|---|\n| Check the belt | | x |\n| Test the stop | x | |\n"
    daily, often = ask(tmp_path, "plan.md", text, "What has to be done daily?", "How often is the belt checked?")
    assert ("Test the stop" in daily, "belt" in daily, "weekly" in often) == (True, False, True)


def test_the_rows_of_a_form_are_about_the_thing_in_one_of_them(tmp_path: Path) -> None:
    rows = ("Machine | Press PX 80", "Date of inspection | 14 March 2025", "Leak test | passed")
    text = "| Item | Result |\n|---|---|\n" + "".join(f"| {row} |\n" for row in rows)
    (answer,) = ask(tmp_path, "form.md", text, "When was the PX 80 inspected?")
    assert "14 March 2025" in answer


def test_the_cheapest_is_found_where_no_passage_says_what_is_sold(tmp_path: Path) -> None:
    text = "Prices\n\n" + "".join(
        f"{name}\nPrice: {price} EUR\n\n" for name, price in (("Filter", 36), ("Seal", 3), ("Hose", 8))
    )
    article, seal = ask(tmp_path, "prices.txt", text, "Which is the cheapest article?", "What does the filter cost?")
    assert ("Seal" in article, "Hose" in article, "36" in seal) == (True, False, True)
