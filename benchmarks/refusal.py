"""Refusal: fits the weights of the confidence, and evaluates them on corpora that were not used for fitting.

    python benchmarks/refusal.py --keep FOLDER [--packages FOLDER] [--write] [--unseen industrial2 multilingual-zh]
                                 [--held-out]

FOLDER is one that `strata eval matrix --keep` has filled; missing knowledge bases are made. `--packages` has Debian
packages, each unpacked in a folder with its name (`dpkg-deb -x`); sets of missing packages are omitted.

Each question is asked as it is. Each answerable question of the shared sets is also asked of reduced corpora: without
the documents with its answer, and without only the passages with its answer (the rest of their documents is about the
same subject). The rarity of words is computed on the reduced corpus. Each corpus is left out in turn: the weights are
fitted on the others (logistic regression) and evaluated on it. Every tenth answerable question is also asked of the
other corpora in its language; these are easy, and not used for fitting.

The threshold for refusal (`refuse_below`) refuses `REFUSED` of the answerable questions of the corpora left out, on
average over corpora. `--write` fits on all corpora and writes `qa/quoting/refusal.toml`; `--unseen` evaluates these
weights on sets that were not used for fitting, `--held-out` on those that were not used for any decision.

The following do not improve the seven features: similarly spelled words, literal occurrence of a code, the combined
cover of the chosen units, the cosine of question and sentence, the sentence's score, the number of words of the
question, a missing reason that is asked for, the difference in cover between the best unit and the others of its
document (with and without names and codes), what no unit of its document has, and whether it is a row. These lower the
loss a little on the corpora that are fitted, and recognize no more in others: the missing word that the corpus has
elsewhere, the share of words within the unit, the word next to the interrogative one, a word that counts only because
the unit has a value of its kind, the cosine of the missing word with the nearest word of the unit, and information by
stems; a random forest of all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.refusal_fit import NAMES, Case, Kind, fit, judged, left_out, line_of, loss, weights_of
from benchmarks.refusal_sets import HERE, AskedSet, made, read_sets
from evaluate.questions import Question, read_questions
from pipelines.resources import Stores, open_stores
from pipelines.retrieve.conflicts import demote_warned
from pipelines.retrieve.evidence_score import score_units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.lexicon import CorpusLexicon
from pipelines.retrieve.question_reading import languages_of, read_question
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import load
from pipelines.store.vector import Filter
from qa.quoting.answer_selection import select_units
from qa.quoting.confidence import Features, features
from qa.settings import AnswerSettings, QaSettings

WEIGHTS = HERE / "qa" / "quoting" / "refusal.toml"
REFUSED = 0.06
"""Share of the answerable questions refused at the threshold, on average over corpora. This is 0.02 less than the
acceptable share, since more may be refused in other corpora."""
SHARES = (0.02, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24)
QUOTED = 60
"""Minimum letters of words of a gold quote that identify its passage."""
SPARE = 4
"""Additional passages retrieved to replace those left out."""
APART = 10
BINS = 10


class Corpus:
    """A knowledge base with documents or passages left out."""

    def __init__(self, stores: Stores) -> None:
        settings = load(None, {}, QaSettings).settings
        self._embedder, self._retriever = stores.embedder, Retriever.of(stores, settings.retrieve)
        index = self._retriever.index
        self._uris = np.array(index.uris)[index.document_of]

    def evidence(
        self, question: str, documents: Callable[[str], bool] = lambda uri: False, passages: Sequence[str] = ()
    ) -> Features | None:
        """Return the features of a question asked without these documents, and without passages with these words.

        None if nothing can be quoted: no passage found has the words, or none is left.
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
    ) -> Features | None:
        index = self._retriever.index

        def frequency(term: str) -> int:
            number = index.vocabulary.get(term)
            return 0 if number is None else int(left[index.postings.columns_of(number)].sum())

        lexicon = CorpusLexicon(frequency, int(left.sum()), self._embedder)
        asked = read_question(question, lexicon, languages_of(hits))
        scored = demote_warned(asked, score_units(asked, hits, lexicon))
        chosen = select_units(asked, scored, settings.quotes)
        return features(asked, scored, chosen) if chosen else None


def cases(one: AskedSet, sets: Mapping[str, AskedSet], keep: Path) -> Iterator[Case]:
    with open_stores(made(one, keep), load(None, {}, QaSettings).settings) as stores:
        asked = Corpus(stores)
        for question in read_questions(one.questions):
            kind = Kind.ANSWERABLE if question.answerable else Kind.UNANSWERABLE
            found = {kind: asked.evidence(question.question)}
            if question.answerable and not one.written:
                found[Kind.WITHOUT_DOCUMENT] = asked.evidence(question.question, partial(holds, question))
                if quotes := [plain(gold.quote)[:QUOTED] for gold in question.gold_sources if gold.quote]:
                    found[Kind.WITHOUT_PASSAGE] = asked.evidence(question.question, passages=quotes)
            own = (Kind.ANSWERABLE, Kind.UNANSWERABLE)
            yield from (Case(one.name, one.corpus, each, found[each]) for each in found if found[each] or each in own)
        for text in foreign(one, sets):
            if each := asked.evidence(text):
                yield Case(one.name, one.corpus, Kind.FOREIGN, each)


def foreign(one: AskedSet, sets: Mapping[str, AskedSet]) -> Iterator[str]:
    """Yield every tenth answerable question of the other corpora in the language of a set."""
    for other in sets.values():
        if other.corpus != one.corpus and other.language == one.language and other.role == "fit":
            yield from [asked.question for asked in read_questions(other.questions) if asked.answerable][::APART]


def plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def holds(question: Question, uri: str) -> bool:
    """Whether a document has the answer: it is a source, or part of one (the attachment of a mail)."""
    files = (gold.file for gold in question.gold_sources)
    return any(uri == file or uri.endswith(f"/{file}") or f"{file}!" in uri for file in files)


def show(name: str, some: Sequence[Case], sure: NDArray[np.float64], line: float) -> None:
    """Print the number of refused questions of each kind."""
    told = []
    for kind in Kind:
        which = np.array([case.kind is kind for case in some])
        if which.any():
            told.append(f"{kind.value} {int((sure[which] < line).sum())} of {int(which.sum())}")
    print(f"{name:<18}{', '.join(told)}", flush=True)


def show_trade(some: Sequence[Case], sure: NDArray[np.float64]) -> None:
    """Print the share of recognized unanswerable questions for each share of refused answerable ones, averaged."""
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


def show_curve(some: Sequence[Case], sure: NDArray[np.float64]) -> None:
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


def written(weights: NDArray[np.float64]) -> str:
    lines = [f"{name} = {value:.2f}" for name, value in zip((*NAMES, "bias"), weights, strict=True)]
    head = "# Weights of the features of `qa.quoting.confidence`, written by benchmarks/refusal.py --write."
    return "\n".join([head, *lines]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, required=True, help="a folder that keeps the knowledge bases")
    parser.add_argument("--packages", type=Path, help="a folder of unpacked Debian packages")
    parser.add_argument("--write", action="store_true", help="write the weights fitted on all")
    parser.add_argument("--unseen", nargs="*", default=(), help="sets that take no part")
    parser.add_argument("--held-out", action="store_true", help="judge the sets that no choice was made by")
    args = parser.parse_args()
    sets = read_sets(args.packages)
    found = [case for one in sets.values() if one.role == "fit" for case in cases(one, sets, args.keep)]
    fitted = [case for case in found if case.kind is not Kind.FOREIGN]
    sure = left_out(found)
    line, whole = line_of(found, sure, REFUSED), fit(fitted)
    print(f"refused below {line:.2f}, log loss {loss(found, sure):.3f}, each corpus by the weights of the others\n")
    for name in dict.fromkeys(case.set for case in found):
        which = np.array([case.set == name for case in found])
        show(name, [case for case in found if case.set == name], sure[which], line)
    show_trade(found, sure)
    show_curve(fitted, sure[np.array([case.kind is not Kind.FOREIGN for case in found])])
    print(f"\n{written(whole)}")
    if args.write:
        WEIGHTS.write_text(written(whole), encoding="utf-8")
    judged_apart = [
        one for one in sets.values() if one.name in args.unseen or (args.held_out and one.role == "held out")
    ]
    apart = [(one, list(cases(one, sets, args.keep))) for one in judged_apart]
    for one, some in apart:
        show(one.name, some, judged(some, whole), line)
    if together := [case for one, some in apart if one.role == "held out" for case in some]:
        show("held out", together, judged(together, whole), line)
        show_trade(together, judged(together, whole))
        show_curve(
            [case for case in together if case.kind is not Kind.FOREIGN],
            judged([case for case in together if case.kind is not Kind.FOREIGN], whole),
        )


if __name__ == "__main__":
    main()
