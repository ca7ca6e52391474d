"""Settings to those who do the language work of a build."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pipelines.atomize.distiller import Distiller
from pipelines.atomize.extractive import ExtractiveDistiller
from pipelines.chunk.splitter import Splitter
from pipelines.chunk.structural import StructuralSplitter
from pipelines.llm.budget import Budget
from pipelines.llm.chat import Chat
from pipelines.llm.ledger import Ledger
from pipelines.llm.stack import open_chat
from pipelines.resources import Places
from pipelines.settings import Settings


@dataclass(frozen=True, slots=True)
class Language:
    """Who does the language work of a build; `chat` is None where no model is configured."""

    splitter: Splitter
    distiller: Distiller
    ledger: Ledger
    chat: Chat | None = None


@contextmanager
def open_language(settings: Settings, places: Places, budget: Budget = Budget()) -> Iterator[Language]:
    """Yield who does the language work: a model where one is configured, else the extractive workers.

    Neither depends on the knowledge base's embedder, so that another one needs no new language work.
    """
    ledger = Ledger(settings.llm.prices)
    if not settings.llm.configured:
        yield Language(StructuralSplitter(settings.chunk), ExtractiveDistiller(settings.atomize), ledger)
        return
    chat = open_chat(settings.llm, places.replies, places.trace, budget, ledger)
    try:
        yield Language(_splitter(settings, chat, places), _distiller(settings, chat, places), ledger, chat)
    finally:
        asyncio.run(chat.close())


def maker_names(settings: Settings, places: Places) -> tuple[str, str]:
    """Return what stands for splitter and distiller in the keys of what they make: with a model, it and its prompts."""
    if not settings.llm.configured:
        return "structural", "extractive"
    return f"recurrent {_model(settings, 'split', places)}", f"model {_model(settings, 'distil', places)}"
