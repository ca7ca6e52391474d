"""Tunes the weights of retrieval on questions whose gold passages or sources are known, with cross-validation.

Random settings are tried on every question (random search, Bergstra and Bengio 2012); the tuned settings are the mean
of the best few, which lies in the middle of what works, where the single best may fit by chance. In cross-validation
each fold's questions are scored under settings chosen on the other folds alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tomlkit
from numpy.typing import NDArray

from evaluate.metrics import document_recall, first_document, mean, page_recall, recall_at
from evaluate.questions import Question
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings
from qa.citations import found as found_of

DEPTHS = (2, 5, 10)
AVERAGED = 12
"""Of 200 trials so many are averaged: the best sixteenth."""
SEARCH_RANGE = 1.0
"""How far a trial's weight is from that in force at most: a factor of e to this, either way."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions of one knowledge base; `name` is that of their file.

    Sets of one `corpus` (translations, say) count as one and are held out together; without it a set is its own.
    """

    name: str
    retriever: Retriever
    questions: tuple[Question, ...]
    corpus: str = ""

    @property
    def family(self) -> str:
        """What is held out together: the corpus."""
        return self.corpus or self.name


@dataclass(frozen=True, slots=True)
class Fold:
    """The mean value of a fold's questions, in percent: before, and after under `settings` chosen without them."""

    name: str
    questions: int
    before: float
    after: float
    settings: RetrieveSettings


@dataclass(frozen=True, slots=True)
class Tuned:
    """The settings tuned on all questions, with their mean value in percent before and after.

    `after` is of the same questions that chose the settings; what to expect of other questions is in `folds`.
    """

    settings: RetrieveSettings
    before: float
    after: float
    folds: tuple[Fold, ...]

    def flat(self) -> dict[str, object]:
        """Return the figures and weights as `strata tune --json` prints them."""
        folds = [
            {"name": one.name, "questions": one.questions, "before": one.before, "after": one.after}
            for one in self.folds
        ]
        return {"before": self.before, "after": self.after, "folds": folds, "weights": weights(self.settings)}


def tune(
    sets: Sequence[QuestionSet],
    start: RetrieveSettings,
    trials: int = 200,
    folds: int = 5,
    seed: int = 0,
    tell: Callable[[int], None] = lambda done: None,
) -> Tuned:
    """Return the settings tuned on `sets`, from those of `start`; equal arguments give equal settings.

    `tell` is called with the number of trials done. With several corpora each is a fold, so that none is scored under
    settings that it helped to choose; all corpora count the same, and so do all sets of one and all questions of a set.

    >>> tune([QuestionSet("pumps", retriever, questions)], RetrieveSettings()).settings.hop  # doctest: +SKIP
    1.462
    """
    scored = _ScoredQuestions(sets)
    dice = np.random.default_rng(seed)
    chosen = [start, *(_trial(start, dice) for _ in range(trials))]
    values = []
    for number, settings in enumerate(chosen):
        values.append(scored.values(settings))
        tell(number + 1)
    table = np.stack(values)
    counts = scored.counts()
    best = _best(chosen, table @ counts)
    done = [_fold(scored, chosen, table, name, inside) for name, inside in scored.folds(folds)]
    after = scored.values(best)
    return Tuned(best, 100 * float(table[0] @ counts), 100 * float(after @ counts), tuple(done))


def weights(settings: RetrieveSettings) -> dict[str, float]:
    """Return the weights that tuning may change, by name."""
    return {name: getattr(settings, name) for name in settings.tuned}


def write_settings(path: Path, settings: RetrieveSettings) -> None:
    """Write the weights as `[retrieve]` into a strata.toml; all else in it stays as it is."""
    document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
    section = document.setdefault("retrieve", tomlkit.table())
    for name, value in weights(settings).items():
        section[name] = value
    path.write_text(tomlkit.dumps(document), encoding="utf-8")


class _ScoredQuestions:
    """The questions of all sets in one array; what does not depend on the weights is searched for once."""

    def __init__(self, sets: Sequence[QuestionSet]) -> None:
        self._sets = sets
        self._features = [[one.retriever.features(question.question) for question in one.questions] for one in sets]
        self._hits: list[dict[int, Hit]] = [{} for _ in sets]

    def values(self, settings: RetrieveSettings) -> NDArray[np.float64]:
        """Return the value of each question, in [0, 1]."""
        return np.array([self._value(*one, settings) for one in self._numbers()])

    def counts(self) -> NDArray[np.float64]:
        """Return the weight of each question in the mean, in which all corpora count the same."""
        families = Counter(one.family for one in self._sets)
        sizes = [len(one.questions) for one in self._sets]
        of_sets = [1 / len(families) / families[one.family] for one in self._sets]
        return np.repeat([weight / max(size, 1) for weight, size in zip(of_sets, sizes, strict=True)], sizes)

    def folds(self, count: int) -> list[tuple[str, NDArray[np.bool_]]]:
        """Return the name of each fold and which questions are in it."""
        sets = np.array([number for number, _ in self._numbers()])
        families = [one.family for one in self._sets]
        if len(set(families)) > 1:
            of_question = np.array(families)[sets]
            return [(family, of_question == family) for family in dict.fromkeys(families)]
        return [(f"fold {number + 1}", np.arange(len(sets)) % count == number) for number in range(count)]

    def _numbers(self) -> Iterator[tuple[int, int]]:
        """Yield for each question the number of its set, and its own in that set."""
        for number, one in enumerate(self._sets):
            for question in range(len(one.questions)):
                yield number, question

    def _value(self, number: int, question: int, settings: RetrieveSettings) -> float:
        one = self._sets[number]
        ranked = one.retriever.rank(self._features[number][question], max(DEPTHS), settings)
        held = self._hits[number]
        missing = [chunk for chunk in ranked if chunk not in held]
        held |= zip(missing, one.retriever.hits_of(missing), strict=True)
        return value([held[chunk] for chunk in ranked], one.questions[question])


def value(hits: Sequence[Hit], question: Question) -> float:
    """Return the value of ranked hits for a question, in [0, 1].

    The mean of recall at `DEPTHS`; for questions with sources of page recall there, of recall of documents among the
    first five, and of whether the first hit is of a right one.
    """
    if question.gold_passages:
        uris = [hit.uri for hit in hits]
        return mean([recall_at(uris, question.gold_uris, k) for k in DEPTHS])
    found = found_of(hits)
    pages = [page_recall(found, question.sources, k) for k in DEPTHS]
    return mean([first_document(found, question.sources), document_recall(found, question.sources, 5), *pages])


def _trial(start: RetrieveSettings, dice: np.random.Generator) -> RetrieveSettings:
    """Random settings around `start`: shares moved on their odds, weights by a factor; a weight of 0 stays 0."""
    changed = {}
    for name in start.tuned:
        now, move = float(getattr(start, name)), float(dice.uniform(-SEARCH_RANGE, SEARCH_RANGE))
        if now:
            changed[name] = _bounded(name, _unbounded(name, now) + move)
    return start.model_copy(update=changed)


def _best(trials: Sequence[RetrieveSettings], values: NDArray[np.float64]) -> RetrieveSettings:
    """The mean of the best trials, each setting on the scale on which it was moved."""
    best = [trials[number] for number in np.argsort(-values, kind="stable")[:AVERAGED]]
    middle = {
        name: round(_bounded(name, mean([_unbounded(name, float(getattr(one, name))) for one in best])), 3)
        for name in trials[0].tuned
        if getattr(trials[0], name)
    }
    return trials[0].model_copy(update=middle)


def _is_share(name: str) -> bool:
    return any(getattr(mark, "le", None) == 1 for mark in RetrieveSettings.model_fields[name].metadata)


def _unbounded(name: str, value: float) -> float:
    if _is_share(name):
        value = min(max(value, 0.01), 0.99)
        return math.log(value / (1 - value))
    return math.log(max(value, 0.01))


def _bounded(name: str, value: float) -> float:
    return 1 / (1 + math.exp(-value)) if _is_share(name) else math.exp(value)


def _fold(
    scored: _ScoredQuestions,
    trials: Sequence[RetrieveSettings],
    table: NDArray[np.float64],
    name: str,
    inside: NDArray[np.bool_],
) -> Fold:
    chosen = _best(trials, table[:, ~inside] @ scored.counts()[~inside])
    after = scored.values(chosen)[inside].mean()
    return Fold(name, int(inside.sum()), 100 * float(table[0][inside].mean()), 100 * float(after), chosen)
