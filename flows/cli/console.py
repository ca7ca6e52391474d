"""Tables and coloured lines on the terminal; every command prints them through here.

Names, titles, reasons, quotes and what a model says come from outside. Through `console`, `TextTable` and `line` they
are shown as text: no markup, no escape sequence, no mark that turns a line around (`pipelines.core.safe_output`); plain
lines go through `flows.cli.stdio.say`. Where the output is no terminal nothing is cut or folded: one record a line.
Only `--json` and files hold texts as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from pipelines.core.safe_output import shown, shown_lines

if TYPE_CHECKING:
    from rich.style import Style

__all__ = ["TextTable", "console", "line"]

WIDE = 1 << 16
"""Columns where the output is no terminal: more than a record has."""


def console(stderr: bool = False) -> Console:
    """Return a console whose every text is shown clean, whichever way it got into what is printed."""
    stream: TextIO = sys.stderr if stderr else sys.stdout
    wide = None if stream.isatty() else WIDE
    return _Clean(file=cast("IO[str]", _Trimmed(stream)), width=wide, markup=False, emoji=False, highlight=False)


def line(*parts: str | tuple[str, str]) -> Text:
    """Return one line of parts, each plain or with its style."""
    return Text.assemble(*(shown(part) if isinstance(part, str) else (shown(part[0]), part[1]) for part in parts))


class TextTable(Table):
    """A table of plain texts, one line for each row where the output is no terminal; a terminal folds them."""

    def __init__(self, *headers: str) -> None:
        super().__init__(*(Column(header, overflow="fold") for header in headers), box=None, pad_edge=False)

    def row(self, *cells: str, style: str | Style | None = None) -> None:
        """Add a row of texts from anywhere."""
        self.add_row(*(Text(shown(cell)) for cell in cells), style=style)


class _Clean(Console):
    """Texts are cleaned as they come in; what came as a finished `Text` is cleaned as it goes out."""

    def render_str(self, text: str, **options: object) -> Text:
        return super().render_str(shown_lines(text), **options)  # type: ignore[arg-type]

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(shown_lines(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Let the one handler in `flows.cli.app` have it."""
        raise  # noqa: PLE0704 - called while the error is handled


class _Trimmed:
    """A stream without the blanks that fill a table's last column."""

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
