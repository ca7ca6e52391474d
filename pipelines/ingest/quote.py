"""What the language work of an ingest will take, by stage, before any call is made."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pipelines.atomize.atomize import atomize
from pipelines.atomize.content import contents
from pipelines.atomize.extractive import ExtractiveDistiller
from pipelines.atomize.model import ModelDistiller
from pipelines.atomize.tag_classes_model import ModelClasses
from pipelines.atomize.tag_pairs import read_samples
from pipelines.atomize.tag_pairs_model import ROLE as PAIR_ROLE
from pipelines.chunk.chunk import split
from pipelines.chunk.recurrent import RecurrentSplitter
from pipelines.chunk.splitter import Cut, Window
from pipelines.chunk.structural import StructuralSplitter
from pipelines.core import codec
from pipelines.core.chunk import Chunk
from pipelines.core.document import Document
from pipelines.graph.card import DocumentCard, card
from pipelines.ingest.build import open_run
from pipelines.ingest.classes import sample_tags
from pipelines.ingest.compile import Item, member_item, parse_item
from pipelines.ingest.corpus import read_cards
from pipelines.ingest.figures import parsed_of
from pipelines.ingest.judged import judge_requests
from pipelines.ingest.language import classes_maker, kept_classes, model_distiller
from pipelines.ingest.progress import Progress, silent
from pipelines.ingest.report import QUOTE_FACT
from pipelines.ingest.run import Run
from pipelines.llm.fakes import ScriptedChat
from pipelines.llm.quote import Quote, Quoter
from pipelines.llm.reply_store import ReplyStore
from pipelines.llm.wordllama import WordLlamaEmbedder
from pipelines.parse.describe import ChatDescriber, undescribed
from pipelines.parse.parsed import Parsed
from pipelines.settings import Settings

CLASSES_TOKENS, DESCRIBED_TOKENS = 100, 120
"""Tokens of a reply that names the classes of tags, and of one that describes a figure."""
JUDGED_TOKENS = 12
"""Tokens of a reply that names those of ten pairs of names that are one thing."""
PAIR_TOKENS = (200, 40)
"""Tokens of a request for the tags that the words of a question lead to, and of its reply."""
CUT_TOKENS = 70
"""Tokens of a reply that says where a chunk ends, with its two summaries."""
DISTILLED_SHARE = 0.9
"""Tokens of a reply that distils a chunk, as a share of the chunk's own; at least `DISTILLED_LEAST`."""
DISTILLED_LEAST = 120


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
        store = ReplyStore(run.stores.places.replies)
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
    places, pending = run.stores.places, list(items)
    cards: list[DocumentCard] = []
    splitter = _QuotingSplitter(settings, quoter, places.prompts)
    distiller = await _classed(run, items, model_distiller(ScriptedChat([]), settings, places), quoter)
    while pending:
        item = pending.pop()
        record = await parse_item(item, run.tools.keys(item.source), run.tools, silent)
        pending += [member_item(item, member) for member in record.members]
        if settings.parse.describe_figures:
            _quote_figures(parsed_of(record, run.stores.artifacts), places.prompts, quoter)
        if record.document is not None:
            chunks = await _quote_document(record.document, splitter, distiller, settings, quoter)
            named = await atomize(record.document, chunks, ExtractiveDistiller(settings.atomize), settings.atomize)
            cards.append(card(record.document, named))
    _quote_judge(run, items, cards, settings, quoter)


def _quote_judge(
    run: Run, items: Sequence[Item], new: Sequence[DocumentCard], settings: Settings, quoter: Quoter
) -> None:
    changed = {item.source.uri for item in items}
    kept = [entry for entry in run.searchable() if entry.uri not in changed]
    for request in judge_requests([*read_cards(kept, run.stores), *new], run.stores, settings):
        quoter.add(request, JUDGED_TOKENS)


async def _classed(run: Run, items: Sequence[Item], distiller: ModelDistiller, quoter: Quoter) -> ModelDistiller:
    """The distiller with the corpus's classes of tags; where they are yet to be induced, that is quoted."""
    tools, stores = run.tools, run.stores
    maker = classes_maker(tools.settings, stores.places)
    kept = kept_classes(stores.catalog, maker)
    if maker and items and kept is None:
        sample = await sample_tags(items, tools, silent)
        request = ModelClasses(ScriptedChat([]), WordLlamaEmbedder(), stores.places.prompts).request(
            sample.tags, sample.language
        )
        if request is not None:
            quoter.add(request, CLASSES_TOKENS)
    return distiller.with_classes([one.name for one in kept.classes]) if kept else distiller


def _quote_figures(parsed: Parsed, prompts: Path, quoter: Quoter) -> None:
    describer = ChatDescriber(ScriptedChat([]), prompts)
    for picture, around in undescribed(parsed):
        quoter.add(describer.request(picture, around), DESCRIBED_TOKENS)


async def _quote_document(
    document: Document, splitter: _QuotingSplitter, distiller: ModelDistiller, settings: Settings, quoter: Quoter
) -> tuple[Chunk, ...]:
    chunks = (await split(document, splitter, settings.chunk)).results
    for content in contents(document, chunks):
        request = distiller.request(content)
        if request is not None:
            quoter.add(request, max(DISTILLED_LEAST, round(len(content.chunk.text) / 4 * DISTILLED_SHARE)))
    return chunks


class _QuotingSplitter:
    """Cuts as the extractive splitter does, and counts what the recurrent one would have asked."""

    def __init__(self, settings: Settings, quoter: Quoter, prompts: Path) -> None:
        self._structural = StructuralSplitter(settings.chunk)
        self._recurrent = RecurrentSplitter(ScriptedChat([]), settings.chunk, overrides=prompts)
        self._quoter = quoter

    async def cut(self, window: Window) -> Cut:
        request = self._recurrent.request(window)
        if request is not None:
            self._quoter.add(request, CUT_TOKENS)
        return await self._structural.cut(window)
