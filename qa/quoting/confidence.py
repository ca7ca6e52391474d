"""How surely the passages hold what is asked: what decides between an answer and "the documents do not say".

A logistic regression over features of the evidence that mean the same in every corpus and language, none of them on the
scale of a score. Most look at the best unit alone: what several units hold between them is often of several things. How
much a word tells is taken from its language, not from the corpus alone: in a small corpus every word is rare. In a long
question some words are always said otherwise: one that lacks counts the less the more words there are.

Log loss on corpora left out, in the mean over 16 of them, is 0.39; without `untold` or `valueless` 0.42, without
`unsaid`, `other`, `strange` or `margin` 0.41, without `counts` 0.40. `benchmarks/refusal.py` fits the weights
(`refusal.toml`), shows what is to be expected of a corpus that nothing was fitted to, and tells what does not help.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.lang.quantities import Kind
from qa.quoting.answer_selection import combined_cover
from qa.quoting.evidence_score import ScoredUnit
from qa.quoting.question_terms import QuestionTerms

_OTHERS = 3
"""Documents beside the best one that it is held against."""
_LACKED = 2
"""Terms that are told: those that are lacked most."""
_LONG = 8
"""Words of a question from which one that lacks counts no more."""
_WEIGHTS = tomllib.loads(Path(__file__).with_name("refusal.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Features:
    """Each in [0, 1].

    Of the best unit: `untold` is what it lacks of the word that tells most of those it lacks, less the more words the
    question has, `unsaid` the share of what the words tell that it lacks, `strange` what it lacks of a name that no
    passage of the corpus has, `other` what it lacks of the rarest figure or code that the question names: it is about
    another year or model. `valueless` is 1 where a kind of value is asked for, not a plain number alone, and none of
    the best two units gives it. `margin` is the root of how much more the best unit covers than the best units of other
    documents do. `counts` is 1 where a plain number is asked for: nearly every sentence has one.
    """

    untold: float
    unsaid: float
    other: float
    valueless: float
    strange: float
    margin: float
    counts: float


def features(question: QuestionTerms, scored: Sequence[ScoredUnit], chosen: Sequence[ScoredUnit]) -> Features:
    """Return the features of the units scored and those chosen; with none of them each is at its worst."""
    counts = question.wants == {Kind.NUMBER}
    if not chosen or not question.total:
        return Features(1.0, 1.0, 1.0, 1.0, 1.0, 0.0, float(counts))
    lacks = {term: 1 - cover for term, cover in chosen[0].covers.items()}
    untold = [question.tells[term] * lack for term, lack in lacks.items()]
    return Features(
        untold=max(untold) * (1 - min(1.0, len(untold) / _LONG)),
        unsaid=sum(untold) / (sum(question.tells.values()) or 1.0),
        other=max((question.weights[term] * lacks[term] for term in question.codes), default=0.0),
        valueless=float(not counts and lacks_value(question, chosen)),
        strange=max((lacks[term] for term in question.names & question.unknown), default=0.0),
        margin=_margin(scored),
        counts=float(counts),
    )


def lacks_value(question: QuestionTerms, chosen: Sequence[ScoredUnit]) -> bool:
    """Whether a kind of value is asked for and none of the best two units gives it.

    A time may be told without a figure: "daily", "until it is dry".
    """
    return bool(question.wants) and Kind.TIME not in question.wants and not any(item.gives for item in chosen[:2])


def lacked(question: QuestionTerms, chosen: Sequence[ScoredUnit]) -> tuple[str, ...]:
    """Return the words of the question that the chosen units lack most: those that they lack more than half."""
    return tuple(question.said[term] for _, term, cover in _lacking(question, chosen) if cover < 0.5)


def _lacking(question: QuestionTerms, chosen: Sequence[ScoredUnit]) -> list[tuple[float, str, float]]:
    """The terms that units lack most: the weight that is lacking, the term and its cover."""
    lacking = ((question.weights[term] * (1 - cover), term, cover) for term, cover in combined_cover(chosen).items())
    return sorted(lacking, reverse=True)[:_LACKED]


def confidence(found: Features) -> float:
    """Return the probability that the passages hold the answer."""
    score = _WEIGHTS["bias"] + sum(_WEIGHTS[name] * getattr(found, name) for name in Features.__slots__)
    return 1 / (1 + math.exp(-score))


def _margin(scored: Sequence[ScoredUnit]) -> float:
    best: dict[str, float] = {}
    for item in scored:
        best[item.unit.hit.document] = max(item.coverage, best.get(item.unit.hit.document, 0.0))
    first, *others = sorted(best.values(), reverse=True)
    beside = others[:_OTHERS]
    return math.sqrt(max(0.0, first - sum(beside) / max(1, len(beside))))
