"""`strata ask`: a question to a knowledge base, answered with numbered citations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, Set, settings_from

if TYPE_CHECKING:
    from pipelines.store.vector import Filter
    from qa.settings import QaSettings

StrategyName = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        help="extractive, pike-graph; with a model cot, naive, naive-hr, self-ask, self-ask-r, self-ask-hr or pike;"
        " your own as module:function. By default pike where a model is configured, else extractive.",
    ),
]
Documents = Annotated[list[str] | None, typer.Option("--document", help="Only this document (its path in the folder).")]
Folders = Annotated[list[str] | None, typer.Option("--folder", help="Only documents below this folder.")]
Types = Annotated[list[str] | None, typer.Option("--type", help="Only this media type, or its ending (pdf).")]
TagNames = Annotated[list[str] | None, typer.Option("--tag", help="Only passages with this tag.")]
Pages = Annotated[list[int] | None, typer.Option("--page", help="Only this page.")]
Since = Annotated[str, typer.Option(help="Only documents of this date or later (2024-05-31).")]
Until = Annotated[str, typer.Option(help="Only documents of this date or earlier.")]


def register(app: typer.Typer) -> None:
    app.command("ask")(ask)


def ask(
    question: Annotated[str, typer.Argument(help="The question, in any language.")],
    kb: Kb = DEFAULT_KB,
    strategy: StrategyName = None,
    trace: Annotated[bool, typer.Option("--trace", help="Print the steps that led to the answer, as a tree.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write answer, sources and trace as one page.")] = None,
    k: Annotated[int | None, typer.Option("--k", min=1, help="How many passages are retrieved.")] = None,
    document: Documents = None,
    folder: Folders = None,
    type: Types = None,
    tag: TagNames = None,
    page: Pages = None,
    since: Since = "",
    until: Until = "",
    json: Json = False,
    set: Set = None,
) -> None:
    """Answer a question from the documents, citing the sentences that support the answer.

    That the documents do not say is an answer too: the exit code is 0, and `abstained` is true with --json. Where it
    is not known what they say, `ending` tells why, and the exit code is 6 (the model failed), 5 (the knowledge base is
    empty) or 4 (nothing fits the filter).
    """
    from flows.cli.answer_page import answer_page
    from flows.cli.answer_text import as_json, print_answer, streamed, tell_troubles
    from flows.cli.printing import print_json
    from qa import KnowledgeBase

    where = filter_of(document, folder, type, tag, page, since, until)
    settings = settings_from(kb, set)
    with KnowledgeBase.open(kb, settings) as knowledge, streamed(json):
        spare_data_frames(settings)
        answer = knowledge.ask(question, strategy=strategy or "", where=where, limit=k)
    if html is not None:
        html.write_text(answer_page(answer), encoding="utf-8")
    if json:
        print_json(as_json(answer))
    else:
        print_answer(answer, trace)
    tell_troubles(answer)
    raise typer.Exit(answer.ending.exit_code)


def spare_data_frames(settings: QaSettings) -> None:
    """Keep pandas out of the command, where it is installed: it would be a fifth of the time to the first answer."""
    from pipelines.store.lancedb.library import import_without_data_frames

    if settings.store.vectors == "lancedb":
        import_without_data_frames()


def filter_of(
    documents: list[str] | None,
    folders: list[str] | None,
    types: list[str] | None,
    tags: list[str] | None,
    pages: list[int] | None,
    since: str,
    until: str,
) -> Filter:
    from pipelines.retrieve.filters import media_type_of
    from pipelines.store.vector import Filter

    named = tuple(map(media_type_of, types or ()))
    return Filter(
        tuple(documents or ()), tuple(folders or ()), named, tuple(tags or ()), tuple(pages or ()), since, until
    )
