"""The estimate of a run: what its language work will take, counted in a dry run before any call is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipelines.core.errors import CallFailed
from pipelines.llm.cache import CacheLine, ReplyStore
from pipelines.llm.chat import Reply, Request, Usage, request_key
from pipelines.llm.ledger import cost
from pipelines.llm.settings import LlmSettings
from pipelines.llm.tokens import estimate_input, estimate_request

_ENOUGH = 5
"""Kept replies of a role from which on their mean length is a better guess than the role's usual share."""
_USUAL_SHARE = 0.4
"""Share of `max_tokens` that a reply takes, for a role of which nothing is known."""


@dataclass(frozen=True, slots=True)
class EstimateLine:
    """One role's work. `usage` are the calls to be made and their tokens; `cached` counts replies from the cache."""

    role: str
    model: str
    usage: Usage = Usage()  # noqa: RUF009
    cached: int = 0
    dollars: float = 0.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will take: a line for each role, in the order in which they were first asked."""

    lines: tuple[EstimateLine, ...] = ()

    @property
    def total(self) -> EstimateLine:
        usage = sum((line.usage for line in self.lines), Usage())
        cached = sum(line.cached for line in self.lines)
        return EstimateLine("total", "", usage, cached, sum(line.dollars for line in self.lines))


class DryRunChat:
    """A chat that counts requests instead of calling a model.

    A request whose reply is in `cache` gets that reply. Any other is added to the `estimate` and fails with
    `CallFailed`, so that who asked goes on as it does where an endpoint fails: without a model. A request that comes
    again counts as cached, as it would in the run. `shares` has for each role the part of `max_tokens` that its
    replies usually take; once the cache holds some replies of a role, their mean length is taken instead.
    """

    def __init__(
        self, settings: LlmSettings, cache: ReplyStore | None = None, shares: Mapping[str, float] | None = None
    ) -> None:
        self._settings, self._cache, self._shares = settings, cache, shares or {}
        self._mean_tokens = _mean_tokens(cache.stats() if cache is not None else ())
        self._counted: set[str] = set()
        self._lines: dict[str, EstimateLine] = {}

    @property
    def estimate(self) -> Estimate:
        return Estimate(tuple(self._lines.values()))

    async def complete(self, request: Request) -> Reply:
        request = replace(request, model=request.model or self._settings.model_of(request.role))
        key = request_key(request)
        kept = self._cache.get(key, touch=False) if self._cache is not None else None
        if kept is not None or (self._cache is not None and key in self._counted):
            self._count(EstimateLine(request.role, request.model, cached=1))
        else:
            usual = round(request.max_tokens * self._shares.get(request.role, _USUAL_SHARE))
            # What llama.cpp serves here holds a reply to its schema without reading it.
            read = estimate_input(request.messages) if self._settings.gguf else estimate_request(request)
            self.expect(request.role, 1, read, usual)
            self._counted.add(key)
        if kept is None:
            raise CallFailed("a dry run calls no model")
        return kept

    async def close(self) -> None:
        if self._cache is not None:
            self._cache.close()

    def expect(self, role: str, calls: int, input_tokens: int, output_tokens: int) -> None:
        """Count calls whose words are not known yet; tokens are those of one call."""
        model = self._settings.model_of(role)
        written = self._mean_tokens.get((role, model), output_tokens)
        usage = Usage(calls * input_tokens, calls * written, calls)
        self._count(EstimateLine(role, model, usage, 0, cost(usage, self._settings.prices.get(model))))

    def _count(self, line: EstimateLine) -> None:
        known = self._lines.get(line.role, EstimateLine(line.role, line.model))
        self._lines[line.role] = EstimateLine(
            line.role,
            line.model,
            known.usage + line.usage,
            known.cached + line.cached,
            known.dollars + line.dollars,
        )


def _mean_tokens(history: tuple[CacheLine, ...]) -> dict[tuple[str, str], int]:
    """The mean length of the kept replies by role and model, where there are enough of them."""
    return {
        (line.role, line.model): round(line.output_tokens / line.replies) for line in history if line.replies >= _ENOUGH
    }
