"""Settings to those who do the language work of a build."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pipelines.atomize.distiller import Distiller
from pipelines.atomize.extractive import ExtractiveDistiller
from pipelines.atomize.model import ModelDistiller
from pipelines.atomize.tag_pairs import CoOccurrencePairing, Pairing
from pipelines.atomize.tag_pairs_model import ModelPairing
from pipelines.chunk.recurrent import RecurrentSplitter
from pipelines.chunk.splitter import Splitter
from pipelines.chunk.structural import StructuralSplitter
from pipelines.llm.budget import Budget
from pipelines.llm.chat import Chat
from pipelines.llm.ledger import Ledger
from pipelines.llm.prompt import Prompt
from pipelines.llm.stack import open_chat
from pipelines.llm.wordllama import WordLlamaEmbedder
from pipelines.resources import Places
from pipelines.settings import Settings


@dataclass(frozen=True, slots=True)
class Language:
    """Who does the language work of a build; `chat` is None where no model is configured."""

    splitter: Splitter
    distiller: Distiller
    pairing: Pairing
    ledger: Ledger
    chat: Chat | None = None


@contextmanager
def open_language(settings: Settings, places: Places, budget: Budget = Budget()) -> Iterator[Language]:
    """Yield who does the language work: a model where one is configured, else the extractive workers.

    Neither depends on the knowledge base's embedder, so that another one needs no new language work.
    """
    ledger = Ledger(settings.llm.prices)
    if not settings.llm.configured:
        extractive = ExtractiveDistiller(settings.atomize)
        yield Language(StructuralSplitter(settings.chunk), extractive, CoOccurrencePairing(), ledger)
        return
    chat = open_chat(settings.llm, places.replies, places.trace, budget, ledger)
    try:
        distiller = ModelDistiller(chat, settings.atomize, WordLlamaEmbedder(), overrides=places.prompts)
        splitter = RecurrentSplitter(chat, settings.chunk, overrides=places.prompts)
        yield Language(splitter, distiller, ModelPairing(chat, places.prompts), ledger, chat)
    finally:
        asyncio.run(chat.close())


def maker_names(settings: Settings, places: Places) -> tuple[str, str]:
    """Return what stands for splitter and distiller in the keys of what they make: with a model, it and its prompts."""
    if not settings.llm.configured:
        return "structural", "extractive"
    split = Prompt.load("pipelines.chunk", "split", places.prompts)
    distil = Prompt.load("pipelines.atomize", "distil", places.prompts)
    return f"{settings.llm.model_of('split')} {split.digest}", f"{settings.llm.model_of('distil')} {distil.digest}"
