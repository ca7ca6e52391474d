"""What the language work of an ingest will take, by stage, before any call is made."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pipelines.atomize.tag_classes import ModelClasses
from pipelines.atomize.tag_pairs import ROLE as PAIR_ROLE
from pipelines.atomize.tag_pairs import read_samples
from pipelines.core import codec
from pipelines.graph.card import DocumentCard
from pipelines.ingest.build import open_run
from pipelines.ingest.classes import sample_tags, with_classes
from pipelines.ingest.compile import Item, Tools, blame_nobody, member_item
from pipelines.ingest.corpus import read_cards
from pipelines.ingest.judged import judge_requests
from pipelines.ingest.language import classes_maker, kept_classes
from pipelines.ingest.progress import Progress, silent
from pipelines.ingest.rehearsal import Rehearsed, rehearse_document
from pipelines.ingest.report import QUOTE_FACT
from pipelines.ingest.run import Run
from pipelines.llm.quote import Quote, Quoter
from pipelines.llm.reply_store import ReplyStore
from pipelines.llm.testing.fakes import ScriptedChat
from pipelines.llm.wordllama import WordLlamaEmbedder
from pipelines.settings import Settings

CLASSES_TOKENS = 100
"""Tokens of a reply that names the classes of tags."""
JUDGED_TOKENS = 12
"""Tokens of a reply that names those of ten pairs of names that are one thing."""
PAIR_TOKENS = (200, 40)
"""Tokens of a request for the tags that the words of a question lead to, and of its reply."""


def quote_ingest(
    folder: Path, kb: Path, settings: Settings, progress: Progress = silent, qa_samples: Path | None = None
) -> Quote:
    """Return what an ingest of `folder` will ask of the model; parsing is done and kept, nothing is called.

    Chunks are cut, and entities named, as is done without a model: it may do otherwise, into about as many. Samples
    of questions and answers are one call each. Without a model the quote is empty. Raises what `build` raises.
    """
    with open_run(folder, kb, settings, progress) as run:
        items = run.prepare()
        if not settings.llm.configured:
            return Quote()
        store = ReplyStore(run.stores.folder.replies)
        try:
            quoter = Quoter(settings.llm, store)
            asyncio.run(_quote(run, items, settings, quoter))
            if qa_samples is not None:
                quoter.expect(PAIR_ROLE, len(read_samples(qa_samples)), *PAIR_TOKENS)
        finally:
            store.close()
        run.stores.catalog.set_fact(QUOTE_FACT, codec.encode(quoter.quote).decode())
        return quoter.quote


async def _quote(run: Run, items: tuple[Item, ...], settings: Settings, quoter: Quoter) -> None:
    tools, pending = await _classed(run, items, quoter), list(items)
    cards: list[DocumentCard] = []
    while pending:
        rehearsed = await asyncio.gather(*(_rehearsed(item, tools, quoter) for item in pending))
        cards += [one.card for one in rehearsed if one.card is not None]
        pending = [
            member_item(item, member) for item, one in zip(pending, rehearsed, strict=True) for member in one.members
        ]
    _quote_judge(run, items, cards, settings, quoter)


async def _rehearsed(item: Item, tools: Tools, quoter: Quoter) -> Rehearsed:
    """Count what a document will ask; nothing where it cannot be worked out: then nothing will be asked either."""
    ended = await tools.workers.do(rehearse_document, tools.task(item))
    blame_nobody(ended)
    rehearsed = codec.unpack(ended.result, Rehearsed) if ended.result is not None else Rehearsed()
    for expected in rehearsed.expected:
        quoter.add(expected.asking.request(), expected.tokens)
    return replace(rehearsed, expected=())


def _quote_judge(
    run: Run, items: Sequence[Item], new: Sequence[DocumentCard], settings: Settings, quoter: Quoter
) -> None:
    changed = {item.source.uri for item in items}
    kept = [entry for entry in run.searchable() if entry.uri not in changed]
    for request in judge_requests([*read_cards(kept, run.stores), *new], run.stores, settings):
        quoter.add(request, JUDGED_TOKENS)


async def _classed(run: Run, items: Sequence[Item], quoter: Quoter) -> Tools:
    """The tools with the corpus's classes of tags; where they are yet to be induced, that is quoted."""
    tools, stores = run.tools, run.stores
    maker = classes_maker(tools.settings, stores.folder)
    kept = kept_classes(stores.catalog, maker)
    if maker and items and kept is None:
        sample = await sample_tags(items, tools, silent)
        request = ModelClasses(ScriptedChat([]), WordLlamaEmbedder(), stores.folder.prompts).request(
            sample.tags, sample.language
        )
        if request is not None:
            quoter.add(request, CLASSES_TOKENS)
    return with_classes(tools, [one.name for one in kept.classes]) if kept else tools
