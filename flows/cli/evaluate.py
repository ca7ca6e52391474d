"""`strata eval` and `strata tune`, on questions with known answers.

The first evaluates retrieval and answers, and compares two runs; the second fits the retrieval weights.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.evaluate_answers import answers
from flows.cli.options import EmbedderName, Json, Set, settings_from
from flows.cli.stdio import say

if TYPE_CHECKING:
    from evaluate.matrix_report import MatrixReport
    from evaluate.retrieval import RetrievalReport
    from evaluate.sets import DeclaredSet
    from evaluate.tune import QuestionSet, Tuned
    from qa.settings import QaSettings

app = typer.Typer(help="Evaluate retrieval and answers.", no_args_is_help=True)


app.command()(answers)


@app.command()
def matrix(
    sets: Annotated[Path, typer.Argument(help="A TOML file that declares sets, or a folder of such files.")],
    embedder: Annotated[list[str] | None, typer.Option("--embedder", help="As for `ingest`; may be repeated.")] = None,
    strategy: Annotated[list[str] | None, typer.Option("--strategy", help="A strategy; may be repeated.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Only this set, corpus or tag; may be repeated.")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Keep the knowledge bases in this folder for the next run.")] = None,
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Also fit the weights without each corpus, and evaluate it with them.")
    ] = False,
    trials: Annotated[int, typer.Option(min=1, help="Number of settings tried for --held-out.")] = 200,
    no_answers: Annotated[bool, typer.Option("--no-answers", help="Only search, do not answer.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write each question's figures here, for `eval compare`.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the result as one page here.")] = None,
    json: Json = False,
    set: Set = None,
) -> None:
    """Evaluate sets of questions over corpora, languages and embedders, and compare with flat searches.

    The ordinary ingest builds the knowledge bases, without a language model. Each figure has its 95 % interval; the
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
    print_json(report.flat()) if json else _print(report)


def _is_chosen(declared: DeclaredSet, only: Sequence[str]) -> bool:
    return not only or bool({declared.name, declared.family, *declared.tags}.intersection(only))


def _print(report: MatrixReport) -> None:
    from flows.cli.printing import console, print_rows

    out = console()
    for rows in report.tables():
        out.print(rows.title)
        print_rows(rows.columns, rows.rows)
        out.print()
    for one in report.left_out:
        say(f"left out: {one}")


@app.command()
def retrieval(
    corpus: Annotated[Path, typer.Option(help="Passages, JSON Lines of {id, title, text}.")],
    questions: Annotated[Path, typer.Option(help="Questions, JSON Lines with gold_passages.")],
    embedder: Annotated[str | None, typer.Option(help="wordllama, e5, fastembed or openai.")] = None,
    kb: Annotated[Path | None, typer.Option(help="Keep the knowledge base here, and reuse it.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the result of each question here, JSON Lines.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the result as one page here.")] = None,
    png: Annotated[Path | None, typer.Option(help="Write the figures as a bar chart here.")] = None,
    json: Json = False,
    set: Set = None,
) -> None:
    """Evaluate retrieval of the gold passages of questions, and compare with BM25, dense and hybrid search."""
    from evaluate.questions import read_passages, read_questions, write_lines
    from evaluate.report import retrieval_page, write_chart
    from evaluate.retrieval import evaluate_retrieval
    from evaluate.sets import open_passages
    from flows.cli.live_ingest import live_progress

    settings = settings_from(kb, set, embed__name=embedder)
    asked = read_questions(questions)
    with ExitStack() as stack:
        with live_progress(json) as progress:
            retriever = stack.enter_context(open_passages(read_passages(corpus), settings, kb, progress))
        report = evaluate_retrieval(retriever, asked, settings.embed.name)
    if out is not None:
        write_lines(out, report.each)
    if html is not None:
        html.write_text(retrieval_page(report, asked), encoding="utf-8")
    if png is not None:
        write_chart(png, report.title, report.shares())
    _print_retrieval(report, json)


@app.command()
def compare(
    one: Annotated[Path, typer.Argument(help="Results of a run, JSON Lines (--out).")],
    two: Annotated[Path, typer.Argument(help="Results of another run on the same questions.")],
    samples: Annotated[int, typer.Option(min=100, help="Samples of the bootstrap.")] = 10_000,
    json: Json = False,
) -> None:
    """Compare two runs: the difference of the second from the first, with 95 % intervals of a paired bootstrap.

    Figures are percentages of the questions that both runs have: of the answerable ones, except those abstained from.
    """
    from evaluate.compare import compare_results, read_figures
    from flows.cli.printing import print_rows

    lines = compare_results(read_figures(one), read_figures(two), samples)
    rows = (
        (line.name, str(line.questions), f"{100 * line.one:.1f}", f"{100 * line.two:.1f}",
         f"{100 * line.difference:+.1f}", f"{100 * line.low:+.1f} to {100 * line.high:+.1f}",
         "differs" if line.differs else "")
        for line in lines
    )  # fmt: skip
    print_rows(("", "questions", "first", "second", "difference", "95 %", ""), rows, lines, json)


@app.command()
def convert(
    format: Annotated[str, typer.Argument(help="hotpotqa, 2wikimultihopqa, musique or blendqa.")],
    file: Annotated[Path, typer.Argument(help="The published file.")],
    out: Annotated[Path, typer.Option(help="The folder for questions.jsonl and corpus.jsonl.")],
) -> None:
    """Convert a benchmark's published file to questions and passages for `strata eval`."""
    from evaluate.questions import convert_benchmark, write

    converted = convert_benchmark(format, file)
    write(converted, out)
    say(f"{len(converted.questions)} questions, {len(converted.passages)} passages in {out}")


def _print_retrieval(report: RetrievalReport, as_json: bool) -> None:
    from flows.cli.printing import print_json, print_rows

    if as_json:
        print_json(report.flat())
        return
    rows = report.rows()
    say(report.title)
    print_rows(
        ("", *next(iter(rows.values()))),
        ((name, *(f"{one:.1f}" for one in row.values())) for name, row in rows.items()),
    )


def register(app: typer.Typer) -> None:
    app.command("tune")(tune)


def tune(
    questions: Annotated[list[Path], typer.Argument(help="Questions, JSON Lines, with gold_passages or sources.")],
    kb: Annotated[Path | None, typer.Option("--kb", help="The knowledge base to search.")] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option("--corpus", help="Instead of --kb, passages for each file of questions."),
    ] = None,
    embedder: EmbedderName = None,
    trials: Annotated[int, typer.Option(min=1, help="Number of settings tried.")] = 200,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation of one file.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the random settings.")] = 0,
    write: Annotated[Path | None, typer.Option(help="Write the weights into this strata.toml.")] = None,
    json: Json = False,
    set: Set = None,
) -> None:
    """Fit the retrieval weights, and estimate their gain on other questions by cross-validation.

    With several files, each is scored with weights fitted on the others; with one, each of its folds.
    """
    from evaluate.tune import tune as tuned_by
    from evaluate.tune import write_settings

    settings = settings_from(kb, set, embed__name=embedder)
    with ExitStack() as stack:
        sets = _open(stack, questions, kb, corpus or [], settings, json)
        tuned = tuned_by(sets, settings.retrieve, trials, folds, seed)
    if write is not None:
        write_settings(write, tuned.settings)
    _print_tuned(tuned, json)


def _open(
    stack: ExitStack, questions: list[Path], kb: Path | None, corpus: list[Path], settings: QaSettings, quiet: bool
) -> list[QuestionSet]:
    from evaluate.questions import read_passages, read_questions
    from evaluate.sets import open_passages
    from evaluate.tune import QuestionSet
    from flows.cli.live_ingest import live_progress
    from pipelines.core.errors import SettingsError
    from pipelines.resources import open_stores
    from pipelines.retrieve.retriever import Retriever

    if (kb is None) == (not corpus) or (corpus and len(corpus) != len(questions)):
        raise SettingsError("give either --kb, or a --corpus for each file of questions")
    asked = [tuple(one for one in read_questions(path) if one.answerable) for path in questions]
    if kb is not None:
        stores = stack.enter_context(open_stores(kb, settings))
        retrievers = [Retriever.of(stores, settings.retrieve)] * len(questions)
    else:
        with live_progress(quiet) as progress:
            opened = [open_passages(read_passages(path), settings, progress=progress) for path in corpus]
            retrievers = [stack.enter_context(one) for one in opened]
    return [QuestionSet(str(path), one, rows) for path, one, rows in zip(questions, retrievers, asked, strict=True)]


def _print_tuned(tuned: Tuned, as_json: bool) -> None:
    from evaluate.tune import weights
    from flows.cli.printing import print_json

    if as_json:
        print_json(tuned.flat())
        return
    from flows.cli.printing import TextTable, console

    out = console()
    folds = TextTable("held out", "questions", "before", "after")
    for fold in tuned.folds:
        folds.row(fold.name, str(fold.questions), f"{fold.before:.1f}", f"{fold.after:.1f}")
    folds.row("all, tuned on all", "", f"{tuned.before:.1f}", f"{tuned.after:.1f}", style="dim")
    out.print(folds)
    out.print("[retrieve]")
    for name, value in weights(tuned.settings).items():
        out.print(f"{name} = {value}")
