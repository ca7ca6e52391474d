"""A limit of tokens and money for one run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from pipelines.core.errors import BudgetExceeded, SettingsError
from pipelines.llm.chat import Chat, Reply, Request, Usage
from pipelines.llm.ledger import cost
from pipelines.llm.settings import Price
from pipelines.llm.tokens import estimate_request


@dataclass(frozen=True, slots=True)
class Budget:
    """The most a run may take; None is no limit."""

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
"""How far the estimate of a request's tokens may be off before the first reply says by how much it is."""


class BudgetChat:
    """A chat that raises `BudgetExceeded` before the call that could cross the limit, and for every call after it.

    A call in flight holds the most that it can cost: its input with a margin and all of its `max_tokens`. One that
    does not fit beside those in flight waits until they have shown what they really took.
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
        # Those who wait for this call wake and look again; who comes later waits for the next one.
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
                hint=f'set [llm.prices."{request.model}"] input and output, in dollars for a million tokens',
            )
        read = round(estimate_request(request) * self._margin)
        return self._amount(request.model, Usage(read, request.max_tokens))

    def _amount(self, model: str, usage: Usage) -> _Amount:
        return _Amount(usage.input_tokens + usage.output_tokens, cost(usage, self._prices.get(model)))

    def _calibrate(self, request: Request, usage: Usage) -> None:
        """Widen the margin when a request took more than was held for it."""
        self._margin = max(self._margin, usage.input_tokens / max(1, estimate_request(request)))

    def _message(self) -> str:
        limits = []
        if self._budget.max_tokens is not None:
            limits.append(f"{self._spent.tokens:,.0f} of {self._budget.max_tokens:,} tokens")
        if self._budget.max_usd is not None:
            limits.append(f"${self._spent.dollars:.4f} of ${self._budget.max_usd:.4f}")
        return f"the limit of this run is reached ({', '.join(limits)} spent); the next call could cross it"
