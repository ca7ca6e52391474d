"""What language work will take, told before any call, and set beside what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipelines.llm.chat import Request, Usage
from pipelines.llm.ledger import Ledger, Totals, cost
from pipelines.llm.reply_store import CacheLine, ReplyStore
from pipelines.llm.request_key import request_key
from pipelines.llm.settings import LlmSettings
from pipelines.llm.tokens import estimate_input

_ENOUGH = 5
"""Kept replies of a role from which on their mean length is a better guess than the stage's."""


@dataclass(frozen=True, slots=True)
class QuoteLine:
    """What one role's work will take; `cached` are calls that the cache will spare, their tokens are not in it."""

    role: str
    model: str
    usage: Usage = Usage()  # noqa: RUF009
    cached: int = 0
    dollars: float = 0.0


@dataclass(frozen=True, slots=True)
class Quote:
    """A line for each role, in the order in which the stages announced them."""

    lines: tuple[QuoteLine, ...] = ()

    @property
    def total(self) -> QuoteLine:
        usage = sum((line.usage for line in self.lines), Usage())
        cached = sum(line.cached for line in self.lines)
        return QuoteLine("total", "", usage, cached, sum(line.dollars for line in self.lines))


@dataclass(frozen=True, slots=True)
class Compared:
    """One role's work as quoted and as it was; either side is empty where the other had no such role."""

    role: str
    quoted: QuoteLine
    actual: Totals


class Quoter:
    """Adds up calls that will be made. Nothing is called.

    With the store of kept replies it knows which calls are spared, and how long replies for a role have been.
    """

    def __init__(self, settings: LlmSettings, store: ReplyStore | None = None) -> None:
        self._settings, self._store = settings, store
        self._history = store.stats() if store is not None else ()
        self._lines: dict[str, QuoteLine] = {}

    def add(self, request: Request, output_tokens: int) -> None:
        """Count a request whose words are known; `output_tokens` is the stage's guess of the reply's length."""
        model = request.model or self._settings.model_of(request.role)
        if self._store is not None and self._store.has(request_key(replace(request, model=model))):
            self._count(QuoteLine(request.role, model, cached=1))
        else:
            self.expect(request.role, 1, estimate_input(request.messages), output_tokens)

    def expect(self, role: str, calls: int, input_tokens: int, output_tokens: int) -> None:
        """Count calls whose words are not known yet; tokens are those of one call."""
        model = self._settings.model_of(role)
        written = _mean_output(self._history, role, model) or output_tokens
        usage = Usage(calls * input_tokens, calls * written, calls)
        self._count(QuoteLine(role, model, usage, 0, cost(usage, self._settings.prices.get(model))))

    @property
    def quote(self) -> Quote:
        return Quote(tuple(self._lines.values()))

    def _count(self, line: QuoteLine) -> None:
        known = self._lines.get(line.role, QuoteLine(line.role, line.model))
        self._lines[line.role] = QuoteLine(
            line.role,
            line.model,
            known.usage + line.usage,
            known.cached + line.cached,
            known.dollars + line.dollars,
        )


def compare(quote: Quote, ledger: Ledger) -> tuple[Compared, ...]:
    """Return quoted against actual by role: those quoted first, then those that nobody had announced."""
    quoted: Mapping[str, QuoteLine] = {line.role: line for line in quote.lines}
    roles = dict.fromkeys([*quoted, *ledger.roles])
    return tuple(
        Compared(role, quoted.get(role, QuoteLine(role, "")), ledger.roles.get(role, Totals())) for role in roles
    )


def _mean_output(history: tuple[CacheLine, ...], role: str, model: str) -> int:
    line = next((line for line in history if (line.role, line.model) == (role, model)), None)
    return round(line.output_tokens / line.replies) if line is not None and line.replies >= _ENOUGH else 0
