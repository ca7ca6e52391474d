"""The splitters, distillers and other workers that do the language work of a build, and their ids in artifact keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.core.concurrent import run_to_end
from pipelines.core.ids import digest
from pipelines.core.knowledge import TagClass
from pipelines.core.work.job import JobContext
from pipelines.ingest.keys import Makers
from pipelines.ingest.task import WorkerSetup
from pipelines.llm.chat import Chat
from pipelines.llm.embedders import default_embedder
from pipelines.llm.prompt import Prompt
from pipelines.parse.ocr.tesseract import usable_models
from pipelines.resources import Stores, vectors_name
from pipelines.settings import Settings
from pipelines.store.catalog import Catalog
from pipelines.store.facts import CatalogFact
from pipelines.store.folder import KnowledgeBaseFolder

if TYPE_CHECKING:
    from pipelines.atomize.distiller import Distiller
    from pipelines.atomize.tag_classes import ModelClasses
    from pipelines.atomize.tag_pairs import Pairing
    from pipelines.chunk.splitter import Splitter
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
"""The mean length of a reply as a share of its maximum tokens, by role: measured for Qwen2.5 1.5B on the example
documents, but guessed for describing, judging and pairing."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Creates the workers of all language work from one set of settings.

    With a `chat`, a model does the work. Without one, extractive workers do it, and work that needs a model is None.
    `prompts` is the folder with the knowledge base's own prompts, `kinds` are the tag classes induced for the corpus.
    No worker depends on the knowledge base's embedder, so a change of embedder needs no new language work.
    """

    settings: Settings
    chat: Chat | None = None
    prompts: Path | None = None
    kinds: tuple[str, ...] = ()

    def splitter(self) -> Splitter:
        if self.chat is None or not self.settings.chunk.recurrent:
            from pipelines.chunk.splitter import StructuralSplitter

            return StructuralSplitter(self.settings.chunk)
        from pipelines.chunk.model_splitter import ModelSplitter

        return ModelSplitter(self.chat, self.settings.chunk, overrides=self.prompts)

    def summarizer(self) -> Summarizer:
        """Return the summarizer of sections and documents."""
        from pipelines.chunk.summaries import ModelSummarizer, QuotingSummarizer

        if self.chat is None or not self.settings.chunk.recurrent:
            return QuotingSummarizer()
        return ModelSummarizer(self.chat, self.prompts)

    def distiller(self) -> Distiller:
        settings = self.settings
        if self.chat is None or not settings.atomize.use_model:
            from pipelines.atomize.extractive_distiller import ExtractiveDistiller

            return ExtractiveDistiller(settings.atomize)
        from pipelines.atomize.model_distiller import ModelDistiller

        asking = ModelDistiller(self.chat, settings.atomize, default_embedder(), self.prompts, settings.graph.schema)
        return asking.with_classes(self.kinds)

    def describer(self) -> Describer | None:
        """Return the describer of figures, or None if that is disabled."""
        if self.chat is None or not self.settings.parse.describe_figures:
            return None
        from pipelines.parse.describe import ChatDescriber

        return ChatDescriber(self.chat, self.prompts)

    def pairing(self) -> Pairing:
        from pipelines.atomize.tag_pairs import CoOccurrencePairing, ModelPairing

        return CoOccurrencePairing() if self.chat is None else ModelPairing(self.chat, self.prompts)

    def inducer(self) -> ModelClasses | None:
        """Return the inducer of tag classes, or None if the settings name the classes."""
        if self.chat is None or not induces_classes(self.settings):
            return None
        from pipelines.atomize.tag_classes import ModelClasses

        return ModelClasses(self.chat, default_embedder(), self.prompts)

    def judge(self) -> ModelJudge | None:
        """Return the judge of whether two names denote one entity, or None if that is disabled."""
        if self.chat is None or not self.settings.graph.judged_pairs:
            return None
        from pipelines.graph.entity_judge import ModelJudge

        return ModelJudge(self.chat, Prompt.load("pipelines.graph", "same", self.prompts))


def workers_at(job: JobContext, setup: WorkerSetup) -> Workers:
    """Return the workers for a worker process, in which a model is asked through the parent."""
    if setup.model is None:
        return Workers(setup.settings)
    from pipelines.ingest.worker_requests import ParentChat

    return Workers(setup.settings, ParentChat(job), setup.model.prompts, setup.model.kinds)


@contextmanager
def open_workers(
    settings: Settings, folder: KnowledgeBaseFolder, budget: Budget, ledger: Ledger, dry_run: bool = False
) -> Iterator[Workers]:
    """Yield the workers of a knowledge base; model calls are limited by `budget` and recorded in `ledger`.

    With `dry_run`, their `chat` is a `DryRunChat` with the cached replies, if a model is configured.
    """
    if not settings.llm.configured:
        yield Workers(settings)
        return
    chat = _dry_run_chat(settings, folder) if dry_run else _model_chat(settings, folder, budget, ledger)
    try:
        yield Workers(settings, chat, folder.prompts)
    finally:
        run_to_end(chat.close)


def _model_chat(settings: Settings, folder: KnowledgeBaseFolder, budget: Budget, ledger: Ledger) -> Chat:
    from pipelines.llm.stack import open_chat

    return open_chat(settings.llm, folder.replies, folder.trace, budget, ledger)


def _dry_run_chat(settings: Settings, folder: KnowledgeBaseFolder) -> Chat:
    from pipelines.llm.budget import DryRunChat
    from pipelines.llm.cache import ReplyStore

    return DryRunChat(settings.llm, ReplyStore(folder.replies) if settings.llm.cache else None, REPLY_SHARES)


@dataclass(frozen=True, slots=True)
class KeptClasses:
    """The tag classes of the corpus, and the model and prompt that induced them.

    `names` is the digest of the names of all induced classes. It is part of the key of distillates, and does not change
    when a class is dropped.
    """

    maker: str
    classes: tuple[TagClass, ...]
    names: str = ""


CLASSES: CatalogFact[KeptClasses | None] = CatalogFact("tag classes", KeptClasses, None)
"""The tag classes that a model uses."""


def kept_classes(catalog: Catalog, maker: str) -> KeptClasses | None:
    """Return the tag classes that `maker` has induced for this knowledge base, or None."""
    kept = CLASSES.read(catalog)
    return kept if kept is not None and maker and kept.maker == maker else None


def names_digest(kept: KeptClasses) -> str:
    """Return the digest of the names of all induced classes, including dropped ones."""
    return kept.names or digest(" ".join(one.name for one in kept.classes).encode())[:16]


def makers_of(settings: Settings, stores: Stores) -> Makers:
    """Return the ids of the workers in artifact keys: with a model, its name and the digests of its prompts."""
    index, folder = vectors_name(stores.embedder.info), stores.folder
    scripts = " ".join(usable_models(settings.parse.ocr))
    if not settings.llm.configured:
        return Makers("structural", "extractive", index, scripts=scripts)
    from pipelines.chunk.model_splitter import SPLIT_ROLE, SUMMARY_ROLE
    from pipelines.chunk.summaries import OVERVIEW_ROLE

    splitter, summarizer, describer = "structural", "quoting", ""
    if settings.chunk.recurrent:
        splitter = " ".join(_maker(settings, folder, role, "pipelines.chunk") for role in (SPLIT_ROLE, SUMMARY_ROLE))
        summarizer = _maker(settings, folder, OVERVIEW_ROLE, "pipelines.chunk")
    if settings.parse.describe_figures:
        describer = _maker(settings, folder, "describe", "pipelines.parse", "describe_figure")
    distiller = "extractive"
    if settings.atomize.use_model:
        kept = kept_classes(stores.catalog, classes_maker(settings, folder))
        distiller = _maker(settings, folder, "distil", "pipelines.atomize") + f" {names_digest(kept) if kept else ''}"
    return Makers(splitter, f"{distiller} {summarizer}", index, describer, scripts)


def classes_maker(settings: Settings, folder: KnowledgeBaseFolder) -> str:
    """Return the id of the inducer of tag classes, empty if there is none."""
    if not settings.llm.configured or not induces_classes(settings):
        return ""
    return _maker(settings, folder, "classes", "pipelines.atomize")


def judge_maker(settings: Settings, stores: Stores) -> str:
    """Return the id of the judge of entities."""
    return _maker(settings, stores.folder, "same_entity", "pipelines.graph", "same")


def named_classes(settings: Settings) -> tuple[str, ...]:
    """Return the tag classes that the settings name, empty if they are to be induced."""
    return settings.atomize.tag_classes or settings.graph.schema.kinds


def induces_classes(settings: Settings) -> bool:
    return settings.atomize.use_model and settings.atomize.tags and not named_classes(settings)


def _maker(settings: Settings, folder: KnowledgeBaseFolder, role: str, package: str, prompt: str = "") -> str:
    """Return the id of a worker: its model, and the digest of its prompt, whose name is by default the role."""
    return f"{settings.llm.model_of(role)} {Prompt.load(package, prompt or role, folder.prompts).digest}"
