"""The cost of a run: estimated in a dry run before any call is made, and limited during the run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipelines.core.errors import BudgetExceeded, CallFailed, SettingsError
from pipelines.llm.cache import CacheLine, ReplyStore
from pipelines.llm.chat import Chat, Reply, Request, Usage, request_key
from pipelines.llm.ledger import cost
from pipelines.llm.settings import LlmSettings, Price
from pipelines.llm.tokens import estimate_input, estimate_request

_ENOUGH = 5
"""Minimum number of cached replies of a role for which their mean length is a better estimate than the default
share."""
_USUAL_SHARE = 0.4
"""Default share of `max_tokens` that a reply takes."""


@dataclass(frozen=True, slots=True)
class EstimateLine:
    """The estimate for one role: `usage` has calls and tokens, `cached` counts replies from the cache."""

    role: str
    model: str
    usage: Usage = Usage()  # noqa: RUF009
    cached: int = 0
    dollars: float = 0.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate for a run: one line per role, in order of first use."""

    lines: tuple[EstimateLine, ...] = ()

    @property
    def total(self) -> EstimateLine:
        usage = sum((line.usage for line in self.lines), Usage())
        cached = sum(line.cached for line in self.lines)
        return EstimateLine("total", "", usage, cached, sum(line.dollars for line in self.lines))


class DryRunChat:
    """A chat that counts requests instead of calling a model.

    A request whose reply is in `cache` gets that reply. Any other one is added to the `estimate` and fails with
    `CallFailed`, so that the caller continues without a model, as it does when an endpoint fails. A repeated request
    counts as cached, as it would in the run. `shares` maps roles to the share of `max_tokens` that their replies
    usually take; if the cache has enough replies of a role, their mean length is used instead.
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
            # llama.cpp enforces the schema as a grammar: it takes no input tokens.
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
        """Count calls whose messages are not known yet; token counts are per call."""
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
    """Return the mean length of the cached replies by role and model, if there are enough of them."""
    return {
        (line.role, line.model): round(line.output_tokens / line.replies) for line in history if line.replies >= _ENOUGH
    }


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a run; None is no limit."""

    max_usd: float | None = None
    max_tokens: int | None = None

    @property
    def limited(self) -> bool:
        return self.max_usd is not None or self.max_tokens is not None


@dataclass(frozen=True, slots=True)
class _Amount:
    tokens: float = 0.0
    dollars: float = 0.0

    def __add__(self, other: _Amount) -> _Amount:
        return _Amount(self.tokens + other.tokens, self.dollars + other.dollars)

    def __sub__(self, other: _Amount) -> _Amount:
        return _Amount(self.tokens - other.tokens, self.dollars - other.dollars)


_MARGIN = 1.2
"""Initial safety factor of the estimated tokens of a request, until replies show the real error of the estimate."""


class BudgetChat:
    """A chat that raises `BudgetExceeded` before the call that could exceed the limit, and for every call after it.

    A call in flight reserves its maximum cost: its input with a margin and all of its `max_tokens`. A call that does
    not fit beside those in flight waits until their real cost is known.
    """

    def __init__(self, inner: Chat, budget: Budget, prices: Mapping[str, Price] | None = None) -> None:
        self._inner, self._budget, self._prices = inner, budget, prices or {}
        self._spent, self._held = _Amount(), _Amount()
        self._in_flight = 0
        self._margin = _MARGIN
        self._exceeded = False
        self._settled = asyncio.Event()

    async def complete(self, request: Request) -> Reply:
        hold = self._most(request)
        await self._reserve(hold, request)
        taken = _Amount()
        try:
            reply = await self._inner.complete(request)
            taken = self._amount(request.model, reply.usage)
            self._calibrate(request, reply.usage)
        finally:
            self._settle(hold, taken)
        return reply

    async def close(self) -> None:
        await self._inner.close()

    async def _reserve(self, hold: _Amount, request: Request) -> None:
        while not self._exceeded and not self._fits(hold):
            if self._in_flight == 0:
                self._exceeded = True
                self._settled.set()
            else:
                await self._settled.wait()
        if self._exceeded:
            raise BudgetExceeded(self._message(), ids=(request.role,), hint="run again with a higher limit")
        self._held += hold
        self._in_flight += 1

    def _settle(self, hold: _Amount, taken: _Amount) -> None:
        self._held -= hold
        self._spent += taken
        self._in_flight -= 1
        # Wakes the calls that wait for this one; later ones wait for the next event.
        self._settled.set()
        self._settled = asyncio.Event()

    def _fits(self, hold: _Amount) -> bool:
        total = self._spent + self._held + hold
        limit = self._budget
        return (limit.max_tokens is None or total.tokens <= limit.max_tokens) and (
            limit.max_usd is None or total.dollars <= limit.max_usd
        )

    def _most(self, request: Request) -> _Amount:
        if self._budget.max_usd is not None and request.model not in self._prices:
            raise SettingsError(
                f"a limit in dollars needs the price of {request.model}",
                hint=f'set [llm.prices."{request.model}"] input and output, in dollars per million tokens',
            )
        read = round(estimate_request(request) * self._margin)
        return self._amount(request.model, Usage(read, request.max_tokens))

    def _amount(self, model: str, usage: Usage) -> _Amount:
        return _Amount(usage.input_tokens + usage.output_tokens, cost(usage, self._prices.get(model)))

    def _calibrate(self, request: Request, usage: Usage) -> None:
        """Increase the margin if a request took more input tokens than were reserved."""
        self._margin = max(self._margin, usage.input_tokens / max(1, estimate_request(request)))

    def _message(self) -> str:
        limits = []
        if self._budget.max_tokens is not None:
            limits.append(f"{self._spent.tokens:,.0f} of {self._budget.max_tokens:,} tokens")
        if self._budget.max_usd is not None:
            limits.append(f"${self._spent.dollars:.4f} of ${self._budget.max_usd:.4f}")
        return f"the limit of this run is reached ({', '.join(limits)} spent); the next call could exceed it"
