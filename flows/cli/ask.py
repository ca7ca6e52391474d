"""`strata ask` and `strata chat`: questions to a knowledge base, answered with numbered citations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, Set, settings_from
from flows.cli.stdio import say, say_error
from pipelines.core.errors import StrataError
from pipelines.core.safe_output import shown

if TYPE_CHECKING:
    from pipelines.store.vector import Filter
    from qa.conversation import Conversation
    from qa.settings import QaSettings

Strategy = Annotated[
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
Tags = Annotated[list[str] | None, typer.Option("--tag", help="Only passages with this tag.")]
Pages = Annotated[list[int] | None, typer.Option("--page", help="Only this page.")]
Since = Annotated[str, typer.Option(help="Only documents of this date or later (2024-05-31).")]
Until = Annotated[str, typer.Option(help="Only documents of this date or earlier.")]


def register(app: typer.Typer) -> None:
    app.command("ask")(ask)
    app.command("chat")(chat)


def ask(
    question: Annotated[str, typer.Argument(help="The question, in any language.")],
    kb: Kb = DEFAULT_KB,
    strategy: Strategy = None,
    trace: Annotated[bool, typer.Option("--trace", help="Print how the answer came about, as a tree.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write answer, sources and trace as one page.")] = None,
    k: Annotated[int | None, typer.Option("--k", min=1, help="Passages that are looked at.")] = None,
    document: Documents = None,
    folder: Folders = None,
    type: Types = None,
    tag: Tags = None,
    page: Pages = None,
    since: Since = "",
    until: Until = "",
    json: Json = False,
    set: Set = None,
) -> None:
    """Answer a question from the documents, with the sentences that carry the answer.

    That the documents do not say is an answer too: the exit code is 0, and `abstained` is true with --json. Where it
    is not known what they say, `ending` tells why, and the exit code is 6 (the model failed), 5 (the knowledge base is
    empty) or 4 (nothing fits the filter).
    """
    from flows.cli.answer_page import answer_page
    from flows.cli.answer_text import as_json, print_answer, tell_troubles
    from flows.cli.live_answer import streamed
    from flows.cli.printing import print_json
    from qa import KnowledgeBase

    where = _filter(document, folder, type, tag, page, since, until)
    settings = settings_from(kb, set)
    with KnowledgeBase.open(kb, settings) as knowledge, streamed(json):
        _spare_data_frames(settings)
        answer = knowledge.ask(question, strategy=strategy or "", where=where, limit=k)
    if html is not None:
        html.write_text(answer_page(answer), encoding="utf-8")
    if json:
        print_json(as_json(answer))
    else:
        print_answer(answer, trace)
    tell_troubles(answer)
    raise typer.Exit(answer.ending.exit_code)


def chat(
    kb: Kb = DEFAULT_KB,
    strategy: Strategy = None,
    trace: Annotated[bool, typer.Option("--trace", help="Print how each answer came about.")] = False,
    document: Documents = None,
    folder: Folders = None,
    type: Types = None,
    tag: Tags = None,
    page: Pages = None,
    since: Since = "",
    until: Until = "",
    set: Set = None,
) -> None:
    """Hold a conversation; follow-up questions are understood from what was said before. An empty line ends it."""
    from qa import KnowledgeBase

    where = _filter(document, folder, type, tag, page, since, until)
    settings = settings_from(kb, set)
    with KnowledgeBase.open(kb, settings) as knowledge:
        _spare_data_frames(settings)
        _converse(knowledge.conversation(strategy=strategy or "", where=where), trace)


def _spare_data_frames(settings: QaSettings) -> None:
    """Keep pandas out of the command, where it is installed: it would be a fifth of the time to the first answer."""
    from pipelines.store.lancedb.library import import_without_data_frames

    if settings.store.vectors == "lancedb":
        import_without_data_frames()


def _converse(conversation: Conversation, trace: bool) -> None:
    import asyncio

    from flows.cli.answer_text import print_answer, tell_troubles
    from flows.cli.live_answer import streamed

    say("Ask; an empty line ends the conversation.", err=True)
    while question := _next():
        try:
            with streamed(quiet=False):
                answer = asyncio.run(conversation.say(question))
        except StrataError as error:
            say_error(error.message, error.hint)
            continue
        understood = conversation.turns[-1].understood
        if understood != question:
            say(f"(understood as: {shown(understood)})", err=True)
        print_answer(answer, trace)
        tell_troubles(answer)


def _next() -> str:
    """The next line, empty at the end of the input."""
    try:
        return input("> ").strip()
    except EOFError:
        return ""


def _filter(
    documents: list[str] | None,
    folders: list[str] | None,
    types: list[str] | None,
    tags: list[str] | None,
    pages: list[int] | None,
    since: str,
    until: str,
) -> Filter:
    from pipelines.store.vector import Filter

    named = tuple(_media_type(name) for name in types or ())
    return Filter(
        tuple(documents or ()), tuple(folders or ()), named, tuple(tags or ()), tuple(pages or ()), since, until
    )


def _media_type(name: str) -> str:
    """The media type of an ending ("pdf", ".docx"); a media type as it is."""
    import mimetypes

    if "/" in name:
        return name
    return _TYPES.get(name.lower().lstrip(".")) or mimetypes.guess_type(f"a.{name.lstrip('.')}")[0] or name


_TYPES = {"md": "text/markdown", "eml": "message/rfc822", "epub": "application/epub+zip", "txt": "text/plain"}
