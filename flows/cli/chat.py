"""`strata chat`: a conversation with a knowledge base, kept in it so that it can be gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.ask import (
    Documents,
    Folders,
    Pages,
    Since,
    StrategyName,
    TagNames,
    Types,
    Until,
    filter_of,
    spare_data_frames,
)
from flows.cli.options import DEFAULT_KB, Json, Kb, Set, settings_from, store_at
from flows.cli.stdio import say, say_error
from pipelines.core.errors import StrataError
from pipelines.core.safe_output import shown

if TYPE_CHECKING:
    from pipelines.ingest.conversations import KeptConversation
    from qa.conversation import Conversation, Exchange


def register(app: typer.Typer) -> None:
    app.command("chat")(chat)


def chat(
    kb: Kb = DEFAULT_KB,
    strategy: StrategyName = None,
    trace: Annotated[bool, typer.Option("--trace", help="Print the steps that led to each answer.")] = False,
    resume: Annotated[str, typer.Option("--resume", help="Continue the conversation of this id.")] = "",
    last: Annotated[bool, typer.Option("--last", help="Continue the last conversation.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Do not store the conversation.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the stored conversations, and end.")] = False,
    forget: Annotated[str, typer.Option("--forget", help="Delete the conversation of this id, and end.")] = "",
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
    """Hold a conversation; follow-up questions are understood from what was said before. An empty line ends it.

    It is kept in the knowledge base, with the answers as long as the documents they rest on are there unchanged.
    """
    from qa import KnowledgeBase

    if list_ or forget:
        _list(kb, json) if list_ else _forget(kb, forget)
        return
    where = filter_of(document, folder, type, tag, page, since, until)
    settings = settings_from(kb, set)
    kept = _begun(kb, resume, last)
    with KnowledgeBase.open(kb, settings) as knowledge:
        spare_data_frames(settings)
        talk = knowledge.conversation(strategy=strategy or "", where=where, before=_exchanges(kept))
        kept = _converse(talk, kept, None if private else kb, trace)
    if kept.turns and not private:
        say(f"kept as {kept.id}: `strata chat --resume {kept.id}` goes on", err=True)


def _begun(kb: Path, resume: str, last: bool) -> KeptConversation:
    """A new conversation, or the one to go on with. Raises `NotFound`."""
    from pipelines.ingest.conversations import KeptConversation, conversation_named

    if not resume and not last:
        return KeptConversation.new()
    with store_at(kb) as store:
        return conversation_named(store.catalog, resume)


def _exchanges(kept: KeptConversation) -> list[Exchange]:
    from qa.answer import Answer
    from qa.conversation import Exchange

    return [Exchange(turn.asked, turn.understood, Answer(turn.understood, turn.answer, "")) for turn in kept.turns]


def _converse(talk: Conversation, kept: KeptConversation, kb: Path | None, trace: bool) -> KeptConversation:
    """Hold the conversation; it is kept after each answer, unless there is no `kb`."""
    import asyncio

    from flows.cli.answer_text import print_answer, streamed, tell_troubles

    for turn in kept.turns:
        say(f"> {shown(turn.asked)}\n{shown(turn.answer) or '(the documents that said so have changed)'}\n")
    say("Ask; an empty line ends the conversation.", err=True)
    while question := _next():
        try:
            with streamed(quiet=False):
                answer = asyncio.run(talk.say(question))
        except StrataError as error:
            say_error(error.message, error.hint)
            continue
        understood = talk.turns[-1].understood
        if understood != question:
            say(f"(understood as: {shown(understood)})", err=True)
        print_answer(answer, trace)
        tell_troubles(answer)
        rests = dict.fromkeys(citation.document for citation in answer.citations)
        kept = kept.said(question, understood, answer.text, tuple(rests))
        if kb is not None:
            _keep(kb, kept)
    return kept


def _keep(kb: Path, kept: KeptConversation) -> None:
    from pipelines.ingest.conversations import keep_conversation

    with store_at(kb) as store:
        keep_conversation(store.catalog, kept)


def _next() -> str:
    """The next line, empty at the end of the input."""
    try:
        return input("> ").strip()
    except EOFError:
        return ""


def _list(kb: Path, json: bool) -> None:
    from flows.cli.console import TextTable, console
    from flows.cli.printing import print_json
    from pipelines.ingest.conversations import CONVERSATIONS

    with store_at(kb) as store:
        found = CONVERSATIONS.read(store.catalog)
    if json:
        print_json(found)
        return
    table = TextTable("id", "questions", "the first", "last gone on with (UTC)")
    for one in found:
        table.row(one.id, str(len(one.turns)), one.turns[0].asked, one.turns[-1].at)
    console().print(table)


def _forget(kb: Path, id: str) -> None:
    from pipelines.ingest.conversations import CONVERSATIONS

    with store_at(kb) as store:
        CONVERSATIONS.take_back(store.catalog, id)
    say(f"dropped: {id}")
