"""A small markup for technical documents, read into typed blocks.

The sources in ``content`` start with a TOML header between ``+++`` lines.  After it, blocks are separated
by blank lines: ``# heading``, ``- item``, ``1. item``, paragraphs, ``!figure name | caption`` and tables.
In a table the cell ``<`` is merged with its left neighbour and ``^`` with the cell above; the rows before the
``|---|`` line form the head.  Inline: ``**bold**``, ``*italic*``, ``[text](target)`` and ``[^1]`` (footnote).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

CONTENT = Path(__file__).parent / "content"


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class ListBlock:
    ordered: bool
    items: tuple[str, ...]


@dataclass(frozen=True)
class Figure:
    name: str
    caption: str


@dataclass(frozen=True)
class Table:
    caption: str
    rows: tuple[tuple[str, ...], ...]
    head: int

    def spans(self) -> list[tuple[int, int, int, int]]:
        """Merged areas as (first row, first column, last row, last column)."""
        return [span for span in self._areas() if span[:2] != span[2:]]

    def _areas(self) -> list[tuple[int, int, int, int]]:
        areas = []
        for top, row in enumerate(self.rows):
            for left, cell in enumerate(row):
                if cell in ("<", "^"):
                    continue
                right = left
                while right + 1 < len(row) and row[right + 1] == "<":
                    right += 1
                bottom = top
                while bottom + 1 < len(self.rows) and self.rows[bottom + 1][left] == "^":
                    bottom += 1
                areas.append((top, left, bottom, right))
        return areas


Block = Heading | Paragraph | ListBlock | Figure | Table


@dataclass(frozen=True)
class Document:
    meta: dict[str, str | int | bool]
    blocks: list[Block]
    notes: dict[str, str] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """A string of the header, empty when it is missing."""
        return str(self.meta.get(key, ""))


@dataclass(frozen=True)
class Run:
    """A stretch of inline text with one style."""

    text: str
    style: str = ""  # "", "bold", "italic", "link" or "note"
    target: str = ""


INLINE = re.compile(
    r"\*\*(?P<bold>.+?)\*\*|\*(?P<italic>.+?)\*|\[\^(?P<note>\w+)\]|\[(?P<link>[^\]]+)\]\((?P<to>[^)]+)\)"
)
NOTE = re.compile(r"\[\^(\w+)\]: (.+)")


def runs(text: str) -> list[Run]:
    """Split inline markup into runs."""
    found: list[Run] = []
    end = 0
    for match in INLINE.finditer(text):
        if match.start() > end:
            found.append(Run(text[end : match.start()]))
        style = str(match.lastgroup if match.lastgroup != "to" else "link")
        found.append(Run(match[style], style, match["to"] or ""))
        end = match.end()
    if end < len(text):
        found.append(Run(text[end:]))
    return found


def read(name: str) -> Document:
    """Read one source file from the content folder."""
    _, header, body = (CONTENT / name).read_text("utf-8").split("+++\n", 2)
    blocks: list[Block] = []
    notes: dict[str, str] = {}
    for chunk in re.split(r"\n\s*\n", body.strip()):
        if note := NOTE.fullmatch(chunk.strip()):
            notes[note[1]] = note[2]
        else:
            blocks.append(_block(chunk.strip()))
    return Document(tomllib.loads(header), blocks, notes)


def _block(chunk: str) -> Block:
    if heading := re.match(r"(#+) (.+)", chunk):
        return Heading(len(heading[1]), heading[2])
    if chunk.startswith("!figure "):
        name, caption = chunk.removeprefix("!figure ").split("|", 1)
        return Figure(name.strip(), caption.strip())
    if chunk.startswith(("Table: ", "| ")):
        return _table(chunk)
    if marker := re.match(r"(- |1\. )", chunk):
        items = (re.sub(r"^(- |\d+\. )", "", line) for line in chunk.splitlines())
        return ListBlock(marker[1] != "- ", tuple(items))
    return Paragraph(" ".join(chunk.split()))


def _table(chunk: str) -> Table:
    lines = chunk.splitlines()
    caption = ""
    if lines[0].startswith("Table: "):
        caption = lines.pop(0).removeprefix("Table: ")
    head = next((number for number, line in enumerate(lines) if line.startswith("|---")), 0)
    rows = (tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines if not line.startswith("|---"))
    return Table(caption, tuple(rows), head)
