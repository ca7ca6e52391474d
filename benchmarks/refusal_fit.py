"""Fits the weights of the confidence on cases, and determines the threshold for refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from qa.quoting.confidence import Features

NAMES = tuple(field.name for field in fields(Features))
ANSWERABLE = 0.65
"""Assumed share of answerable questions, which balances the two kinds of errors."""
LEFT_OUT = 0.35
"""Weight of an answerable question asked of a reduced corpus, relative to an unanswerable one: another passage may
still have the answer."""
FEW = 12
"""Minimum questions of a corpus with full weight."""
RIDGE = 0.3
"""Strength of the L2 penalty; the validation loss hardly changes from 0.03 to 1."""


class Kind(StrEnum):
    """Whether a question has an answer in its (reduced) corpus, and why not."""

    ANSWERABLE = "answerable"
    UNANSWERABLE = "unanswerable"
    WITHOUT_DOCUMENT = "without its document"
    WITHOUT_PASSAGE = "without its passage"
    FOREIGN = "of another corpus"


@dataclass(frozen=True, slots=True)
class Case:
    """A question asked of a corpus or a reduced one; `found` is None if nothing can be quoted."""

    set: str
    corpus: str
    kind: Kind
    found: Features | None

    @property
    def answerable(self) -> bool:
        return self.kind is Kind.ANSWERABLE


def matrix(some: Sequence[Case]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the features of the cases with a column of ones, and whether they have an answer."""
    rows = [[*(getattr(case.found, name, 0.0) for name in NAMES), 1.0] for case in some]
    return np.array(rows), np.array([float(case.answerable) for case in some])


def weights_of(some: Sequence[Case]) -> NDArray[np.float64]:
    """Return the weights of the cases: equal for corpora, and `ANSWERABLE` for the answerable questions in each."""
    own = np.array([1.0 if case.kind in (Kind.ANSWERABLE, Kind.UNANSWERABLE) else LEFT_OUT for case in some])
    weights = np.zeros(len(some))
    for corpus in {case.corpus for case in some}:
        for answerable, share in ((True, ANSWERABLE), (False, 1 - ANSWERABLE)):
            which = np.array([case.corpus == corpus and case.answerable is answerable for case in some])
            if which.any():
                total = own[which].sum()
                weights[which] = 40 * share * own[which] / total * min(1.0, total / FEW)
    return weights


def fit(some: Sequence[Case]) -> NDArray[np.float64]:
    """Return the weights of the features and the bias: logistic regression with a ridge, by Newton's method."""
    some = [case for case in some if case.found]
    rows, answerable = matrix(some)
    each, ridge = weights_of(some), RIDGE * np.diag([*[1.0] * len(NAMES), 1e-6])
    found = np.zeros(rows.shape[1])
    for _ in range(50):
        sure = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (each * (sure - answerable)) + ridge @ found
        found -= np.linalg.solve((rows.T * (each * sure * (1 - sure))) @ rows + ridge, slope)
    return found


def judged(some: Sequence[Case], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the confidence of each case with these weights, 0 if nothing can be quoted."""
    sure = 1 / (1 + np.exp(-matrix(some)[0] @ weights))
    return np.where([case.found is not None for case in some], sure, 0.0)


def left_out(some: Sequence[Case]) -> NDArray[np.float64]:
    """Return the confidence of each case with weights fitted on the other corpora; foreign cases are not used."""
    sure = np.zeros(len(some))
    for corpus in {case.corpus for case in some}:
        which = np.array([case.corpus == corpus for case in some])
        others = [case for case in some if case.corpus != corpus and case.kind is not Kind.FOREIGN]
        sure[which] = judged(some, fit(others))[which]
    return sure


def line_of(some: Sequence[Case], sure: NDArray[np.float64], share: float) -> float:
    """Return the quantile of the confidence of answerable questions for this share, averaged over corpora."""
    answerable = [place for place, case in enumerate(some) if case.answerable]
    order = sorted(answerable, key=lambda place: sure[place])
    each = weights_of(some)[order]
    return float(sure[order][np.searchsorted(np.cumsum(each) / each.sum(), share)])


def loss(some: Sequence[Case], sure: NDArray[np.float64]) -> float:
    """Return the log loss of cases with quotes, averaged over corpora with both outcomes."""
    own, losses = weights_of(some), []
    answerable = np.array([case.answerable for case in some])
    each = -np.log(np.clip(np.where(answerable, sure, 1 - sure), 1e-6, 1))
    for corpus in sorted({case.corpus for case in some}):
        which = np.array(
            [case.corpus == corpus and case.kind is not Kind.FOREIGN and case.found is not None for case in some]
        )
        if len(set(answerable[which])) == 2:
            losses.append(float(np.average(each[which], weights=own[which])))
    return float(np.mean(losses))
