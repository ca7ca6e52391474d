"""Who does the language work of a build, and what stands for them in the keys of artifacts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.atomize.distiller import Distiller
from pipelines.atomize.extractive_distiller import ExtractiveDistiller
from pipelines.chunk.model_splitter import SPLIT_ROLE, SUMMARY_ROLE
from pipelines.chunk.splitter import Splitter, StructuralSplitter
from pipelines.chunk.summaries import OVERVIEW_ROLE
from pipelines.core.ids import digest
from pipelines.core.knowledge import TagClass
from pipelines.core.work.job import JobContext
from pipelines.ingest.keys import Makers
from pipelines.ingest.task import WorkerSetup
from pipelines.llm.chat import Chat
from pipelines.llm.embedders import default_embedder
from pipelines.llm.prompt import Prompt
from pipelines.resources import Stores, vectors_name
from pipelines.settings import Settings
from pipelines.store.catalog import Catalog
from pipelines.store.facts import CatalogFact
from pipelines.store.folder import KnowledgeBaseFolder

if TYPE_CHECKING:
    from pipelines.atomize.tag_classes import ModelClasses
    from pipelines.atomize.tag_pairs import Pairing
    from pipelines.chunk.summaries import Summarizer
    from pipelines.graph.entity_judge import ModelJudge
    from pipelines.llm.budget import Budget
    from pipelines.llm.ledger import Ledger
    from pipelines.parse.describe import Describer

REPLY_SHARES = {
    "classes": 0.12,
    "split": 0.23,
    "summarize": 0.3,
    "overview": 0.3,
    "distil": 0.4,
    "describe": 0.2,
    "same_entity": 0.1,
    "pair": 0.1,
}
"""What part of the tokens that a reply may have it usually takes, by role: means of replies of Qwen2.5 1.5B about the
example documents; of describing, judging and pairing, which it was not asked for, guesses."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Who splits, distils, describes, pairs, induces tag classes and judges entities, by one set of settings.

    With a `chat` a model does it; without, extractive workers do what can be done so, and the others are None.
    `prompts` is the folder with the knowledge base's own prompts, `kinds` the tag classes induced for the corpus.
    None of them depends on the knowledge base's embedder: another one needs no new language work.
    """

    settings: Settings
    chat: Chat | None = None
    prompts: Path | None = None
    kinds: tuple[str, ...] = ()

    def splitter(self) -> Splitter:
        if self.chat is None or not self.settings.chunk.recurrent:
            return StructuralSplitter(self.settings.chunk)
        from pipelines.chunk.model_splitter import ModelSplitter

        return ModelSplitter(self.chat, self.settings.chunk, overrides=self.prompts)

    def summarizer(self) -> Summarizer:
        """Return who summarizes sections and documents."""
        from pipelines.chunk.summaries import ModelSummarizer, QuotingSummarizer

        if self.chat is None or not self.settings.chunk.recurrent:
            return QuotingSummarizer()
        return ModelSummarizer(self.chat, self.prompts)

    def distiller(self) -> Distiller:
        settings = self.settings
        if self.chat is None:
            return ExtractiveDistiller(settings.atomize)
        from pipelines.atomize.model_distiller import ModelDistiller

        asking = ModelDistiller(self.chat, settings.atomize, default_embedder(), self.prompts, settings.graph.schema)
        return asking.with_classes(self.kinds)

    def describer(self) -> Describer | None:
        """Return who describes figures, None where that is switched off."""
        if self.chat is None or not self.settings.parse.describe_figures:
            return None
        from pipelines.parse.describe import ChatDescriber

        return ChatDescriber(self.chat, self.prompts)

    def pairing(self) -> Pairing:
        from pipelines.atomize.tag_pairs import CoOccurrencePairing, ModelPairing

        return CoOccurrencePairing() if self.chat is None else ModelPairing(self.chat, self.prompts)

    def inducer(self) -> ModelClasses | None:
        """Return who induces the classes of tags, None where the settings name them."""
        if self.chat is None or not induces_classes(self.settings):
            return None
        from pipelines.atomize.tag_classes import ModelClasses

        return ModelClasses(self.chat, default_embedder(), self.prompts)

    def judge(self) -> ModelJudge | None:
        """Return who decides whether two names are of one entity, None where that is switched off."""
        if self.chat is None or not self.settings.graph.judged_pairs:
            return None
        from pipelines.graph.entity_judge import ModelJudge

        return ModelJudge(self.chat, Prompt.load("pipelines.graph", "same", self.prompts))


def workers_at(job: JobContext, setup: WorkerSetup) -> Workers:
    """Return the workers as a process has them: a model is asked through the parent."""
    if setup.model is None:
        return Workers(setup.settings)
    from pipelines.ingest.worker_requests import ParentChat

    return Workers(setup.settings, ParentChat(job), setup.model.prompts, setup.model.kinds)


@contextmanager
def open_workers(settings: Settings, folder: KnowledgeBaseFolder, budget: Budget, ledger: Ledger) -> Iterator[Workers]:
    """Yield the workers for the knowledge base at `folder`; calls keep to `budget` and are summed in `ledger`."""
    if not settings.llm.configured:
        yield Workers(settings)
        return
    from pipelines.llm.stack import open_chat

    chat = open_chat(settings.llm, folder.replies, folder.trace, budget, ledger)
    try:
        yield Workers(settings, chat, folder.prompts)
    finally:
        asyncio.run(chat.close())


@contextmanager
def open_counting_workers(settings: Settings, folder: KnowledgeBaseFolder) -> Iterator[Workers]:
    """Yield workers whose `chat`, where a model is configured, is a `DryRunChat` with the replies that are kept."""
    if not settings.llm.configured:
        yield Workers(settings)
        return
    from pipelines.llm.budget import DryRunChat
    from pipelines.llm.cache import ReplyStore

    chat = DryRunChat(settings.llm, ReplyStore(folder.replies) if settings.llm.cache else None, REPLY_SHARES)
    try:
        yield Workers(settings, chat, folder.prompts)
    finally:
        asyncio.run(chat.close())


@dataclass(frozen=True, slots=True)
class KeptClasses:
    """The classes of the corpus's tags, and the model and prompt that induced them.

    `names` is the digest of the names of all that were induced: it is part of the keys of what was distilled by them,
    which stays as it is when one of the classes goes.
    """

    maker: str
    classes: tuple[TagClass, ...]
    names: str = ""


CLASSES: CatalogFact[KeptClasses | None] = CatalogFact("tag classes", KeptClasses, None)
"""The classes by which a model tags."""


def kept_classes(catalog: Catalog, maker: str) -> KeptClasses | None:
    """Return the classes that `maker` induced for this knowledge base, None where it did not yet."""
    kept = CLASSES.read(catalog)
    return kept if kept is not None and maker and kept.maker == maker else None


def names_digest(kept: KeptClasses) -> str:
    """Return the digest of the names of all classes that were induced, those that went since included."""
    return kept.names or digest(" ".join(one.name for one in kept.classes).encode())[:16]


def makers_of(settings: Settings, stores: Stores) -> Makers:
    """Return what stands in the keys of artifacts for those who make them: with a model, it and its prompts."""
    index, folder = vectors_name(stores.embedder.info), stores.folder
    if not settings.llm.configured:
        return Makers("structural", "extractive", index)
    kept = kept_classes(stores.catalog, classes_maker(settings, folder))
    return Makers(
        _splitting(settings, folder),
        f"{_maker(settings, 'distil', Prompt.load('pipelines.atomize', 'distil', folder.prompts))} "
        f"{names_digest(kept) if kept else ''} {_summarizing(settings, folder)}",
        index,
        _maker(settings, "describe", Prompt.load("pipelines.parse", "describe_figure", folder.prompts))
        if settings.parse.describe_figures
        else "",
    )


def _splitting(settings: Settings, folder: KnowledgeBaseFolder) -> str:
    """What stands for who splits documents: two prompts, and the model of each."""
    if not settings.chunk.recurrent:
        return "structural"
    return " ".join(_chunk_maker(settings, folder, name) for name in (SPLIT_ROLE, SUMMARY_ROLE))


def _summarizing(settings: Settings, folder: KnowledgeBaseFolder) -> str:
    """What stands for who summarizes sections."""
    return _chunk_maker(settings, folder, OVERVIEW_ROLE) if settings.chunk.recurrent else "quoting"


def _chunk_maker(settings: Settings, folder: KnowledgeBaseFolder, role: str) -> str:
    """What stands for who has a role in chunking, whose prompt is named after it."""
    return _maker(settings, role, Prompt.load("pipelines.chunk", role, folder.prompts))


def classes_maker(settings: Settings, folder: KnowledgeBaseFolder) -> str:
    """Return what stands for who induces the classes of tags, empty where nobody does."""
    if not settings.llm.configured or not induces_classes(settings):
        return ""
    return _maker(settings, "classes", Prompt.load("pipelines.atomize", "classes", folder.prompts))


def judge_maker(settings: Settings, stores: Stores) -> str:
    """Return what stands for who judges entities."""
    return _maker(settings, "same_entity", Prompt.load("pipelines.graph", "same", stores.folder.prompts))


def named_classes(settings: Settings) -> tuple[str, ...]:
    """Return the classes of tags that the settings name, none where they are to be found."""
    return settings.atomize.tag_classes or settings.graph.schema.kinds


def induces_classes(settings: Settings) -> bool:
    return settings.atomize.tags and not named_classes(settings)


def _maker(settings: Settings, role: str, prompt: Prompt) -> str:
    return f"{settings.llm.model_of(role)} {prompt.digest}"
