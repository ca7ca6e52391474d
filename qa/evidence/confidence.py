"""How surely the passages hold what is asked: what decides between an answer and "the documents do not say".

A logistic function of a few facts about the best evidence, none of which knows a corpus's scale of scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from qa.evidence.choose import union
from qa.evidence.query import Query
from qa.evidence.weigh import Weighed


@dataclass(frozen=True, slots=True)
class Facts:
    """Each in [0, 1]: `coverage` of the question by the chosen units together, `best` by the best one alone,
    `missing` the weight of the heaviest term with no cover as a share of the question's, `nearness` of the best unit
    in meaning, `value` whether a value of the kind asked for stands with it (0.5 where no kind is asked for).
    """

    coverage: float
    best: float
    missing: float
    nearness: float
    value: float


WEIGHTS = Facts(coverage=5.0, best=3.0, missing=-4.0, nearness=3.0, value=2.0)
BIAS = -4.5


def facts(query: Query, chosen: Sequence[Weighed]) -> Facts:
    """Return the facts about the chosen units; none chosen has all at their worst."""
    if not chosen or not query.weights:
        return Facts(0.0, 0.0, 1.0, 0.0, 0.0)
    covered = union(chosen)
    total = query.total
    coverage = sum(query.weights[term] * cover for term, cover in covered.items()) / total
    missing = max(query.weights[term] * (1 - cover) for term, cover in covered.items()) / total
    value = 0.5 if not query.wants else float(any(item.gives for item in chosen[:2]))
    return Facts(coverage, chosen[0].coverage, missing, chosen[0].nearness, value)


def confidence(found: Facts) -> float:
    """Return the probability that the passages hold the answer."""
    score = BIAS + sum(getattr(WEIGHTS, name) * getattr(found, name) for name in Facts.__slots__)
    return 1 / (1 + math.exp(-score))
