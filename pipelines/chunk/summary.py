"""Summaries that quote: the sentences that say most of what a text is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pipelines.core.terms import terms

_DAMPING = 6
"""Terms added to a sentence's length, so that very short ones do not win."""
_FIRST = 1.3
"""The advantage of the opening sentence, which tends to say what the rest is about."""


def summarize(sentences: Sequence[str], count: int = 1, about: str = "") -> str:
    """Return the `count` most telling sentences in their order, joined by a blank; empty where there are none.

    A sentence tells as much as its terms occur in the whole text; those of `about`, a title or heading, count double.
    """
    found = [set(terms(sentence)) for sentence in sentences]
    weights = Counter(term for one in found for term in one)
    for term in set(terms(about)):
        weights[term] *= 2
    scores = [sum(weights[term] for term in one) / (len(one) + _DAMPING) for one in found]
    if scores:
        scores[0] *= _FIRST
    best = sorted(range(len(scores)), key=lambda index: (-scores[index], index))[:count]
    return " ".join(" ".join(sentences[index].split()) for index in sorted(best))
