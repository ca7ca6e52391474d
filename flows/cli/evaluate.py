"""`strata eval`: how well questions are answered and passages found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import Json, Set, settings_from

if TYPE_CHECKING:
    from qa.evaluate.retrieval import RetrievalReport

app = typer.Typer(help="How well questions are answered and passages found.", no_args_is_help=True)


@app.command()
def retrieval(
    corpus: Annotated[Path, typer.Option(help="Passages, JSON Lines of {id, title, text}.")],
    questions: Annotated[Path, typer.Option(help="Questions, JSON Lines with gold_passages.")],
    embedder: Annotated[str | None, typer.Option(help="wordllama, e5, fastembed or openai.")] = None,
    kb: Annotated[Path | None, typer.Option(help="Keep the knowledge base here, and use it again.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the result of each question here, JSON Lines.")] = None,
    json: Json = False,
    set: Set = None,
) -> None:
    """Find the gold passages of questions in a corpus, beside BM25, dense and hybrid search."""
    from pipelines.core import codec
    from qa.evaluate.passages import open_corpus
    from qa.evaluate.questions import read_passages, read_questions
    from qa.evaluate.retrieval import evaluate_retrieval

    settings = settings_from(kb, set, embed__name=embedder)
    asked = read_questions(questions)
    with open_corpus(read_passages(corpus), settings, kb) as retriever:
        report = evaluate_retrieval(retriever, asked, settings.embed.name)
    if out is not None:
        out.write_bytes(b"".join(codec.encode(one) + b"\n" for one in report.each))
    _print_retrieval(report, json)


def _print_retrieval(report: RetrievalReport, as_json: bool) -> None:
    from flows.cli.tables import print_json

    if as_json:
        print_json(report.flat())
        return
    from rich.console import Console
    from rich.table import Table

    from qa.evaluate.retrieval import figures

    rows = {"all layers": report.graph, **report.baselines}
    names = list(figures(report.graph))
    table = Table(f"{report.questions} questions, {report.passages:,} passages", *names, box=None, pad_edge=False)
    for name, scores in rows.items():
        table.add_row(name, *(f"{value:.1f}" for value in figures(scores).values()))
    Console().print(table)
