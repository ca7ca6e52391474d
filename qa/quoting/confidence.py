"""How surely the passages hold what is asked: what decides between an answer and "the documents do not say".

A logistic regression over features of the evidence that mean the same in every corpus and language, none of them on the
scale of a score. Most look at the best unit alone: what several units hold between them is often of several things. How
much a word tells is taken from its language, not from the corpus alone: in a small corpus every word is rare. In a long
question some words are always said otherwise: one that lacks counts the less the more words there are.

Log loss on corpora left out, in the mean over 16 of them, is 0.37; without `untold` or `other` 0.40, without `unsaid`,
`valueless` or `strange` 0.39 to 0.40, without `margin` 0.38. With what all chosen units lack, their margin and unknown
names alone it is 0.48. Nor do these help beside the seven: what the chosen units cover together, the best cover of a
chunk, the cosine of question and sentence, the sentence's score, its being a row, how many words the question has, and
a reason that is asked for and not given.

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

from pipelines.lang.quantities import Kind
from qa.quoting.choose import union
from qa.quoting.figures import around, has_figure, named_figures
from qa.quoting.likeness import cover_by_likeness
from qa.quoting.question import QuestionTerms
from qa.quoting.weigh import Weighed

_OTHERS = 3
"""Documents beside the best one that it is held against."""
_LACKED = 2
"""Terms that are told: those that are lacked most."""
_WEIGHTS = tomllib.loads(Path(__file__).with_name("refusal.toml").read_text(encoding="utf-8"))


_LONG = 8
"""Words of a question from which one that lacks counts no more."""
_SOFT = frozenset({Kind.NUMBER, Kind.REASON})
"""Kinds that many sentences give without a sign of it, or with one that means something else."""
_NEAR = 0.5
"""What `other` is of a figure that only other passages found of a unit's document have: a report has its year once."""


@dataclass(frozen=True, slots=True)
class Features:
    """Each in [0, 1].

    Of the best unit: `untold` is what it lacks of the word that tells most of those it lacks, less the more words the
    question has, `unsaid` the share of what the words tell that it lacks, `other` 1 where it lacks a figure or a code
    that the question names (half where another passage found of its document has it). Of all chosen: `valueless` is 1
    where a kind of value is asked for that its form tells and none of the best two gives it, `strange` what they lack
    of a name that no passage of the corpus has. `margin` is the root of how much more the best unit covers than the
    best units of other documents do, `counts` 1 where a plain number is asked for: nearly every sentence has one.
    """

    untold: float
    unsaid: float
    other: float
    valueless: float
    strange: float
    margin: float
    counts: float


def features(question: QuestionTerms, weighed: Sequence[Weighed], chosen: Sequence[Weighed]) -> Features:
    """Return the features of the units weighed and those chosen; with none of them each is at its worst."""
    counts = float(question.wants == {Kind.NUMBER})
    if not chosen or not question.total:
        return Features(1.0, 1.0, 1.0, 1.0, 1.0, 0.0, counts)
    lacks = _lacks(question, chosen[0])
    told = sum(question.tells.values()) or 1.0
    short = 1 - min(1.0, len(question.weights) / _LONG)
    everywhere = union(weighed)
    strange = max((1 - everywhere.get(term, 0.0) for term in question.names & question.unknown), default=0.0)
    valueless = float(bool(question.wants - _SOFT) and lacks_value(question, chosen))
    other = _other(question, weighed, chosen[0])
    return Features(short * max(lacks), sum(lacks) / told, other, valueless, strange, _margin(weighed), counts)


def _lacks(question: QuestionTerms, item: Weighed) -> list[float]:
    """What a unit lacks of what each word of the question tells."""
    covers = {
        term: max(cover, cover_by_likeness(question.said[term], item.unit)) for term, cover in item.covers.items()
    }
    return [question.tells[term] * (1 - cover) for term, cover in covers.items()]


def _other(question: QuestionTerms, weighed: Sequence[Weighed], best: Weighed) -> float:
    said = around(best.unit)
    lacking = [figure for figure in named_figures(question.text) if not has_figure(figure, said)]
    if not lacking:
        return 0.0
    document = {item.unit.hit.chunk.text for item in weighed if item.unit.hit.document == best.unit.hit.document}
    passages = "\n".join((said, *document))
    return max(_NEAR if has_figure(figure, passages) else 1.0 for figure in lacking)


def lacks_value(question: QuestionTerms, chosen: Sequence[Weighed]) -> bool:
    """Whether a kind of value is asked for and none of the best two units gives it."""
    return bool(question.wants) and not any(item.gives for item in chosen[:2])


def lacked(question: QuestionTerms, chosen: Sequence[Weighed]) -> tuple[str, ...]:
    """Return the words of the question that the chosen units lack most: those that they lack more than half."""
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
