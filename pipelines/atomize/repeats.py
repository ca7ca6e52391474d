"""Questions that ask the same, found by their words and, with an embedder, by their meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.core.ids import normalize
from pipelines.lang.terms import terms
from pipelines.llm.embedder import Embedder

_SHARED_TERMS = 0.9
_ASKS = re.compile(
    r"\b(?P<when>when|what (?:year|date|day|time)|which (?:year|date|day))\b|\b(?P<where>where)\b"
    r"|\b(?P<who>who|whom|whose)\b|\b(?P<why>why)\b|\b(?P<many>how (?:many|much|long|old|far|high|large|often))\b"
    r"|\b(?P<how>how)\b"
    r"|(?P<zh_when>何时|什么时候|哪年)|(?P<zh_where>哪里|何处|何地)|(?P<zh_who>谁)|(?P<zh_why>为什么|为何)|(?P<zh_many>多少|多久|几)",
    re.IGNORECASE,
)


def distinct(texts: Sequence[str], embedder: Embedder | None, same_meaning: float) -> list[str]:
    """Return `texts` without those that repeat an earlier one.

    Two repeat each other when they share nearly all their terms, or when the cosine of their vectors reaches
    `same_meaning`. Two that name different numbers never do, nor one that asks when and one that asks where.
    """
    kept: list[int] = []
    words = [frozenset(terms(text)) for text in texts]
    aims = [(_asks(text), frozenset(filter(_has_digit, one))) for text, one in zip(texts, words, strict=True)]
    cosines = None if embedder is None or len(texts) < 2 else (vectors := embedder.embed(texts)) @ vectors.T
    for number in range(len(texts)):
        near = (other for other in kept if aims[other] == aims[number])
        if not any(
            normalize(texts[other]) == normalize(texts[number])
            or _overlap(words[other], words[number]) >= _SHARED_TERMS
            or (cosines is not None and float(cosines[other, number]) >= same_meaning)
            for other in near
        ):
            kept.append(number)
    return [texts[number] for number in kept]


def _asks(text: str) -> str:
    """Return what a question asks for ("when", "who", ...), empty where it is "what", "which" or no question."""
    match = _ASKS.search(text)
    return (match.lastgroup or "") if match else ""


def _has_digit(term: str) -> bool:
    return any(map(str.isdigit, term))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 1.0
