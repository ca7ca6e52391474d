"""`strata ask` and `strata chat`: questions answered with numbered citations, singly or in a conversation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, Set, settings_from, store_at
from flows.cli.stdio import edit_lines, say, say_error
from pipelines.core.errors import StrataError
from pipelines.core.safe_output import shown, shown_lines

if TYPE_CHECKING:
    from pipelines.ingest.feedback import KeptConversation
    from pipelines.store.vector import Filter
    from qa.conversation import Conversation, Exchange

StrategyName = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        help="extractive, pike-graph; with a model cot, naive, naive-hr, self-ask, self-ask-r, self-ask-hr or pike;"
        " your own as module:function. Default: pike-graph if a model is configured, else extractive.",
    ),
]
Documents = Annotated[list[str] | None, typer.Option("--document", help="Only this document (its path in the folder).")]
Folders = Annotated[list[str] | None, typer.Option("--folder", help="Only documents below this folder.")]
Types = Annotated[list[str] | None, typer.Option("--type", help="Only this media type, or its ending (pdf).")]
TagNames = Annotated[list[str] | None, typer.Option("--tag", help="Only passages with this tag.")]
Pages = Annotated[list[int] | None, typer.Option("--page", help="Only this page.")]
Since = Annotated[str, typer.Option(help="Only documents from this date on (2024-05-31).")]
Until = Annotated[str, typer.Option(help="Only documents up to this date.")]


def register(app: typer.Typer) -> None:
    app.command("ask")(ask)
    app.command("chat")(chat)


def ask(
    question: Annotated[list[str], typer.Argument(help="The question, in any language, with or without quotes.")],
    kb: Kb = DEFAULT_KB,
    strategy: StrategyName = None,
    trace: Annotated[bool, typer.Option("--trace", help="Print the steps that led to the answer, as a tree.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write answer, sources and trace as one page.")] = None,
    k: Annotated[int | None, typer.Option("--k", min=1, help="Number of retrieved passages.")] = None,
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

    If the documents do not contain the answer, the exit code is 0 as well, and `abstained` is true with --json. If they
    could not be searched, `ending` gives the reason, and the exit code is 6 (the model failed), 5 (the knowledge base
    is empty) or 4 (nothing matches the filter).
    """
    from flows.cli.answer_page import answer_page
    from flows.cli.answer_text import as_json, print_answer, print_warnings, streamed
    from flows.cli.printing import print_json
    from pipelines.store.lancedb.library import leave_out_data_frames
    from qa import KnowledgeBase

    leave_out_data_frames()
    where = filter_of(document, folder, type, tag, page, since, until)
    settings = settings_from(kb, set)
    with KnowledgeBase.open(kb, settings) as knowledge, streamed(json):
        answer = knowledge.ask(" ".join(question), strategy=strategy or "", where=where, limit=k)
    if html is not None:
        html.write_text(answer_page(answer), encoding="utf-8")
    if json:
        print_json(as_json(answer))
    else:
        print_answer(answer, trace)
    print_warnings(answer)
    raise typer.Exit(answer.ending.exit_code)


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


def chat(
    kb: Kb = DEFAULT_KB,
    strategy: StrategyName = None,
    trace: Annotated[bool, typer.Option("--trace", help="Print the steps that led to each answer.")] = False,
    resume: Annotated[str, typer.Option("--resume", help="Continue the conversation of this id.")] = "",
    last: Annotated[bool, typer.Option("--last", help="Continue the last conversation.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Do not store the conversation.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the stored conversations, and exit.")] = False,
    forget: Annotated[str, typer.Option("--forget", help="Delete the conversation of this id, and exit.")] = "",
    json: Json = False,
    document: Documents = None,
    folder: Folders = None,
    type: Types = None,
    tag: TagNames = None,
    page: Pages = None,
    since: Since = "",
    until: Until = "",
    set: Set = None,
) -> None:
    """Hold a conversation; follow-up questions are understood in context. An empty line ends it.

    The knowledge base stores the conversation, and its answers as long as the cited documents are unchanged.
    """
    from pipelines.store.lancedb.library import leave_out_data_frames
    from qa import KnowledgeBase

    leave_out_data_frames()
    if list_ or forget:
        _list_kept(kb, json) if list_ else _forget(kb, forget)
        return
    where = filter_of(document, folder, type, tag, page, since, until)
    settings = settings_from(kb, set)
    kept = _begun(kb, resume, last)
    with KnowledgeBase.open(kb, settings) as knowledge:
        talk = knowledge.conversation(strategy=strategy or "", where=where, before=_exchanges(kept))
        kept = _converse(talk, kept, None if private else kb, trace, json)
    if kept.turns and not private:
        say(f"stored as {kept.id}: `strata chat --resume {kept.id}` continues it", err=True)


def _begun(kb: Path, resume: str, last: bool) -> KeptConversation:
    """Return a new conversation, or the one to continue. Raises `NotFound`."""
    from pipelines.ingest.feedback import KeptConversation, conversation_named

    if not resume and not last:
        return KeptConversation.new()
    with store_at(kb) as store:
        return conversation_named(store.catalog, resume)


def _exchanges(kept: KeptConversation) -> list[Exchange]:
    from qa.answer import Answer
    from qa.conversation import Exchange

    return [Exchange(turn.asked, turn.understood, Answer(turn.understood, turn.answer, "")) for turn in kept.turns]


def _converse(talk: Conversation, kept: KeptConversation, kb: Path | None, trace: bool, json: bool) -> KeptConversation:
    """Hold the conversation; it is stored after each answer, if there is a `kb`."""
    import asyncio

    from flows.cli.answer_text import as_json, print_answer, print_warnings, streamed
    from flows.cli.printing import print_json

    for turn in () if json else kept.turns:
        say(f"> {shown(turn.asked)}\n{shown_lines(turn.answer) or '(the cited documents have changed)'}\n")
    say("Ask a question; an empty line ends the conversation.", err=True)
    edit_lines()
    while question := _next("" if json else "> "):
        try:
            with streamed(json):
                answer = asyncio.run(talk.say(question))
        except StrataError as error:
            say_error(error.message, error.hint)
            continue
        understood = talk.turns[-1].understood
        if understood != question:
            say(f"(understood as: {shown(understood)})", err=True)
        if json:
            print_json(as_json(answer))
        else:
            print_answer(answer, trace)
        print_warnings(answer)
        cited = dict.fromkeys(citation.document for citation in answer.citations)
        kept = kept.said(question, understood, answer.text, tuple(cited))
        if kb is not None:
            _keep(kb, kept)
    return kept


def _keep(kb: Path, kept: KeptConversation) -> None:
    from pipelines.ingest.feedback import keep_conversation

    with store_at(kb) as store:
        keep_conversation(store.catalog, kept)


def _next(prompt: str) -> str:
    """Return the next line, empty at the end of the input."""
    try:
        return input(prompt).strip()
    except EOFError:
        say("", err=True)  # what follows is not on the line of the prompt
        return ""


def _list_kept(kb: Path, json: bool) -> None:
    from flows.cli.printing import moment, print_kept
    from pipelines.ingest.feedback import CONVERSATIONS

    def cells(one: KeptConversation) -> tuple[str, ...]:
        return one.id, str(len(one.turns)), one.turns[0].asked, moment(one.turns[-1].at)

    print_kept(CONVERSATIONS.read, kb, json, ("id", "questions", "first question", "last used (UTC)"), cells)


def _forget(kb: Path, id: str) -> None:
    from pipelines.ingest.feedback import CONVERSATIONS

    with store_at(kb) as store:
        CONVERSATIONS.take_back(store.catalog, id)
    say(f"deleted: {id}")
