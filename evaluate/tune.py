"""Tunes the weights of retrieval on questions with known gold passages or sources, with cross-validation.

Random settings are evaluated on all questions (random search, Bergstra and Bengio 2012). The tuned settings are the
mean of the best few, since the single best may fit by chance. In cross-validation, the questions of each fold are
scored with settings chosen on the other folds.
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
from pipelines.core.errors import SourceError
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings
from qa.citations import found as found_of

DEPTHS = (2, 5, 10)
AVERAGED = 12
"""Number of best trials that are averaged: a sixteenth of 200."""
SEARCH_RANGE = 1.0
"""Maximum logarithm of the ratio of a trial's weight to the current one."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions of one knowledge base; `name` is that of their file.

    Sets with the same `corpus` (translations, for example) count as one and are held out together.
    """

    name: str
    retriever: Retriever
    questions: tuple[Question, ...]
    corpus: str = ""

    @property
    def family(self) -> str:
        """The corpus, or the name of a set without one: the unit that is held out."""
        return self.corpus or self.name


@dataclass(frozen=True, slots=True)
class Fold:
    """The mean value of a fold's questions in percent, before and after tuning; `settings` were chosen without them."""

    name: str
    questions: int
    before: float
    after: float
    settings: RetrieveSettings


@dataclass(frozen=True, slots=True)
class Tuned:
    """The settings tuned on all questions, with the mean value in percent before and after.

    `after` is measured on the questions used for tuning; `folds` show the values to expect for other questions.
    """

    settings: RetrieveSettings
    before: float
    after: float
    folds: tuple[Fold, ...]

    def flat(self) -> dict[str, object]:
        """Return the output of `strata tune --json`."""
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
    """Return the settings tuned on `sets`, beginning with `start`; equal arguments give equal settings.

    `tell` is called with the number of finished trials. If there are several corpora, each is a fold; with fewer
    questions than `folds`, each question is one. All corpora have equal weight, and so have all sets of a corpus and
    all questions of a set. Raises `SourceError` without questions.

    >>> tune([QuestionSet("pumps", retriever, questions)], RetrieveSettings()).settings.hop  # doctest: +SKIP
    1.462
    """
    sets = [one for one in sets if one.questions]
    if not sets:
        raise SourceError("there is no answerable question to tune on")
    scored = _ScoredQuestions(sets)
    rng = np.random.default_rng(seed)
    chosen = [start, *(_trial(start, rng) for _ in range(trials))]
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
    """Return the tunable weights by name."""
    return {name: getattr(settings, name) for name in settings.tuned}


def write_settings(path: Path, settings: RetrieveSettings) -> None:
    """Write the weights to the section `[retrieve]` of a strata.toml, without other changes."""
    document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
    section = document.setdefault("retrieve", tomlkit.table())
    for name, value in weights(settings).items():
        section[name] = value
    path.write_text(tomlkit.dumps(document), encoding="utf-8")


class _ScoredQuestions:
    """The questions of all sets in one array; their features, which do not depend on weights, are computed once."""

    def __init__(self, sets: Sequence[QuestionSet]) -> None:
        self._sets = sets
        self._features = [[one.retriever.features(question.question) for question in one.questions] for one in sets]
        self._hits: list[dict[int, Hit]] = [{} for _ in sets]

    def values(self, settings: RetrieveSettings) -> NDArray[np.float64]:
        """Return the value of each question, in [0, 1]."""
        return np.array([self._value(*one, settings) for one in self._numbers()])

    def counts(self) -> NDArray[np.float64]:
        """Return the weight of each question in the mean; all corpora have equal weight."""
        families = Counter(one.family for one in self._sets)
        sizes = [len(one.questions) for one in self._sets]
        of_sets = [1 / len(families) / families[one.family] for one in self._sets]
        return np.repeat([weight / max(size, 1) for weight, size in zip(of_sets, sizes, strict=True)], sizes)

    def folds(self, count: int) -> list[tuple[str, NDArray[np.bool_]]]:
        """Return the name and the question mask of each fold."""
        sets = np.array([number for number, _ in self._numbers()])
        families = [one.family for one in self._sets]
        if len(set(families)) > 1:
            of_question = np.array(families)[sets]
            return [(family, of_question == family) for family in dict.fromkeys(families)]
        count = min(count, len(sets)) if len(sets) > 1 else 0  # one question leaves none to tune on
        return [(f"fold {number + 1}", np.arange(len(sets)) % count == number) for number in range(count)]

    def _numbers(self) -> Iterator[tuple[int, int]]:
        """Yield (number of the set, number in the set) for each question."""
        for number, one in enumerate(self._sets):
            for question in range(len(one.questions)):
                yield number, question

    def _value(self, number: int, question: int, settings: RetrieveSettings) -> float:
        one = self._sets[number]
        ranked = one.retriever.rank(self._features[number][question], max(DEPTHS), settings)
        hits = self._hits[number]
        missing = [chunk for chunk in ranked if chunk not in hits]
        hits |= zip(missing, one.retriever.hits_of(missing), strict=True)
        return value([hits[chunk] for chunk in ranked], one.questions[question])


def value(hits: Sequence[Hit], question: Question) -> float:
    """Return the value of ranked hits for a question, in [0, 1].

    This is the mean recall at `DEPTHS`; for questions with sources, the mean of page recall at `DEPTHS`, of document
    recall among the first five hits, and of whether the first hit is from a right document.
    """
    if question.gold_passages:
        uris = [hit.uri for hit in hits]
        return mean([recall_at(uris, question.gold_uris, k) for k in DEPTHS])
    found = found_of(hits)
    pages = [page_recall(found, question.sources, k) for k in DEPTHS]
    return mean([first_document(found, question.sources), document_recall(found, question.sources, 5), *pages])


def _trial(start: RetrieveSettings, rng: np.random.Generator) -> RetrieveSettings:
    """Return random settings around `start`: shares change on the logit scale, weights by a factor; 0 stays 0."""
    changed = {}
    for name in start.tuned:
        now, move = float(getattr(start, name)), float(rng.uniform(-SEARCH_RANGE, SEARCH_RANGE))
        if now:
            changed[name] = _bounded(name, _unbounded(name, now) + move)
    return start.model_copy(update=changed)


def _best(trials: Sequence[RetrieveSettings], values: NDArray[np.float64]) -> RetrieveSettings:
    """Return the mean of the best trials, each setting on the scale of its random changes."""
    best = [trials[number] for number in np.argsort(-values, kind="stable")[:AVERAGED]]
    means = {
        name: round(_bounded(name, mean([_unbounded(name, float(getattr(one, name))) for one in best])), 3)
        for name in trials[0].tuned
        if getattr(trials[0], name)
    }
    return trials[0].model_copy(update=means)


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
