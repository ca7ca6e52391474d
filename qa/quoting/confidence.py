"""How surely the passages hold what is asked: what decides between an answer and "the documents do not say".

A logistic regression over four features of the evidence, none of which depends on a corpus's scale of scores. The
weights were fitted on questions with and without an answer, and on answerable ones after their sources had been taken
away.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from qa.quoting.choose import union
from qa.quoting.question import QuestionTerms
from qa.quoting.weigh import Weighed

_COVERED = 0.3
"""From which cover on a term of the question counts as met with."""


@dataclass(frozen=True, slots=True)
class Features:
    """Each in [0, 1], the first three as shares of the question's weight.

    `missing` is what the chosen units lack of the one term that they lack most, `unknown` the terms that the corpus
    does not have nor anything near them, `together` the best cover of the question within one chunk. `value` is
    whether a value of the kind asked for stands with the evidence, 0.5 where no kind is asked for.
    """

    missing: float
    unknown: float
    together: float
    value: float


WEIGHTS = Features(missing=-9.5, unknown=-2.7, together=2.9, value=0.9)
BIAS = 0.9


def features(question: QuestionTerms, weighed: Sequence[Weighed], chosen: Sequence[Weighed]) -> Features:
    """Return the features of the units weighed and those chosen; with none of them each is at its worst."""
    if not chosen or not question.total:
        return Features(1.0, 1.0, 0.0, 0.0)
    total, weights = question.total, question.weights
    missing = max(weights[term] * (1 - cover) for term, cover in union(chosen).items()) / total
    met = union(weighed)
    unknown = sum(weights[term] for term in question.unknown if met[term] < _COVERED) / total
    together = max(_covered(question, union(items)) for items in _by_chunk(weighed))
    value = 0.5 if not question.wants else float(any(item.gives for item in chosen[:2]))
    return Features(missing, unknown, together, value)


def confidence(found: Features) -> float:
    """Return the probability that the passages hold the answer."""
    score = BIAS + sum(getattr(WEIGHTS, name) * getattr(found, name) for name in Features.__slots__)
    return 1 / (1 + math.exp(-score))


def _by_chunk(weighed: Sequence[Weighed]) -> Iterable[list[Weighed]]:
    chunks: dict[str, list[Weighed]] = defaultdict(list)
    for item in weighed:
        chunks[item.unit.hit.chunk.id].append(item)
    return chunks.values()


def _covered(question: QuestionTerms, covers: Mapping[str, float]) -> float:
    return sum(question.weights[term] * cover for term, cover in covers.items()) / question.total
