"""What may go wrong with a call, by a script or by seeded rates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Fault(StrEnum):
    NONE = "none"
    TOO_MANY = "429"
    SERVER_ERROR = "500"
    SLOW = "slow"
    """The reply is right, and comes later than others."""
    CUT = "cut"
    """The connection breaks in the middle of the reply."""
    MALFORMED = "malformed"
    """The body is not the JSON that it says it is."""
    GARBLED = "garbled"
    """The body is well formed, and the model's text in it is cut off and of no use."""


class Faults(Protocol):
    """Says what befalls a request."""

    def fault(self, words: bytes, times: int) -> Fault:
        """Return what befalls the request with these words when it is sent for the `times`-th time, from 0."""
        ...


@dataclass(frozen=True, slots=True)
class FaultRates:
    """The share of calls that each fault befalls; together at most 1. The same seed gives the same faults.

    A fault hangs on the words of a request and how often they were sent, not on the order of calls, so that calls
    side by side have the same faults in every run.
    """

    rates: Mapping[Fault, float] = field(default_factory=dict)
    seed: int = 0

    @staticmethod
    def evenly(rate: float, seed: int = 0) -> FaultRates:
        """Return rates that share `rate` evenly among the faults that spoil a call."""
        faults = [fault for fault in Fault if fault not in (Fault.NONE, Fault.SLOW)]
        return FaultRates({fault: rate / len(faults) for fault in faults}, seed)

    def fault(self, words: bytes, times: int) -> Fault:
        hashed = hashlib.blake2b(words, digest_size=8, key=f"{self.seed}:{times}".encode()).digest()
        chance = int.from_bytes(hashed) / 2**64
        for fault, rate in self.rates.items():
            if chance < rate:
                return fault
            chance -= rate
        return Fault.NONE


class FaultScript:
    """Faults in the order of calls; after the last one all goes well."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self._faults = list(faults)

    def fault(self, words: bytes, times: int) -> Fault:
        return self._faults.pop(0) if self._faults else Fault.NONE
