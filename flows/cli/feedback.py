"""`strata feedback`: what people said of answers, and evaluation questions made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, store_at
from flows.cli.stdio import say

app = typer.Typer(
    help="What people said of answers: right, wrong, and what they expected.", invoke_without_command=True
)


@app.callback()
def feedback(context: typer.Context, kb: Kb = DEFAULT_KB, json: Json = False) -> None:
    """List what was said, the latest at the end."""
    from flows.cli.console import TextTable, console
    from flows.cli.printing import print_json
    from pipelines.ingest.feedback import FEEDBACK

    if context.invoked_subcommand is not None:
        return
    with store_at(kb) as store:
        found = FEEDBACK.read(store.catalog)
    if json:
        print_json(found)
        return
    table = TextTable("id", "said", "question", "answer", "expected", "rests on", "by", "at (UTC)")
    for one in found:
        rests = ", ".join(dict.fromkeys(place.uri for place in one.places))
        said = "right" if one.right else "wrong"
        table.row(one.id, said, one.question, one.answer, one.expected, rests, one.by, one.at)
    console().print(table)


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="Where the questions are written, JSON Lines.")],
    wrong: Annotated[bool, typer.Option("--wrong", help="Only those that were answered wrong.")] = False,
    right: Annotated[bool, typer.Option("--right", help="Only those that were answered right.")] = False,
    kb: Kb = DEFAULT_KB,
) -> None:
    """Write the questions that have a right answer, as `strata eval answers` and `ingest --qa-samples` take them.

    The right answer is the one that was confirmed, or for a wrong one what was expected; without it there is nothing to
    hold an answer against, and the question is left out.
    """
    from evaluate.questions import questions_of, write_lines
    from pipelines.ingest.feedback import FEEDBACK

    with store_at(kb) as store:
        found = FEEDBACK.read(store.catalog)
    chosen = [one for one in found if (one.right or wrong or not right) and (not one.right or right or not wrong)]
    asked = questions_of(chosen)
    write_lines(file, asked)
    say(f"{len(asked)} questions written, {len(chosen) - len(asked)} left out that have no right answer")


@app.command()
def withdraw(
    id: Annotated[str, typer.Argument(help="The id, as `strata feedback` lists it.")], kb: Kb = DEFAULT_KB
) -> None:
    """Take feedback back; the next ingest undoes what it did."""
    from pipelines.ingest.feedback import FEEDBACK

    with store_at(kb) as store:
        say(f"taken back: {FEEDBACK.take_back(store.catalog, id).question}")
