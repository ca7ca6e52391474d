"""`strata eval answers`: evaluation of answers; `flows.cli.evaluate` registers the command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, Set, settings_from
from flows.cli.stdio import say_error
from pipelines.core.safe_output import shown

if TYPE_CHECKING:
    from evaluate.answers import AnswerResult, AnswersReport
    from evaluate.questions import Question
    from pipelines.store.catalog import Catalog

_SHOWN = (
    "first_document", "document_recall@5", "page_recall@5", "answer_cited", "refused_right", "refused_wrong",
    "abstention_precision", "abstention_recall", "em", "f1", "precision", "recall", "acc", "unjudged", "failed",
    "calls", "tokens", "dollars", "seconds",
)  # fmt: skip
_NAMED = 5
"""Maximum named sources that are no documents."""


def answers(
    questions: Annotated[
        Path, typer.Option(help="Questions, JSON Lines with sources (file, page, quote) and answers.")
    ],
    kb: Kb = DEFAULT_KB,
    strategy: Annotated[list[str] | None, typer.Option("--strategy", help="A strategy; may be repeated.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Append the result of each question here (JSON Lines); questions in it are skipped."),
    ] = None,
    judge: Annotated[bool, typer.Option("--judge", help="Let the model judge each answer (acc).")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first questions.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the result as one page here.")] = None,
    png: Annotated[Path | None, typer.Option(help="Write the percentages as a bar chart here.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Concurrent questions.")] = 4,
    json: Json = False,
    set: Set = None,
) -> None:
    """Answer questions with known answers, and score the answers.

    first_document, document_recall@5 and page_recall@5 are percentages of the answerable questions: the first passage
    is from a correct document; recall of documents and pages among the first five. answer_cited is the percentage whose
    cited sentences of a correct document contain an accepted answer or the source's quote. refused_right and
    refused_wrong are counts of questions answered with "the documents do not say". em, f1, precision, recall and acc
    are percentages.
    """
    import asyncio

    from evaluate.answers import evaluate_answers
    from evaluate.questions import read_questions
    from flows.cli.printing import print_json
    from qa.knowledge_base import KnowledgeBase

    asked = read_questions(questions)[:limit]
    settings = settings_from(kb, set)
    with KnowledgeBase.open(kb, settings) as knowledge:
        _warn_of_unknown_files(asked, knowledge.stores.catalog)
        names = strategy or [knowledge.default_strategy]
        work = evaluate_answers(
            knowledge,
            asked,
            names,
            concurrency=concurrency,
            judged=judge,
            out=out,
            tell=_ProgressPrinter(len(asked) * len(names)),
        )
        report = asyncio.run(work)
    _write(report, html, png)
    print_json(report.flat()) if json else _print(report)


def _warn_of_unknown_files(asked: Sequence[Question], catalog: Catalog) -> None:
    """Say which sources name no document: they count as not found, and would be taken for a fault of the search."""
    from evaluate.metrics import unknown_files

    gold = [source for question in asked if question.answerable for source in question.gold_sources]
    if unknown := unknown_files(gold, [entry.uri for entry in catalog.entries()]):
        named = ", ".join(map(shown, unknown[:_NAMED])) + (" and others" if len(unknown) > _NAMED else "")
        hint = "their questions count as not found; `strata status --all` prints the names"
        counted = "1 source is no document" if len(unknown) == 1 else f"{len(unknown)} sources are no documents"
        say_error(f"{counted} of the knowledge base: {named}", hint)


def _write(report: AnswersReport, html: Path | None, png: Path | None) -> None:
    from evaluate.report import answers_page, write_chart

    if html is not None:
        html.write_text(answers_page(report), encoding="utf-8")
    if png is not None:
        write_chart(png, report.title, report.shares())


class _ProgressPrinter:
    """Prints each answered question to standard error, if it is a terminal."""

    def __init__(self, total: int) -> None:
        from flows.cli.printing import console

        self._console, self._total, self._done = console(stderr=True), total, 0

    def __call__(self, answered: AnswerResult) -> None:
        self._done += 1
        if self._console.is_terminal:
            state = answered.error or ("refused" if answered.abstained else answered.short or "answered")
            self._console.print(f"{self._done}/{self._total} {answered.strategy} {answered.id}: {shown(state)[:80]}")


def _print(report: AnswersReport) -> None:
    from flows.cli.printing import print_rows

    figures = report.figures()
    print_rows(("", *figures), ((name, *(_cell(row.get(name)) for row in figures.values())) for name in _SHOWN))


def _cell(value: float | int | None) -> str:
    return "-" if value is None else f"{value:,}"
