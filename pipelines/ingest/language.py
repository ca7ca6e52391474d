"""Settings to those who do the language work of a build."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pipelines.atomize.distiller import Distiller
from pipelines.chunk.splitter import Splitter
from pipelines.llm.budget import Budget
from pipelines.llm.chat import Chat
from pipelines.llm.ledger import Ledger
from pipelines.llm.stack import open_chat
from pipelines.resources import Places
from pipelines.settings import Settings


@dataclass(frozen=True, slots=True)
class Language:
    """Who does the language work of a build; `chat` is None where no model is configured.

    The names go into the keys of what they make: an extractive worker's, or model and prompts.
    """

    splitter: Splitter
    splitter_name: str
    distiller: Distiller
    distiller_name: str
    ledger: Ledger
    chat: Chat | None = None


@contextmanager
def open_language(settings: Settings, places: Places, budget: Budget = Budget()) -> Iterator[Language]:
    """Yield who does the language work: a model where one is configured, else the extractive workers.

    Neither depends on the knowledge base's embedder, so that another one needs no new language work.
    """
    ledger = Ledger(settings.llm.prices)
    if not settings.llm.configured:
        yield _extractive(settings, ledger)
        return
    chat = open_chat(settings.llm, places.replies, places.trace, budget, ledger)
    try:
        yield _by_model(settings, chat, ledger, places)
    finally:
        asyncio.run(chat.close())


def _extractive(settings: Settings, ledger: Ledger) -> Language:
    from pipelines.atomize.extractive import ExtractiveDistiller
    from pipelines.chunk.structural import StructuralSplitter

    splitter = StructuralSplitter(settings.chunk)
    return Language(splitter, "structural", ExtractiveDistiller(settings.atomize), "extractive", ledger)
