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
from typing import Any

from openpyxl import Workbook
from openpyxl.comments import Comment

from benchmarks.asked_folders import print_answered

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
    folders = tomllib.loads(TABLES.read_text(encoding="utf-8"))["folder"]
    print_answered(folders, lambda source, folder: write_workbooks(source, folder["sheet"]))


if __name__ == "__main__":
    main()
