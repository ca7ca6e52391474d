"""Settings to those who do the language work of a build."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pipelines.atomize.tag_classes import KINDS, ModelClasses
from pipelines.atomize.tag_pairs import CoOccurrencePairing, ModelPairing, Pairing
from pipelines.core import codec
from pipelines.core.ids import digest
from pipelines.core.knowledge import TagClass
from pipelines.ingest.keys import Makers
from pipelines.ingest.task import ModelWork
from pipelines.llm.budget import Budget
from pipelines.llm.chat import Chat
from pipelines.llm.ledger import Ledger
from pipelines.llm.prompt import Prompt
from pipelines.llm.stack import open_chat
from pipelines.llm.wordllama import WordLlamaEmbedder
from pipelines.resources import Stores, vectors_name
from pipelines.settings import Settings
from pipelines.store.catalog import Catalog
from pipelines.store.folder import KnowledgeBaseFolder

CLASSES_FACT = "tag classes"
"""The fact under which the catalog keeps the classes by which a model tags."""


@dataclass(frozen=True, slots=True)
class KeptClasses:
    """The classes of the corpus's tags, and the model and prompt that induced them.

    `names` stands for the names of all that were induced: what was distilled by them stays as it is when one goes.
    """

    maker: str
    classes: tuple[TagClass, ...]
    names: str = ""


@dataclass(frozen=True, slots=True)
class Induction:
    """Who induces the classes of tags, and what stands for it: its model and prompt."""

    inducer: ModelClasses
    maker: str


@dataclass(frozen=True, slots=True)
class Language:
    """Who does the language work of a build, but for that of the workers.

    `chat` and `model` are None where no model is configured, `induction` where no classes are to be induced.
    """

    pairing: Pairing
    ledger: Ledger
    chat: Chat | None = None
    model: ModelWork | None = None
    induction: Induction | None = None


@contextmanager
def open_language(settings: Settings, places: KnowledgeBaseFolder, budget: Budget = Budget()) -> Iterator[Language]:
    """Yield who does the language work: a model where one is configured, else the extractive workers.

    Neither depends on the knowledge base's embedder, so that another one needs no new language work.
    """
    ledger = Ledger(settings.llm.prices)
    if not settings.llm.configured:
        yield Language(CoOccurrencePairing(), ledger)
        return
    chat = open_chat(settings.llm, places.replies, places.trace, budget, ledger)
    try:
        yield _asking(chat, settings, places, ledger)
    finally:
        asyncio.run(chat.close())


def _asking(chat: Chat, settings: Settings, places: KnowledgeBaseFolder, ledger: Ledger) -> Language:
    """The language work done by a model."""
    maker = classes_maker(settings, places)
    return Language(
        ModelPairing(chat, places.prompts),
        ledger,
        chat,
        ModelWork(places.prompts, describes=settings.parse.describe_figures),
        Induction(ModelClasses(chat, WordLlamaEmbedder(), places.prompts), maker) if maker else None,
    )


def makers_of(settings: Settings, stores: Stores) -> Makers:
    """Return what stands in the keys of artifacts for those who make them: with a model, it and its prompts."""
    index, places = vectors_name(stores.embedder.info), stores.folder
    if not settings.llm.configured:
        return Makers("structural", "extractive", index)
    kept = kept_classes(stores.catalog, classes_maker(settings, places))
    names = (kept.names or _names(kept.classes)) if kept else ""
    return Makers(
        _maker(settings, "split", Prompt.load("pipelines.chunk", "split", places.prompts)),
        f"{_maker(settings, 'distil', Prompt.load('pipelines.atomize', 'distil', places.prompts))} {names}",
        index,
        _maker(settings, "describe", Prompt.load("pipelines.parse", "describe_figure", places.prompts))
        if settings.parse.describe_figures
        else "",
    )


def classes_maker(settings: Settings, places: KnowledgeBaseFolder) -> str:
    """Return what stands for who induces the classes of tags, empty where the settings name them or want none."""
    if not settings.llm.configured or not settings.atomize.tags or _named_classes(settings):
        return ""
    return _maker(settings, "classes", Prompt.load("pipelines.atomize", "classes", places.prompts))


def kept_classes(catalog: Catalog, maker: str) -> KeptClasses | None:
    """Return the classes that `maker` induced for this knowledge base, None where it did not yet."""
    fact = catalog.fact(CLASSES_FACT)
    kept = codec.decode(fact, KeptClasses) if fact else None
    return kept if kept is not None and maker and kept.maker == maker else None


def drop_classes(catalog: Catalog, borne: Collection[str]) -> None:
    """Forget the induced classes that no tag is in any more; `borne` are the ids of those that some tag is in."""
    fact = catalog.fact(CLASSES_FACT)
    if not fact:
        return
    kept = codec.decode(fact, KeptClasses)
    left = tuple(one for one in kept.classes if one.id in borne or one.name in KINDS)
    if left != kept.classes:
        kept = KeptClasses(kept.maker, left, kept.names or _names(kept.classes))
        catalog.set_fact(CLASSES_FACT, codec.encode(kept).decode())


def _names(classes: Sequence[TagClass]) -> str:
    return digest(" ".join(one.name for one in classes).encode())[:16]


def corpus_classes(settings: Settings, stores: Stores) -> tuple[TagClass, ...]:
    """Return the classes that the settings or an induction gave the corpus's tags, none where neither did."""
    if named := _named_classes(settings):
        return tuple(TagClass(TagClass.make_id(name), name) for name in named)
    kept = kept_classes(stores.catalog, classes_maker(settings, stores.folder))
    return kept.classes if kept else ()


def _named_classes(settings: Settings) -> tuple[str, ...]:
    return settings.atomize.tag_classes or settings.graph.schema.kinds


def _maker(settings: Settings, role: str, prompt: Prompt) -> str:
    return f"{settings.llm.model_of(role)} {prompt.digest}"
