"""Raised and lowered digits: "m2" with a raised 2 is m², which reads as m2 wherever compatibility forms are folded."""

from __future__ import annotations

_PLAIN = "0123456789+-−=()"
_RAISED = str.maketrans(_PLAIN, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_LOWERED = str.maketrans(_PLAIN, "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")


def raised(text: str) -> str:
    """Return a superscript in raised characters, as it is where one has none."""
    return text.translate(_RAISED) if _is_plain(text) else text


def lowered(text: str) -> str:
    """Return a subscript in lowered characters, as it is where one has none."""
    return text.translate(_LOWERED) if _is_plain(text) else text


def _is_plain(text: str) -> bool:
    return any(char.isdigit() for char in text) and all(char in _PLAIN for char in text)
