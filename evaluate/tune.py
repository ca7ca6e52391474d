"""Weights of retrieval from questions whose right passages or places are known, with cross-validation.

A round of random settings is tried on every question; the best few of them, averaged, are the tuned settings. One
setting that happens to fit is no use: the average of the best lies in the middle of what works. In cross-validation
each fold's questions are scored under settings chosen by the others alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tomlkit
from numpy.typing import NDArray

from evaluate.metrics import mean, recall_at
from evaluate.places import document_recall, first_document, page_recall
from evaluate.questions import Question
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings

DEPTHS = (2, 5, 10)
BEST = 12
"""Settings that are averaged."""
SPREAD = 1.0
"""How far a trial leaves the settings in force: a factor of e to this, either way."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions of one knowledge base; `name` is that of their file."""

    name: str
    retriever: Retriever
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """What the questions of one fold came to, in percent, before and under settings chosen without them."""

    name: str
    questions: int
    before: float
    after: float
    settings: RetrieveSettings


@dataclass(frozen=True, slots=True)
class Tuned:
    """The settings chosen by all questions, what they came to before and after, and the honest figures by fold."""

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
    """Return tuned settings; `tell` hears of each trial. The same input gives the same settings.

    With several sets the folds are the sets, so that no set is scored by settings it has seen; each counts alike,
    however many questions it has.
    """
    bench = _Bench(sets)
    chosen = [start, *_trials(start, trials, np.random.default_rng(seed))]
    values = []
    for number, settings in enumerate(chosen):
        values.append(bench.values(settings))
        tell(number + 1)
    table = np.stack(values)
    counts = bench.counts()
    best = _best(chosen, table @ counts)
    done = [_fold(bench, chosen, table, name, inside) for name, inside in bench.folds(folds)]
    after = bench.values(best)
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


class _Bench:
    """The questions of all sets in one row, with all that does not depend on the weights found once."""

    def __init__(self, sets: Sequence[QuestionSet]) -> None:
        self._sets = sets
        self._evidence = [[one.retriever.evidence(question.question) for question in one.questions] for one in sets]
        self._hits: list[dict[int, Hit]] = [{} for _ in sets]

    def values(self, settings: RetrieveSettings) -> NDArray[np.float64]:
        """Return the value of each question, in [0, 1]."""
        return np.array([self._value(*place, settings) for place in self._places()])

    def counts(self) -> NDArray[np.float64]:
        """Return what each question counts: sets alike, and the questions of a set alike."""
        sizes = [len(one.questions) for one in self._sets]
        return np.repeat([1 / len(sizes) / size for size in sizes], sizes)

    def folds(self, count: int) -> list[tuple[str, NDArray[np.bool_]]]:
        """Return the name of each fold and which questions are in it."""
        places = np.array([number for number, _ in self._places()])
        if len(self._sets) > 1:
            return [(one.name, places == number) for number, one in enumerate(self._sets)]
        return [(f"fold {number + 1}", np.arange(len(places)) % count == number) for number in range(count)]

    def _places(self) -> Iterator[tuple[int, int]]:
        for number, one in enumerate(self._sets):
            for place in range(len(one.questions)):
                yield number, place

    def _value(self, number: int, place: int, settings: RetrieveSettings) -> float:
        one = self._sets[number]
        ranked = one.retriever.rank(self._evidence[number][place], max(DEPTHS), settings)
        held = self._hits[number]
        missing = [chunk for chunk in ranked if chunk not in held]
        held |= zip(missing, one.retriever.plain_hits(missing), strict=True)
        return value([held[chunk] for chunk in ranked], one.questions[place])


def value(hits: Sequence[Hit], question: Question) -> float:
    """Return what hits are worth for a question, in [0, 1]: recall at several depths, of places the first one too."""
    if question.gold_passages:
        uris = [hit.uri for hit in hits]
        return mean([recall_at(uris, question.gold_passages, k) for k in DEPTHS])
    pages = [page_recall(hits, question, k) for k in DEPTHS]
    return mean([first_document(hits, question), document_recall(hits, question, 5), *pages])


def _trials(start: RetrieveSettings, count: int, dice: np.random.Generator) -> list[RetrieveSettings]:
    return [_near(start, dice) for _ in range(count)]


def _near(start: RetrieveSettings, dice: np.random.Generator) -> RetrieveSettings:
    """Settings around `start`: shares moved on their odds, weights by a factor; what is off stays off."""
    changed = {}
    for name in start.tuned:
        now, move = float(getattr(start, name)), float(dice.uniform(-SPREAD, SPREAD))
        if now:
            changed[name] = _from_free(name, _to_free(name, now) + move)
    return start.model_copy(update=changed)


def _best(trials: Sequence[RetrieveSettings], values: NDArray[np.float64]) -> RetrieveSettings:
    """The middle of the best trials, each setting on the scale on which it was moved."""
    best = [trials[place] for place in np.argsort(-values, kind="stable")[:BEST]]
    middle = {
        name: round(_from_free(name, mean([_to_free(name, float(getattr(one, name))) for one in best])), 3)
        for name in trials[0].tuned
        if getattr(trials[0], name)
    }
    return trials[0].model_copy(update=middle)


def _is_share(name: str) -> bool:
    return any(getattr(mark, "le", None) == 1 for mark in RetrieveSettings.model_fields[name].metadata)


def _to_free(name: str, value: float) -> float:
    if _is_share(name):
        value = min(max(value, 0.01), 0.99)
        return math.log(value / (1 - value))
    return math.log(max(value, 0.01))


def _from_free(name: str, value: float) -> float:
    return 1 / (1 + math.exp(-value)) if _is_share(name) else math.exp(value)


def _fold(
    bench: _Bench,
    trials: Sequence[RetrieveSettings],
    table: NDArray[np.float64],
    name: str,
    inside: NDArray[np.bool_],
) -> Fold:
    chosen = _best(trials, table[:, ~inside] @ bench.counts()[~inside])
    after = bench.values(chosen)[inside].mean()
    return Fold(name, int(inside.sum()), 100 * float(table[0][inside].mean()), 100 * float(after), chosen)
