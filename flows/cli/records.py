"""`strata runs`, `feedback` and `verdicts`: past ingests, ratings of answers, and corrections of the graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, store_at
from flows.cli.stdio import say

if TYPE_CHECKING:
    from pipelines.ingest.feedback import Feedback
    from pipelines.ingest.report import RunRecord
    from pipelines.ingest.verdicts import Verdict

runs_app = typer.Typer(help="Past ingests: settings, counts, duration, cost, failures.", invoke_without_command=True)
feedback_app = typer.Typer(
    help="Ratings of answers: right or wrong, and the expected answer.", invoke_without_command=True
)


@runs_app.callback()
def runs(context: typer.Context, kb: Kb = DEFAULT_KB, json: Json = False) -> None:
    """List the past ingests, the latest last."""
    from flows.cli.printing import print_kept
    from pipelines.ingest.report import RUNS

    if context.invoked_subcommand is None:
        columns = ("run", "began (UTC)", "folder", "done", "removed", "failed", "seconds", "dollars", "ended")
        print_kept(RUNS.read, kb, json, columns, _cells, lambda one: "red" if one.reasons else None)


@runs_app.command()
def show(
    number: Annotated[int, typer.Argument(help="The number of the run, as `strata runs` lists it.")],
    kb: Kb = DEFAULT_KB,
    json: Json = False,
) -> None:
    """Show one ingest: settings, counts, duration, cost, and failures by reason."""
    from flows.cli.printing import print_value
    from pipelines.ingest.report import run_of

    with store_at(kb) as store:
        found = run_of(store.catalog, number)
    print_value(found, json, _print)


def _print(found: RunRecord) -> None:
    from flows.cli.printing import console, line, moment, print_rows
    from flows.cli.reports import print_report

    console().print(line(f"run {found.number} of {found.folder}, began {moment(found.began)} UTC"))
    if found.settings:
        print_rows(("setting", "value"), ((name, str(value)) for name, value in found.settings.items()))
    if found.reasons:
        print_rows(("failed", "times"), ((reason, str(times)) for reason, times in found.reasons.items()))
    print_report(found.report)


def _cells(one: RunRecord) -> tuple[str, ...]:
    from flows.cli.printing import moment
    from flows.cli.reports import done_now

    report = one.report
    return (
        str(one.number),
        moment(one.began),
        one.folder,
        str(done_now(report)),
        str(report.changes.get("removed", 0)),
        str(sum(one.reasons.values())),
        f"{report.seconds:.1f}",
        f"{report.dollars:.4f}",
        "early" if report.stopped else "",
    )


@feedback_app.callback()
def feedback(context: typer.Context, kb: Kb = DEFAULT_KB, json: Json = False) -> None:
    """List the feedback, the latest last."""
    from flows.cli.printing import moment, print_kept
    from pipelines.ingest.feedback import FEEDBACK

    def cells(one: Feedback) -> tuple[str, ...]:
        cited = ", ".join(dict.fromkeys(place.uri for place in one.places))
        rating = "right" if one.right else "wrong"
        return one.id, rating, one.question, one.answer, one.expected, cited, one.by, moment(one.at)

    if context.invoked_subcommand is None:
        columns = ("id", "rating", "question", "answer", "expected", "cited", "by", "at (UTC)")
        print_kept(FEEDBACK.read, kb, json, columns, cells)


@feedback_app.command()
def export(
    file: Annotated[Path, typer.Argument(help="The file to write, JSON Lines.")],
    wrong: Annotated[bool, typer.Option("--wrong", help="Only wrong answers.")] = False,
    right: Annotated[bool, typer.Option("--right", help="Only right answers.")] = False,
    kb: Kb = DEFAULT_KB,
) -> None:
    """Export the questions with a known answer, for `strata eval answers` and `ingest --qa-samples`.

    The known answer is the confirmed one, or the expected one of a wrong answer. Questions without it are omitted.
    """
    from evaluate.questions import questions_of, write_lines
    from pipelines.ingest.feedback import FEEDBACK

    with store_at(kb) as store:
        found = FEEDBACK.read(store.catalog)
    chosen = [one for one in found if (one.right or wrong or not right) and (not one.right or right or not wrong)]
    asked = questions_of(chosen)
    write_lines(file, asked)
    say(f"{len(asked)} questions written, {len(chosen) - len(asked)} without a known answer omitted")


@feedback_app.command()
def withdraw(
    id: Annotated[str, typer.Argument(help="The id, as `strata feedback` lists it.")], kb: Kb = DEFAULT_KB
) -> None:
    """Withdraw feedback; the next ingest undoes its effect."""
    from pipelines.ingest.feedback import FEEDBACK

    with store_at(kb) as store:
        say(f"withdrawn: {FEEDBACK.take_back(store.catalog, id).question}")


verdicts_app = typer.Typer(
    help="Corrections of entities, tags and atoms; the next ingest applies them.", invoke_without_command=True
)
One = Annotated[str, typer.Argument(help="A name in the graph, in any of its spellings.")]
Two = Annotated[str, typer.Argument(help="The other name.")]


@verdicts_app.callback()
def verdicts(context: typer.Context, kb: Kb = DEFAULT_KB, json: Json = False) -> None:
    """List the corrections, the latest last."""
    from flows.cli.printing import moment, print_kept
    from pipelines.ingest.verdicts import VERDICTS

    def cells(one: Verdict) -> tuple[str, ...]:
        return one.id, one.kind.value, one.one, one.two, one.where, one.by, moment(one.at)

    if context.invoked_subcommand is None:
        print_kept(VERDICTS.read, kb, json, ("id", "verdict", "of", "and", "in", "by", "at (UTC)"), cells)


@verdicts_app.command()
def merge(one: One, two: Two, kb: Kb = DEFAULT_KB) -> None:
    """Merge two entities that are the same."""
    _give("merge", one, two, kb)


@verdicts_app.command()
def apart(one: One, two: Two, kb: Kb = DEFAULT_KB) -> None:
    """Keep two names as separate entities, overriding rules and models."""
    _give("apart", one, two, kb)


@verdicts_app.command()
def split(
    one: One,
    two: Annotated[str, typer.Argument(help="The entity it refers to there: a new name or that of another entity.")],
    where: Annotated[str, typer.Option("--in", help="The document, by its path in the folder.")],
    kb: Kb = DEFAULT_KB,
) -> None:
    """Let a name refer to another entity in one document."""
    _give("split", one, two, kb, where)


@verdicts_app.command()
def tag(one: One, two: Two, kb: Kb = DEFAULT_KB) -> None:
    """Rename a tag; if a tag with the new name exists, the two are merged."""
    _give("tag", one, two, kb)


@verdicts_app.command()
def atom(id: Annotated[str, typer.Argument(help="The id of the atom.")], kb: Kb = DEFAULT_KB) -> None:
    """Mark an atom as wrong: it stays in the graph, but is not retrieved."""
    _give("atom", id, "", kb)


@verdicts_app.command()
def undo(
    id: Annotated[str, typer.Argument(help="The id, as `strata verdicts` lists it.")], kb: Kb = DEFAULT_KB
) -> None:
    """Withdraw a correction; the next ingest undoes it."""
    from pipelines.ingest.verdicts import VERDICTS

    with store_at(kb) as store:
        found = VERDICTS.take_back(store.catalog, id)
    say(f"withdrawn: {found.kind.value} {found.one} {found.two}; the next ingest undoes it")


def _give(kind: str, one: str, two: str, kb: Path, where: str = "") -> None:
    from pipelines.ingest.verdicts import VerdictKind, record_verdict

    with store_at(kb) as store:
        verdict = record_verdict(store.graph, store.catalog, VerdictKind(kind), one, two, "command line", where)
    say(f"stored as {verdict.id}; the next ingest applies it")
