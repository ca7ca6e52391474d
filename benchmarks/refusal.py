"""Refusal: fits the weights of confidence, and shows what they do on a corpus that they were not fitted to.

    python benchmarks/refusal.py --keep FOLDER [--write] [--unseen industrial2 multilingual-zh]

FOLDER is one that `strata eval matrix --keep` has filled; what is missing is made.

Each question is asked as it is, and each answerable one again of what is left of the corpus: without the documents that
hold its answer, and without the passages alone that do (the rest of their documents speaks of the same). Words are as
rare as they are in what is left. Each corpus is left out in turn: the weights are fitted on the others (logistic
regression, every corpus and both outcomes with the same weight in each), and it is judged with them. The handbook is
one corpus in all its languages. Every tenth answerable question is asked of the other corpora of its language too:
these are easy, and take no part in the fit.

The line below which is refused (`refuse_below`) is the one that refuses `REFUSED` of the answerable questions of the
corpora left out, in the mean over corpora. `--write` fits on all and writes `qa/quoting/refusal.toml`; `--unseen`
judges sets that took no part with those weights.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluate.questions import Question, read_passages, read_questions
from evaluate.sets import build_passages
from pipelines.ingest.build import build
from pipelines.resources import Stores, open_stores
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.lexicon import CorpusLexicon
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import load
from pipelines.store.vector import Filter
from qa.quoting.choose import choose
from qa.quoting.confidence import Features, features
from qa.quoting.conflicts import behind_what_holds
from qa.quoting.question import languages_of, read_question
from qa.quoting.weigh import weigh
from qa.settings import AnswerSettings, QaSettings

HERE = Path(__file__).parent.parent
DATA = HERE.parent / "shared" / "data"
WEIGHTS = HERE / "qa" / "quoting" / "refusal.toml"
NAMES = tuple(field.name for field in fields(Features))
ANSWERABLE = 0.65
"""Share of the questions that are taken to have an answer: where the line between the two mistakes is drawn."""
REFUSED = 0.04
"""Share of the answerable questions that may be refused, in the mean over corpora: what the line is drawn by. It is
half of what is aimed at, as other corpora than those with the most questions are refused more of."""
SHARES = (0.02, 0.04, 0.08, 0.12, 0.16, 0.24)
QUOTED = 60
"""Letters of the words that an answer is quoted by that a passage has to have."""
SPARE = 4
"""Passages found beyond those that are looked at: in place of those that are left out."""
APART = 10
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


class Kind(StrEnum):
    """Whether a question has an answer in what it is asked of, and why it has none."""

    ANSWERABLE = "answerable"
    UNANSWERABLE = "unanswerable"
    WITHOUT_DOCUMENT = "without its document"
    WITHOUT_PASSAGE = "without its passage"
    FOREIGN = "of another corpus"


@dataclass(frozen=True, slots=True)
class Case:
    """A question asked of a corpus, or of what is left of it."""

    set: str
    corpus: str
    kind: Kind
    found: Features

    @property
    def answerable(self) -> bool:
        return self.kind is Kind.ANSWERABLE


class Corpus:
    """A knowledge base that is asked with something left out."""

    def __init__(self, stores: Stores) -> None:
        settings = load(None, {}, QaSettings).settings
        self._embedder, self._retriever = stores.embedder, Retriever.of(stores, settings.retrieve)
        index = self._retriever.index
        self._uris = np.array(index.uris)[index.document_of]

    def evidence(
        self, question: str, documents: Callable[[str], bool] = lambda uri: False, passages: Sequence[str] = ()
    ) -> Features | None:
        """Return the features of a question asked without these documents, and without passages with these words.

        None where no passage found has the words, or where nothing is left.
        """
        settings, left = AnswerSettings(), np.array([not documents(uri) for uri in self._uris])
        where = Filter() if left.all() else Filter(documents=tuple(sorted(set(self._uris[left]))))
        hits = self._retriever.retrieve(question, settings.hits + SPARE * bool(passages), where) if left.any() else ()
        gone = {hit.chunk.id for hit in hits if any(quote in plain(hit.chunk.text) for quote in passages)}
        left &= ~np.isin(np.array(self._retriever.index.chunks), sorted(gone))
        hits = tuple(hit for hit in hits if hit.chunk.id not in gone)[: settings.hits]
        return None if not hits or (passages and not gone) else self._features(question, hits, left, settings)

    def _features(
        self, question: str, hits: Sequence[Hit], left: NDArray[np.bool_], settings: AnswerSettings
    ) -> Features:
        index = self._retriever.index

        def frequency(term: str) -> int:
            number = index.vocabulary.get(term)
            return 0 if number is None else int(left[index.postings.columns_of(number)].sum())

        lexicon = CorpusLexicon(frequency, int(left.sum()), self._embedder)
        asked = read_question(question, lexicon, languages_of(hits))
        weighed = behind_what_holds(asked, weigh(asked, hits, lexicon))
        return features(asked, weighed, choose(asked, weighed, settings.quotes))


def path_of(questions: str) -> Path:
    return HERE / questions if questions.startswith("examples") else DATA / questions


def made(name: str, questions: Path, keep: Path) -> Path:
    """Return the knowledge base of a set in `keep`, made where it is not there."""
    kb, settings = keep / f"{name}-wordllama", load(None, {}, QaSettings).settings
    if kb.exists():
        return kb
    if (questions.parent / "corpus.jsonl").is_file():
        build_passages(read_passages(questions.parent / "corpus.jsonl"), settings, kb)
    else:
        folder = questions.parent / (questions.stem.partition("_")[0] if "_" in questions.stem else "documents")
        build(folder, kb, settings)
    return kb


def cases(name: str, sets: Mapping[str, tuple[str, str]], keep: Path) -> Iterator[Case]:
    corpus, at = sets[name]
    with open_stores(made(name, path_of(at), keep), load(None, {}, QaSettings).settings) as stores:
        asked = Corpus(stores)
        for question in read_questions(path_of(at)):
            kind = Kind.ANSWERABLE if question.answerable else Kind.UNANSWERABLE
            found = {kind: asked.evidence(question.question)}
            if question.answerable:
                found[Kind.WITHOUT_DOCUMENT] = asked.evidence(question.question, partial(holds, question))
            if quotes := [plain(gold.quote)[:QUOTED] for gold in question.gold_sources if gold.quote]:
                found[Kind.WITHOUT_PASSAGE] = asked.evidence(question.question, passages=quotes)
            yield from (Case(name, corpus, kind, each) for kind, each in found.items() if each)
        for text in foreign(name, sets):
            if each := asked.evidence(text):
                yield Case(name, corpus, Kind.FOREIGN, each)


def foreign(name: str, sets: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """Yield every tenth answerable question of the other corpora in the language of a set."""
    for other, (corpus, at) in sets.items():
        if corpus != sets[name][0] and language(other) == language(name):
            yield from [one.question for one in read_questions(path_of(at)) if one.answerable][::APART]


def language(name: str) -> str:
    return name.partition("-")[2] or "en"


def plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def holds(question: Question, uri: str) -> bool:
    """Whether a document holds the answer: it is a source, or part of one (the attachment of a mail)."""
    files = (gold.file for gold in question.gold_sources)
    return any(uri == file or uri.endswith(f"/{file}") or f"{file}!" in uri for file in files)


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


def line_of(some: Sequence[Case], sure: np.ndarray, share: float) -> float:
    """Return the confidence that this share of the answerable questions is below, in the mean over corpora."""
    answerable = [place for place, case in enumerate(some) if case.answerable]
    order = sorted(answerable, key=lambda place: sure[place])
    each = weights_of(some)[order]
    return float(sure[order][np.searchsorted(np.cumsum(each) / each.sum(), share)])


def show(name: str, some: Sequence[Case], sure: np.ndarray, line: float) -> None:
    """Print how many questions of each kind are refused."""
    told = []
    for kind in Kind:
        which = np.array([case.kind is kind for case in some])
        if which.any():
            told.append(f"{kind.value} {int((sure[which] < line).sum())} of {int(which.sum())}")
    print(f"{name:<18}{', '.join(told)}", flush=True)


def show_trade(some: Sequence[Case], sure: np.ndarray) -> None:
    """Print what is recognized where a share of the answerable questions is refused, in the mean over corpora."""
    corpora = sorted({case.corpus for case in some})
    print(f"\n{'refused: answerable':<22}{'line':>8}" + "".join(f"{kind.value:>22}" for kind in list(Kind)[1:]))
    for share in SHARES:
        line, row = line_of(some, sure, share), []
        for kind in list(Kind)[1:]:
            refused = [
                [sure[place] < line for place, case in enumerate(some) if case.corpus == one and case.kind is kind]
                for one in corpora
            ]
            row.append(100 * float(np.mean([np.mean(each) for each in refused if each])))
        print(f"{100 * share:>18.0f} %{line:>10.2f}" + "".join(f"{each:>20.0f} %" for each in row))


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
    found = [case for name in SETS for case in cases(name, SETS, args.keep)]
    fitted = [case for case in found if case.kind is not Kind.FOREIGN]
    left_out = np.zeros(len(found))
    for corpus in {case.corpus for case in found}:
        which = np.array([case.corpus == corpus for case in found])
        left_out[which] = judged(found, fit([case for case in fitted if case.corpus != corpus]))[which]
    line, whole = line_of(found, left_out, REFUSED), fit(fitted)
    print(f"refused below {line:.2f}, each corpus by the weights of the others; without a share in anything:")
    for name in args.unseen:
        unseen = list(cases(name, {**SETS, **UNSEEN}, args.keep))
        show(name, unseen, judged(unseen, whole), line)
    print()
    for name in SETS:
        which = np.array([case.set == name for case in found])
        show(name, [case for case in found if case.set == name], left_out[which], line)
    show_trade(found, left_out)
    which = np.array([case.kind is not Kind.FOREIGN for case in found])
    show_curve(fitted, left_out[which])
    print(f"\n{written(whole)}")
    if args.write:
        WEIGHTS.write_text(written(whole), encoding="utf-8")


if __name__ == "__main__":
    main()
