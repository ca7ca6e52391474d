"""So much a minute, evenly."""

from __future__ import annotations

_MINUTE = 60.0
_AHEAD = 1.0
"""Seconds' worth that may go at once after a pause."""


class Pace:
    """Tells when an amount may go, so that no minute sees over `per_minute` and a second's worth; 0 is no limit.

    (The virtual scheduling form of the generic cell rate algorithm, ITU-T I.371.)
    """

    def __init__(self, per_minute: float) -> None:
        self._seconds_each = _MINUTE / per_minute if per_minute else 0.0
        self._free_at = float("-inf")

    def book(self, amount: float, now: float) -> float:
        """Book `amount` and return the seconds to wait from `now` before using it."""
        begin = max(self._free_at, now - _AHEAD)
        self._free_at = begin + amount * self._seconds_each
        return max(0.0, begin - now)

    def give_back(self, amount: float) -> None:
        """Correct a booking that turned out smaller, or larger where `amount` is negative."""
        self._free_at -= amount * self._seconds_each
