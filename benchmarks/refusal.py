"""Refusal: fits the weights of confidence, and shows what they do on a corpus that they were not fitted to.

    python benchmarks/refusal.py --keep FOLDER [--write] [--unseen industrial2 multilingual-zh]

Each question is asked as it is, and each answerable one again of the corpus without the documents that hold its answer.
Each corpus is left out in turn: the weights are fitted on the others (logistic regression, every corpus and both
outcomes with the same weight in each), and it is judged with them. The handbook is one corpus in all its languages.
`--write` fits on all and writes `qa/quoting/refusal.toml`; `--unseen` judges sets that took no part with those weights.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from evaluate.passages import build_passages
from evaluate.questions import Question, read_passages, read_questions
from pipelines.ingest.build import build
from pipelines.resources import open_stores
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import load
from pipelines.store.vector import Filter
from qa.knowledge_base import KnowledgeBase
from qa.quoting.choose import choose
from qa.quoting.confidence import Features, features
from qa.quoting.question import languages_of, read_question
from qa.quoting.warned import behind_what_holds
from qa.quoting.weigh import weigh
from qa.settings import AnswerSettings, QaSettings

HERE = Path(__file__).parent.parent
DATA = HERE.parent / "shared" / "data"
WEIGHTS = HERE / "qa" / "quoting" / "refusal.toml"
NAMES = tuple(field.name for field in fields(Features))
ANSWERABLE = 0.65
"""Share of the questions that are taken to have an answer: where the line between the two mistakes is drawn."""
RIDGE = 0.3
"""Strength of the penalty on large weights; the log loss left out hardly changes from 0.03 to 0.3."""
BINS = 10
SETS: Mapping[str, tuple[str, str]] = {
    "examples": ("examples", "examples/questions.jsonl"),
    "industrial": ("industrial", "industrial/questions.jsonl"),
    "multilingual-en": ("multilingual", "multilingual/en_questions.jsonl"),
    "multilingual-de": ("multilingual", "multilingual/de_questions.jsonl"),
    "multilingual-fr": ("multilingual", "multilingual/fr_questions.jsonl"),
    "musique": ("musique", "multihop/musique/questions.jsonl"),
    "hotpotqa": ("hotpotqa", "multihop/hotpotqa/questions.jsonl"),
}
"""Sets of questions, with the corpus that each belongs to: what is left out together."""
UNSEEN: Mapping[str, tuple[str, str]] = {
    "industrial2": ("industrial2", "industrial2/questions.jsonl"),
    "multilingual-zh": ("multilingual", "multilingual/zh_questions.jsonl"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A question asked of a corpus, or of what is left of it. `made` says that its sources were taken away."""

    set: str
    corpus: str
    answerable: bool
    made: bool
    found: Features


def path_of(questions: str) -> Path:
    return HERE / questions if questions.startswith("examples") else DATA / questions


def opened(name: str, questions: Path, keep: Path) -> KnowledgeBase:
    """Open the knowledge base of a set in `keep`, made where it is not there."""
    kb, settings = keep / name, load(None, {}, QaSettings).settings
    if (questions.parent / "corpus.jsonl").is_file():
        build_passages(read_passages(questions.parent / "corpus.jsonl"), settings, kb)
    elif not kb.exists():
        folder = questions.parent / (questions.stem.partition("_")[0] if "_" in questions.stem else "documents")
        build(folder, kb, settings)
    return KnowledgeBase.open(kb, settings)


def searched(kb: Path) -> tuple[str, ...]:
    """Return the documents of a knowledge base that can be found."""
    settings = load(None, {}, QaSettings).settings
    with open_stores(kb, settings) as stores:
        return tuple(Retriever.of(stores, settings.retrieve).index.uris)


def cases(name: str, corpus: str, questions: Path, keep: Path) -> Iterator[Case]:
    with opened(name, questions, keep) as knowledge:
        uris = searched(keep / name)
        for question in read_questions(questions):
            yield Case(name, corpus, question.answerable, False, evidence(knowledge, question.question, Filter()))
            without = tuple(uri for uri in uris if not holds(question, uri))
            if question.answerable and without:
                found = evidence(knowledge, question.question, Filter(documents=without))
                yield Case(name, corpus, False, True, found)


def holds(question: Question, uri: str) -> bool:
    """Whether a document holds the answer: it is a source, or part of one (the attachment of a mail)."""
    files = (gold.file for gold in question.gold_sources)
    return any(uri == file or uri.endswith(f"/{file}") or f"{file}!" in uri for file in files)


def evidence(knowledge: KnowledgeBase, question: str, where: Filter) -> Features:
    settings, retrieval = AnswerSettings(), knowledge.confined(where)
    hits = retrieval.retrieve(question, settings.hits)
    asked = read_question(question, retrieval.lexicon, languages_of(hits))
    weighed = behind_what_holds(asked, weigh(asked, hits, retrieval.lexicon))
    return features(asked, weighed, choose(asked, weighed, settings.quotes))


def matrix(some: Sequence[Case]) -> tuple[np.ndarray, np.ndarray]:
    """The features of each case, with a column of ones, and whether it has an answer."""
    rows = [[*(getattr(case.found, name) for name in NAMES), 1.0] for case in some]
    return np.array(rows), np.array([float(case.answerable) for case in some])


def weights_of(some: Sequence[Case]) -> np.ndarray:
    """Weights of the cases: all corpora alike, in each `ANSWERABLE` of the weight on the questions with an answer."""
    counts: dict[tuple[str, bool], int] = defaultdict(int)
    for case in some:
        counts[case.corpus, case.answerable] += 1
    shares = {True: ANSWERABLE, False: 1 - ANSWERABLE}
    return np.array([40 * shares[case.answerable] / counts[case.corpus, case.answerable] for case in some])


def fit(some: Sequence[Case]) -> np.ndarray:
    """Return the weights of the features and the bias: logistic regression with a ridge, by Newton's method."""
    rows, answerable = matrix(some)
    each, ridge = weights_of(some), RIDGE * np.diag([*[1.0] * len(NAMES), 1e-6])
    found = np.zeros(rows.shape[1])
    for _ in range(50):
        sure = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (each * (sure - answerable)) + ridge @ found
        found -= np.linalg.solve((rows.T * (each * sure * (1 - sure))) @ rows + ridge, slope)
    return found


def judged(some: Sequence[Case], weights: np.ndarray) -> np.ndarray:
    """Return the confidence of each case under these weights."""
    return np.asarray(1 / (1 + np.exp(-matrix(some)[0] @ weights)))


def show(name: str, some: Sequence[Case], sure: np.ndarray) -> None:
    refused = sure < AnswerSettings().refuse_below
    kinds = [
        ("answerable refused", [case.answerable for case in some]),
        ("unanswerable recognized", [not case.answerable and not case.made for case in some]),
        ("recognized without sources", [case.made for case in some]),
    ]
    told = [f"{what} {int(refused[which].sum())} of {sum(which)}" for what, which in kinds if any(which)]
    right = float(np.mean(refused != np.array([case.answerable for case in some])))
    print(f"{name:<18}{', '.join(told)}; right {100 * right:.0f} %", flush=True)


def show_curve(some: Sequence[Case], sure: np.ndarray) -> None:
    """Print for each tenth of confidence the share of questions with an answer, weighted as in the fit."""
    each, answerable = weights_of(some), np.array([case.answerable for case in some], dtype=float)
    print(f"\nconfidence left out{'cases':>8}{'mean':>8}{'answerable':>12}")
    for place in range(BINS):
        within = (sure >= place / BINS) & (sure < (place + 1) / BINS)
        if within.any():
            mean, share = (np.average(values[within], weights=each[within]) for values in (sure, answerable))
            print(
                f"  {place / BINS:.1f} to {(place + 1) / BINS:.1f}     {int(within.sum()):>8}{mean:>8.2f}{share:>12.2f}"
            )


def written(weights: np.ndarray) -> str:
    lines = [f"{name} = {value:.2f}" for name, value in zip((*NAMES, "bias"), weights, strict=True)]
    head = "# Weights of the features of `qa.quoting.confidence`, written by benchmarks/refusal.py --write."
    return "\n".join([head, *lines]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, required=True, help="a folder that keeps the knowledge bases")
    parser.add_argument("--write", action="store_true", help="write the weights fitted on all")
    parser.add_argument("--unseen", nargs="*", default=(), choices=sorted(UNSEEN), help="sets that take no part")
    args = parser.parse_args()
    if not DATA.is_dir():
        print(f"nothing to measure: {DATA} is not there")
        return
    found = [case for name, (corpus, at) in SETS.items() for case in cases(name, corpus, path_of(at), args.keep)]
    whole = fit(found)
    for name in args.unseen:
        corpus, at = UNSEEN[name]
        unseen = list(cases(name, corpus, path_of(at), args.keep))
        show(name, unseen, judged(unseen, whole))
    left_out = np.zeros(len(found))
    for corpus in {case.corpus for case in found}:
        which = np.array([case.corpus == corpus for case in found])
        left_out[which] = judged(found, fit([case for case in found if case.corpus != corpus]))[which]
    for name in SETS:
        which = np.array([case.set == name for case in found])
        show(name, [case for case in found if case.set == name], left_out[which])
    show_curve(found, left_out)
    print(f"\n{written(whole)}")
    if args.write:
        WEIGHTS.write_text(written(whole), encoding="utf-8")


if __name__ == "__main__":
    main()
