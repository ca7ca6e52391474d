"""What a strategy is: one function from a question to an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from pipelines.core.errors import SettingsError
from qa.answer import Answer
from qa.language import Language
from qa.ports import Knowledge
from qa.strategies.settings import AnswerSettings

Strategy = Callable[[str, Knowledge, Language | None, AnswerSettings], Awaitable[Answer]]


class ModelStrategy(Protocol):
    """A strategy that cannot do without a model."""

    async def __call__(
        self, question: str, knowledge: Knowledge, language: Language, settings: AnswerSettings
    ) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A strategy in the registry: its name, what it does in a line, whether it needs a model."""

    name: str
    summary: str
    run: Strategy
    needs_model: bool = False


def with_model(name: str, strategy: ModelStrategy) -> Strategy:
    """Return the strategy as one that raises `SettingsError` where there is no model."""

    async def run(question: str, knowledge: Knowledge, language: Language | None, settings: AnswerSettings) -> Answer:
        if language is None:
            raise lacks_model(name)
        return await strategy(question, knowledge, language, settings)

    return run


def lacks_model(name: str) -> SettingsError:
    """Return the error of a strategy that is asked where no model is configured."""
    hint = "set OPENAI_API_KEY, or [llm] base_url or gguf; extractive and pike-graph need none"
    return SettingsError(f"the strategy {name} needs a language model", ids=(name,), hint=hint)
