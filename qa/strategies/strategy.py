"""What a strategy is: one function from a question to an answer, and what the built-in ones share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipelines.core.errors import SettingsError
from pipelines.retrieve.hit import Hit
from qa.answer import NOT_IN_DOCUMENTS, Answer, Claim, Ending, Step
from qa.check.quotes import Citer, found
from qa.model_calls import ModelCalls
from qa.ports import Retrieval
from qa.settings import AnswerSettings

Solve = Callable[[str, Retrieval, Any, AnswerSettings], Awaitable[Answer]]
"""A strategy's function: of the question, the searches of the knowledge base, the model and the settings.

The model is a `ModelCalls`, or None where none is configured and the strategy needs none.
"""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy as it is listed: its name, what it does in a line, its function, and whether it needs a model."""

    name: str
    summary: str
    solve: Solve
    needs_model: bool = True
    uses_terms: bool = False  # whether a model first tells what the documents call the things of a question

    def check_model(self, has_model: bool) -> None:
        """Raise `SettingsError` where the strategy needs a model and there is none."""
        if self.needs_model and not has_model:
            hint = "set OPENAI_API_KEY, or [llm] base_url or gguf; extractive, pike-graph and survey need none"
            raise SettingsError(f"the strategy {self.name} needs a language model", ids=(self.name,), hint=hint)

    async def answer(
        self, question: str, retrieval: Retrieval, model: ModelCalls | None, settings: AnswerSettings
    ) -> Answer:
        """Return the answer of the strategy. Raises `SettingsError` where it lacks its model."""
        self.check_model(model is not None)
        answer = await self.solve(question, retrieval, model, settings)
        return replace(answer, strategy=answer.strategy or self.name)


@dataclass(slots=True)
class Attempt:
    """What a strategy was given to answer a question with, and the trace of what it has done so far."""

    question: str
    retrieval: Retrieval
    model: ModelCalls
    settings: AnswerSettings
    trace: list[Step] = field(default_factory=list)


async def in_rounds(
    limit: int, one_round: Callable[[int], Awaitable[str | None]], trace: list[Step], at_limit: str = "round limit"
) -> None:
    """Run rounds, numbered from 1, until one returns why it was the last; at most `limit` of them.

    The reason is added to `trace`, but not an empty one, which says that the round has told its failure itself.
    """
    reason: str | None = None
    for number in range(1, limit + 1):
        reason = await one_round(number)
        if reason is not None:
            break
    if reason is None:
        reason = at_limit
    if reason:
        trace.append(Step("stop", reason))


def passage_steps(hits: Sequence[Hit]) -> tuple[Step, ...]:
    """Return a step of the trace for each hit: its file and headings, with its score."""
    return tuple(Step("passage", f"{hit.uri}: {' > '.join(hit.chunk.heading_path)}", hit.score) for hit in hits)


def quoted_answer(
    question: str,
    claims: tuple[Claim, ...],
    citer: Citer,
    hits: Collection[Hit],
    trace: Sequence[Step],
    warnings: Sequence[str] = (),
) -> Answer:
    """Return the answer of a strategy without a model: its quotes, or that the documents do not say where it has none.

    `hits` are the passages found, best first.
    """
    return Answer(
        question,
        "\n".join(claim.text for claim in claims) or NOT_IN_DOCUMENTS,
        claims=claims,
        citations=citer.citations,
        ending=Ending.ANSWERED if claims else Ending.NOT_IN_DOCUMENTS,
        extractive=True,
        short=claims[0].text if claims else "",
        found=found(hits),
        warnings=tuple(warnings),
        trace=tuple(trace),
    )
