"""How surely the passages hold what is asked: what decides between an answer and "the documents do not say".

A logistic regression over features of the evidence that mean the same in every corpus and language: shares of the
question's weight, none of them on the scale of a score: with how far ahead of others the best document is found, log
loss on corpora left out fell from 0.557 to 0.518, but then 8 of 12 answerable questions in a language left out were
refused, before 4. Nor do cosines help, even those of e5: with that of the question and the best sentence, measured by
mean and deviation of its cosines to the corpus, 30 % of the unanswerable questions of four corpora left out were
recognized where 8 % of the answerable ones are refused, without it 37 %: a near miss is as near in meaning. Nor does
what one unit alone covers, instead of all together: log loss 0.525 with it, 0.524 without; nor the words that stand as
they are, without those related to them (0.524), nor whether a number stands beside the word that is counted (0.523).

`benchmarks/refusal.py` fits the weights (`refusal.toml`) on questions with and without an answer, and on answerable
ones asked of what is left without their documents or passages; it shows what is to be expected of a corpus that nothing
was fitted to.
"""

from __future__ import annotations

import math
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from qa.quoting.choose import gain, union
from qa.quoting.question import QuestionTerms
from qa.quoting.weigh import Weighed

_OTHERS = 3
"""Documents beside the best one that it is held against."""
_LACKED = 2
"""Terms that `missing` looks at: on corpora left out the log loss is 0.527 with one, 0.526 with two and with three."""
_WEIGHTS = tomllib.loads(Path(__file__).with_name("refusal.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Features:
    """Each in [0, 1], most as shares of the question's weight.

    `missing` is what the chosen units lack of the two terms that they lack most, `together` the best cover of the
    question within one chunk, `margin` the root of how much more of it the best unit covers than the best units of
    other documents do: the first tenth tells most. `valueless` is 1 where a kind of value is asked for and stands in
    none of the best units, `strange` what the units lack of a name that no passage of the corpus has.
    """

    missing: float
    together: float
    margin: float
    valueless: float
    strange: float


def features(question: QuestionTerms, weighed: Sequence[Weighed], chosen: Sequence[Weighed]) -> Features:
    """Return the features of the units weighed and those chosen; with none of them each is at its worst."""
    if not chosen or not question.total:
        return Features(1.0, 0.0, 0.0, 1.0, 1.0)
    missing = sum(weight for weight, _, _ in _lacking(question, chosen)) / question.total
    together = max(gain(question, {}, union(items)) for items in _grouped(weighed, lambda item: item.unit.hit.chunk.id))
    valueless = float(bool(question.wants) and not any(item.gives for item in chosen[:2]))
    everywhere = union(weighed)
    strange = max((1 - everywhere.get(term, 0.0) for term in question.names & question.unknown), default=0.0)
    return Features(missing, together, _margin(weighed), valueless, strange)


def lacked(question: QuestionTerms, chosen: Sequence[Weighed]) -> tuple[str, ...]:
    """Return the words of the question behind `Features.missing`: those that the chosen units lack more than half."""
    return tuple(question.said[term] for _, term, cover in _lacking(question, chosen) if cover < 0.5)


def _lacking(question: QuestionTerms, chosen: Sequence[Weighed]) -> list[tuple[float, str, float]]:
    """The terms that units lack most: the weight that is lacking, the term and its cover."""
    lacking = ((question.weights[term] * (1 - cover), term, cover) for term, cover in union(chosen).items())
    return sorted(lacking, reverse=True)[:_LACKED]


def confidence(found: Features) -> float:
    """Return the probability that the passages hold the answer."""
    score = _WEIGHTS["bias"] + sum(_WEIGHTS[name] * getattr(found, name) for name in Features.__slots__)
    return 1 / (1 + math.exp(-score))


def _margin(weighed: Sequence[Weighed]) -> float:
    documents = _grouped(weighed, lambda item: item.unit.hit.document)
    first, *others = sorted((max(item.coverage for item in items) for items in documents), reverse=True)
    beside = others[:_OTHERS]
    return math.sqrt(max(0.0, first - sum(beside) / max(1, len(beside))))


def _grouped(weighed: Sequence[Weighed], key: Callable[[Weighed], str]) -> Iterable[list[Weighed]]:
    groups: dict[str, list[Weighed]] = defaultdict(list)
    for item in weighed:
        groups[key(item)].append(item)
    return groups.values()
