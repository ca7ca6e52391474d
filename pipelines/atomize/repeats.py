"""Questions and statements that say the same, found by their words and, with an embedder, by their meaning."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.core.terms import normalize, terms
from pipelines.llm.embedder import Embedder

_SHARED_TERMS = 0.8


def distinct(texts: Sequence[str], embedder: Embedder | None, same_meaning: float) -> list[str]:
    """Return `texts` without those that repeat an earlier one.

    Two repeat each other when they share nearly all their terms, or when the cosine of their vectors reaches
    `same_meaning`; two that name different numbers never do.
    """
    kept: list[int] = []
    words = [frozenset(terms(text)) for text in texts]
    figures = [frozenset(term for term in one if any(map(str.isdigit, term))) for one in words]
    cosines = None if embedder is None or len(texts) < 2 else (v := embedder.embed(texts)) @ v.T
    for number in range(len(texts)):
        near = (other for other in kept if figures[other] == figures[number])
        if not any(
            normalize(texts[other]) == normalize(texts[number])
            or _overlap(words[other], words[number]) >= _SHARED_TERMS
            or (cosines is not None and float(cosines[other, number]) >= same_meaning)
            for other in near
        ):
            kept.append(number)
    return [texts[number] for number in kept]


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 1.0
