"""Workbooks of companies: whether what they say is found, whatever surrounds their tables.

    python -m benchmarks.workbooks

Each folder of `workbooks.toml` has a few workbooks, with title blocks, forms, names of groups that are written once,
units, notes, comments and columns with gaps, and questions to all of them; some have no answer there. An answer is
right if it has the words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from openpyxl import Workbook
from openpyxl.comments import Comment

from benchmarks.mails import asked

TABLES = Path(__file__).with_suffix(".toml")


def write_workbooks(folder: Path, sheets: Sequence[Mapping[str, Any]]) -> None:
    """Write the workbooks of a folder; consecutive sheets with the same file are in one."""
    files: dict[str, Workbook] = {}
    for sheet in sheets:
        workbook = files.setdefault(sheet["file"], Workbook())
        _write_sheet(workbook, sheet)
    for name, workbook in files.items():
        del workbook["Sheet"]  # the one that is there from the beginning
        workbook.save(folder / name)


def _write_sheet(workbook: Workbook, sheet: Mapping[str, Any]) -> None:
    written = workbook.create_sheet(sheet["name"])
    for row, values in enumerate(sheet["rows"], 1):
        for column, value in enumerate(values, 1):
            if value != "":
                written.cell(row, column, value)
    for area in sheet.get("merged", ()):
        written.merge_cells(area)
    for cell, (author, text) in sheet.get("comments", {}).items():
        written[cell].comment = Comment(text, author)


def main() -> None:
    for folder in tomllib.loads(TABLES.read_text(encoding="utf-8"))["folder"]:
        with TemporaryDirectory() as temporary:
            source = Path(temporary) / "source"
            source.mkdir()
            write_workbooks(source, folder["sheet"])
            right, doubted = asked(Path(temporary), [tuple(one) for one in folder["questions"]])
        answerable = sum(bool(words) for _, words in folder["questions"])
        others = len(folder["questions"]) - answerable
        print(f"{folder['language']}: {right} of {answerable}, refused or doubted {doubted} of {others}", flush=True)


if __name__ == "__main__":
    main()
