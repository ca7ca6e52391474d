"""`strata tune`: the weights of retrieval from questions whose answers are known."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import EmbedderName, Json, Set, settings_from

if TYPE_CHECKING:
    from evaluate.tune import QuestionSet, Tuned
    from qa.settings import QaSettings


def register(app: typer.Typer) -> None:
    app.command("tune")(tune)


def tune(
    questions: Annotated[list[Path], typer.Argument(help="Questions, JSON Lines, with gold_passages or sources.")],
    kb: Annotated[Path | None, typer.Option("--kb", help="The knowledge base that they are asked of.")] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option("--corpus", help="Instead, passages for each file of questions; --embedder embeds them."),
    ] = None,
    embedder: EmbedderName = None,
    trials: Annotated[int, typer.Option(min=1, help="How many settings are tried.")] = 200,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation of one file.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the random settings.")] = 0,
    write: Annotated[Path | None, typer.Option(help="Write the weights into this strata.toml.")] = None,
    json: Json = False,
    set: Set = None,
) -> None:
    """Tune the weights of retrieval, and estimate by cross-validation what they gain on other questions.

    With several files each is scored under weights tuned on the others; with one, each of its folds.
    """
    from evaluate.tune import tune as tuned_by
    from evaluate.tune import write_settings

    settings = settings_from(kb, set, embed__name=embedder)
    with ExitStack() as stack:
        sets = _open(stack, questions, kb, corpus or [], settings, json)
        tuned = tuned_by(sets, settings.retrieve, trials, folds, seed)
    if write is not None:
        write_settings(write, tuned.settings)
    _print(tuned, json)


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
        raise SettingsError("either --kb, or a --corpus for each file of questions")
    asked = [tuple(one for one in read_questions(path) if one.answerable) for path in questions]
    if kb is not None:
        stores = stack.enter_context(open_stores(kb, settings))
        retrievers = [Retriever.of(stores, settings.retrieve)] * len(questions)
    else:
        with live_progress(quiet) as progress:
            opened = [open_passages(read_passages(path), settings, progress=progress) for path in corpus]
            retrievers = [stack.enter_context(one) for one in opened]
    return [QuestionSet(str(path), one, rows) for path, one, rows in zip(questions, retrievers, asked, strict=True)]


def _print(tuned: Tuned, as_json: bool) -> None:
    from evaluate.tune import weights
    from flows.cli.printing import print_json

    if as_json:
        print_json(tuned.flat())
        return
    from flows.cli.console import TextTable, console

    out = console()
    folds = TextTable("held out", "questions", "before", "after")
    for fold in tuned.folds:
        folds.add_row(fold.name, str(fold.questions), f"{fold.before:.1f}", f"{fold.after:.1f}")
    folds.add_row("all, tuned on all", "", f"{tuned.before:.1f}", f"{tuned.after:.1f}", style="dim")
    out.print(folds)
    out.print("[retrieve]")
    for name, value in weights(tuned.settings).items():
        out.print(f"{name} = {value}")
