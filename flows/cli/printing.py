"""Output of values as tables and coloured lines on the terminal, used by all commands.

Names, titles, reasons, quotes and model output are untrusted. `console`, `TextTable` and `line` print them as plain
text, without markup, escape sequences and direction marks (`pipelines.core.safe_output`); `flows.cli.stdio.say` does so
for plain lines. If the output is not a terminal, nothing is truncated or folded: one record per line. Only `--json` and
files contain the original text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from pathlib import Path
from typing import IO, TYPE_CHECKING, TextIO, TypeVar, cast

import msgspec
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from flows.cli.options import store_at
from flows.cli.stdio import say_json
from pipelines.core.safe_output import shown, shown_lines

if TYPE_CHECKING:
    from rich.style import Style

    from pipelines.store.catalog import Catalog

WIDE = 1 << 16
"""Width of the console if the output is not a terminal: more than a record needs."""
PADDED = 60
"""Maximum columns that a cell is padded to if the output is not a terminal; a longer cell shifts its own row alone."""
T = TypeVar("T")


def console(stderr: bool = False) -> Console:
    """Return a console that makes all printed text safe, in whatever way it is passed."""
    stream: TextIO = sys.stderr if stderr else sys.stdout
    wide = None if stream.isatty() else WIDE
    return _Clean(file=cast("IO[str]", _Trimmed(stream)), width=wide, markup=False, emoji=False, highlight=False)


def line(*parts: str | tuple[str, str]) -> Text:
    """Return one line of text parts, each plain or with a style."""
    return Text.assemble(*(shown(part) if isinstance(part, str) else (shown(part[0]), part[1]) for part in parts))


class TextTable(Table):
    """A table of plain texts; on a terminal cells are folded, otherwise each row is one line."""

    def __init__(self, *headers: str) -> None:
        super().__init__(*(Column(header, overflow="fold") for header in headers), box=None, pad_edge=False)

    def row(self, *cells: str, style: str | Style | None = None) -> None:
        """Add a row of untrusted texts."""
        self.add_row(*(Text(shown(cell)) for cell in cells), style=style)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width < WIDE:
            yield from super().__rich_console__(console, options)
            return
        columns = [[str(column.header), *map(str, column.cells)] for column in self.columns]
        widths = [min(PADDED, max(map(cell_len, cells))) for cells in columns]
        for row in zip(*columns, strict=True):
            cells = zip(row, widths, strict=True)
            yield Text("  ".join(cell + " " * (width - cell_len(cell)) for cell, width in cells))


class _Clean(Console):
    """A console that cleans strings on input and `Text` objects on output."""

    def render_str(self, text: str, **options: object) -> Text:
        return super().render_str(shown_lines(text), **options)  # type: ignore[arg-type]

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(shown_lines(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Leave the error to the handler in `flows.cli.app`."""
        raise  # noqa: PLE0704 - called while the error is handled


class _Trimmed:
    """A stream that removes the spaces that pad a table's last column."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if not self._stream.isatty():
            text = "\n".join(part.rstrip(" ") for part in text.split("\n"))
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    @property
    def encoding(self) -> str:
        return self._stream.encoding


def moment(at: str) -> str:
    """Return a time in UTC without its offset, so that a narrow column breaks it between date and time."""
    return at.removesuffix("+00:00").replace("T", " ")


def print_json(value: object) -> None:
    """Print a value as indented JSON, with its original text."""
    say_json(json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=2))


def print_value(value: T, as_json: bool, text: Callable[[T], None]) -> None:
    """Print a value as JSON, or else by the function `text`."""
    (print_json if as_json else text)(value)


def print_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    value: object = None,
    as_json: bool = False,
    styles: Iterable[str | None] = repeat(None),
) -> None:
    """Print a value as JSON, or else its rows as a table with styles; below the header of none, "none" on stderr."""
    if as_json:
        print_json(value)
        return
    table = TextTable(*columns)
    for row, style in zip(rows, styles, strict=False):
        table.row(*row, style=style)
    console().print(table)
    if not table.row_count:
        console(stderr=True).print("none")


def print_kept(
    read: Callable[[Catalog], Sequence[T]],
    kb: Path,
    as_json: bool,
    columns: Sequence[str],
    cells: Callable[[T], Sequence[str]],
    style: Callable[[T], str | None] = lambda one: None,
) -> None:
    """List the records of one kind in the catalog of the knowledge base at `kb`, the latest last."""
    with store_at(kb) as store:
        found = read(store.catalog)
    print_rows(columns, map(cells, found), found, as_json, map(style, found))
