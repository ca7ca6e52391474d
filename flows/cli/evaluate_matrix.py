"""`strata eval matrix`: every set in one run, on one page.

`flows.cli.evaluate` registers it: `app.command()(matrix)`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import Json, Set, settings_from
from flows.cli.stdio import say

if TYPE_CHECKING:
    from evaluate.matrix_report import MatrixReport
    from evaluate.sets import DeclaredSet


def matrix(
    sets: Annotated[Path, typer.Argument(help="A TOML file that declares sets, or a folder of such files.")],
    embedder: Annotated[
        list[str] | None, typer.Option("--embedder", help="As for `ingest`; may be given again.")
    ] = None,
    strategy: Annotated[list[str] | None, typer.Option("--strategy", help="A strategy; may be given again.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="A set, corpus or tag to be measured alone; may be given again.")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Keep the knowledge bases in this folder for the next run.")] = None,
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Also fit the weights without each corpus, and measure it under them.")
    ] = False,
    trials: Annotated[int, typer.Option(min=1, help="Settings that are tried for --held-out.")] = 200,
    no_answers: Annotated[bool, typer.Option("--no-answers", help="Only search, and answer nothing.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write each question's figures here, for `eval compare`.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the result as one page here.")] = None,
    json: Json = False,
    set: Set = None,
) -> None:
    """Measure every set of corpora, languages and embedders, beside flat searches of the same run.

    Knowledge bases are made by the ordinary ingest, without a language model. Each figure has its 95 % interval; the
    last column is the difference from the best flat search of the row, by a paired bootstrap. "bm25", "dense" and
    "hybrid" search the chunks; "bm25 pages" whole pages or documents; "fused pieces" pieces of a fixed size.
    """
    from evaluate.matrix import measure_matrix
    from evaluate.questions import write_lines
    from evaluate.report import matrix_page
    from evaluate.sets import read_sets
    from flows.cli.live_ingest import live_progress
    from flows.cli.printing import print_json

    chosen = [one for one in read_sets(sets) if _is_chosen(one, only or [])]
    settings = [settings_from(None, set, embed__name=name) for name in embedder or (None,)]
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strata-")))
        strategies = None if no_answers else strategy or ()
        report = measure_matrix(
            chosen, settings, folder, strategies, trials if held_out else 0, lambda: live_progress(json)
        )
    if out is not None:
        write_lines(out, report.lines())
    if html is not None:
        html.write_text(matrix_page(report), encoding="utf-8")
    if json:
        print_json(report.flat())
    else:
        _print(report)


def _is_chosen(declared: DeclaredSet, only: Sequence[str]) -> bool:
    return not only or bool({declared.name, declared.family, *declared.tags}.intersection(only))


def _print(report: MatrixReport) -> None:
    from flows.cli.console import TextTable, console

    out = console()
    for rows in report.tables():
        table = TextTable(*rows.columns)
        for row in rows.rows:
            table.row(*row)
        out.print(rows.title)
        out.print(table)
        out.print()
    for one in report.left_out:
        say(f"left out: {one}")
