"""Summaries that quote: the sentences that say most of what a text is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pipelines.lang.terms import terms

_BULLET = re.compile(r"^(?:[●○•▪◦·*–-]\s*)+")
_FEWEST_TERMS = 4
"""Terms of a sentence that can sum up anything; shorter ones are quoted only where there is nothing else."""
_DAMPING = 6
"""Terms added to a sentence's length, so that very short ones do not win."""
_FIRST = 1.3
"""The advantage of the opening sentence, which tends to say what the rest is about."""


def summarize(sentences: Sequence[str], count: int = 1, about: str = "") -> str:
    """Return the `count` most telling sentences in their order, joined by a blank; empty where there are none.

    A sentence tells as much as its terms occur in the whole text; those of `about`, a title or heading, count double.
    """
    sentences = [_BULLET.sub("", " ".join(sentence.split())) for sentence in sentences]
    sentences = [one for one in sentences if len(terms(one)) >= _FEWEST_TERMS] or sentences[:count]
    found = [set(terms(sentence)) for sentence in sentences]
    weights = Counter(term for one in found for term in one)
    for term in set(terms(about)):
        weights[term] *= 2
    scores = [sum(weights[term] for term in one) / (len(one) + _DAMPING) for one in found]
    if scores:
        scores[0] *= _FIRST
    best = sorted(range(len(scores)), key=lambda index: (-scores[index], index))[:count]
    return " ".join(sentences[index] for index in sorted(best))
