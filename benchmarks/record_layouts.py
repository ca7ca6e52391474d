"""The same records in many layouts: whether answers depend on how a document writes them.

    python benchmarks/record_layouts.py [LANGUAGE ...]

Prices, changes, a maintenance plan, minutes and a form, as in `record_layouts.toml`, are each written as tables, turned
tables, cards, sections, lists and lines, one document for each form. The same questions are asked of each; an answer is
right if it has the words. Of the languages, English was used to make the rules.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import docx
import openpyxl
import pptx
from pptx.util import Inches

from pipelines import build
from pipelines.settings import load
from qa import KnowledgeBase
from qa.settings import QaSettings

TABLES = Path(__file__).with_suffix(".toml")
Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class Records:
    """A table with its title, and the questions to it with the words of an answer."""

    language: str
    kind: str
    title: str
    head: Row
    rows: Sequence[Row]
    questions: Sequence[tuple[str, str]]

    @property
    def turned(self) -> list[Row]:
        """The table with a record in each column."""
        return list(zip(self.head, *self.rows, strict=True))


def _html(rows: Sequence[Row], header: Callable[[int, int], bool]) -> str:
    cells = (
        "".join(f"<th>{cell}</th>" if header(row, place) else f"<td>{cell}</td>" for place, cell in enumerate(texts))
        for row, texts in enumerate(rows)
    )
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def _fields(records: Records, record: str, field: str) -> str:
    """Return each record with its first cell in the form `record`, and the others, each as a `field` with its label."""
    first, *others = records.head
    return "".join(
        record.format(first=row[0], label=first, fields="".join(map(field.format, others, row[1:])))
        for row in records.rows
    )


def _columns(records: Records) -> str:
    widths = [max(map(len, column)) + 2 for column in records.turned]
    rows = (records.head, *records.rows)
    return "".join("".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)


def _bars(rows: Sequence[Row]) -> str:
    first, *others = (f"| {' | '.join(row)} |\n" for row in rows)
    return first + "|---" * len(rows[0]) + "|\n" + "".join(others)


TEXTS: Mapping[str, Callable[[Records], str]] = {
    "table.html": lambda one: _html((one.head, *one.rows), lambda row, _: row == 0),
    "turned.html": lambda one: _html(one.turned, lambda _, column: column == 0),
    "cards.html": lambda one: _fields(one, "<h3>{first}</h3>{fields}", "<p>{}: {}</p>"),
    "items.html": lambda one: f"<ol>{_fields(one, '<li>{first}{fields}</li>', '<br>{}: {}')}</ol>",
    "nested.html": lambda one: f"<ul>{_fields(one, '<li>{first}<ul>{fields}</ul></li>', '<li>{}: {}</li>')}</ul>",
    "above.html": lambda one: _fields(one, "<p>{label}</p><p>{first}</p>{fields}", "<p>{}</p><p>{}</p>"),
    "table.md": lambda one: _bars((one.head, *one.rows)),
    "sections.md": lambda one: _fields(one, "## {first}\n\n{fields}\n", "{}: {}\n\n"),
    "blocks.txt": lambda one: _fields(one, "{first}\n{fields}\n", "{}: {}\n"),
    "labelled.txt": lambda one: _fields(one, "{label}: {first}\n{fields}\n", "{}: {}\n"),
    "columns.txt": _columns,
    "tabs.txt": lambda one: "".join("\t".join(row) + "\n" for row in (one.head, *one.rows)),
}
HEADS = {"html": "<!doctype html><title>{0}</title><h1>{0}</h1>", "md": "# {0}\n\n", "txt": "{0}\n\n"}


def _sheet(rows: Sequence[Row], path: Path, title: str = "") -> None:
    book = openpyxl.Workbook()
    sheet = book.create_sheet(index=0)
    for row in ([("", title), ()] if title else []) + [("", *row) if title else row for row in rows]:
        sheet.append([cell or None for cell in row])
    book.save(path)


def _word(one: Records, path: Path) -> None:
    document = docx.Document()
    document.add_heading(one.title, 0)
    for row in (one.head, *one.rows):
        document.add_paragraph("\t".join(row))
    document.save(str(path))


def _slide(one: Records, path: Path) -> None:
    show = pptx.Presentation()
    page = show.slides.add_slide(show.slide_layouts[5])
    page.shapes.title.text = one.title
    size = (len(one.rows) + 1, len(one.head))
    table = page.shapes.add_table(*size, Inches(0.5), Inches(1.5), Inches(9), Inches(4)).table
    for number, row in enumerate((one.head, *one.rows)):
        for place, cell in enumerate(row):
            table.cell(number, place).text = cell
    show.save(str(path))


FILES: Mapping[str, Callable[[Records, Path], None]] = {
    "titled.xlsx": lambda one, path: _sheet((one.head, *one.rows), path, one.title),
    "turned.xlsx": lambda one, path: _sheet(one.turned, path),
    "tabs.docx": _word,
    "table.pptx": _slide,
}


def right(records: Records, form: str, folder: Path) -> int:
    """Return how many questions are answered rightly over one document in a form."""
    source = folder / "source"
    source.mkdir(parents=True)
    if form in FILES:
        FILES[form](records, source / form)
    else:
        head = HEADS[form.rpartition(".")[2]].format(records.title)
        (source / form).write_text(head + TEXTS[form](records), "utf-8")
    settings = load(None, {"ingest.workers": 1}, QaSettings).settings
    build(source, folder / "kb", settings)
    with KnowledgeBase.open(folder / "kb", settings) as knowledge:
        answers = [(knowledge.ask(question), words) for question, words in records.questions]
    return sum(not answer.abstained and _has(answer.text, words) for answer, words in answers)


def _has(text: str, words: str) -> bool:
    found = text.casefold()
    return any(all(word in found for word in one.casefold().split("&")) for one in words.split("|"))


def main(languages: Sequence[str]) -> None:
    tables = [Records(**table) for table in tomllib.loads(TABLES.read_text("utf-8"))["table"]]
    for language in languages or sorted({table.language for table in tables}):
        found, asked = Counter[str](), Counter[str]()
        for records in (table for table in tables if table.language == language):
            for form in (*TEXTS, *FILES):
                with TemporaryDirectory() as folder:
                    count = right(records, form, Path(folder))
                for name in (form, records.kind, "all"):
                    found[name] += count
                    asked[name] += len(records.questions)
        for name, count in found.items():
            print(f"{language} {name:14}{count} of {asked[name]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
