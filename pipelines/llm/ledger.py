"""What the calls of a run took, by role and model."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from pipelines.llm.chat import Usage
from pipelines.llm.settings import Price

MILLION = 1_000_000


def cost(usage: Usage, price: Price | None) -> float:
    """Return US dollars; nothing where the model has no price."""
    if price is None:
        return 0.0
    return (usage.input_tokens * price.input + usage.output_tokens * price.output) / MILLION


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over calls. `usage` is what was spent, `saved` what replies from the cache had taken when made.

    `failed` counts calls that ended in an error; `seconds` is the time in which at least one call was under way.
    """

    usage: Usage = Usage()  # noqa: RUF009
    saved: Usage = Usage()  # noqa: RUF009
    cached: int = 0
    failed: int = 0
    seconds: float = 0.0
    dollars: float = 0.0

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.usage + other.usage,
            self.saved + other.saved,
            self.cached + other.cached,
            self.failed + other.failed,
            self.seconds + other.seconds,
            self.dollars + other.dollars,
        )


class Ledger:
    """Totals by role. It may be read from any thread while calls run."""

    def __init__(self, prices: Mapping[str, Price] | None = None) -> None:
        self._prices = prices or {}
        self._roles: dict[str, Totals] = {}
        self._under_way: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()

    def begin(self, role: str, now: float) -> None:
        """Note that a call begins at `now`, in seconds."""
        with self._lock:
            calls, since = self._under_way.get(role, (0, now))
            self._under_way[role] = (calls + 1, since)

    def end(self, role: str, now: float) -> float:
        """Note that a call ends; return the seconds since calls were first under way, 0 where others still are."""
        with self._lock:
            calls, since = self._under_way.pop(role)
            if calls > 1:
                self._under_way[role] = (calls - 1, since)
            return 0.0 if calls > 1 else now - since

    def add(self, role: str, model: str, totals: Totals) -> None:
        """Add what one call of `model` took; its dollars are reckoned here."""
        dollars = cost(totals.usage, self._prices.get(model))
        counted = totals + Totals(dollars=dollars)
        with self._lock:
            self._roles = {**self._roles, role: self._roles.get(role, Totals()) + counted}

    @property
    def roles(self) -> Mapping[str, Totals]:
        return self._roles

    @property
    def total(self) -> Totals:
        return sum(self._roles.values(), Totals())
