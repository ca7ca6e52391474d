"""Question answering over a knowledge base: strategies, and answers with checked citations."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pipelines.core.libraries import disable_telemetry
from pipelines.retrieve.hit import Hit, Share
from qa.answer import NOT_IN_DOCUMENTS, Answer, Citation, Claim, Ending, Found, Step

if TYPE_CHECKING:
    from qa.citations import Citer
    from qa.conversation import Conversation
    from qa.knowledge_base import KnowledgeBase

__all__ = [
    "NOT_IN_DOCUMENTS", "Answer", "Citation", "Citer", "Claim", "Conversation", "Ending", "Found", "Hit",
    "KnowledgeBase", "Share", "Step",
]  # fmt: skip

_LAZY = {"Citer": "qa.citations", "KnowledgeBase": "qa.knowledge_base", "Conversation": "qa.conversation"}

disable_telemetry()


def __getattr__(name: str) -> object:
    """Import the modules that open stores on demand."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
