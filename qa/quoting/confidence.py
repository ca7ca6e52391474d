"""The probability that the passages contain the answer, which decides between an answer and a refusal.

This is a logistic regression over features that are independent of corpus, language and the scale of scores. Most
features use only the best unit, since the terms of several units are often about different things. The information
content of a word is that in its language, since in a small corpus every word is rare. Missing words count less in a
long question, where some are always paraphrased.

The log loss in leave-one-corpus-out validation, averaged over 16 corpora, is 0.40. `benchmarks/refusal.py` fits the
weights (`refusal.toml`), estimates the loss on a new corpus, and lists features that do not help.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.lang.numbers import tells_when
from pipelines.lang.quantities import Kind, plain_numbers
from pipelines.lang.word_lists import cue_words
from pipelines.retrieve.evidence_score import ScoredUnit, combined_cover
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.tables import columns_asked, terms_of
from pipelines.retrieve.term_cover import ABOVE
from qa.quoting.lists import counts_rows

_OTHERS = 3
"""Other documents that the best one is compared with."""
_MAX_LISTED = 2
"""Maximum missing terms that are listed."""
_COVERED = 0.5
"""Minimum cover of a word that is not missing: it is in the unit, beside it or above it, not elsewhere in the chunk."""
_LONG = 8
"""In questions with at least this many words, a missing word is ignored by `missing_word`."""
_WEIGHTS = tomllib.loads(Path(__file__).with_name("refusal.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Features:
    """Features in [0, 1]; most are properties of the best unit.

    - `missing_word`: the information of the most informative missing word, reduced for long questions.
    - `missing_share`: the share of the information of all words that is missing.
    - `missing_code`: the weight of the missing number or code of the question: the unit is about another year or model.
    - `unknown_name`: how much of a name is missing that is in no passage of the corpus.
    - `missing_value`: 1 if a kind of value is asked for, and none of the best two units has it.
    - `margin`: the square root of the difference in coverage between the best unit and those of other documents.
    - `missing_column`: 1 if the unit is a row of a table, and the question has another word and names no column.
    """

    missing_word: float
    missing_share: float
    missing_code: float
    missing_value: float
    unknown_name: float
    margin: float
    missing_column: float


def features(question: QuestionTerms, scored: Sequence[ScoredUnit], chosen: Sequence[ScoredUnit]) -> Features:
    """Return the features for the scored and the chosen units; without units, each has its worst value."""
    if not chosen or not question.total:
        return Features(1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0)
    lacks = {term: 1 - cover for term, cover in chosen[0].covers.items()}
    missing = [question.information[term] * lack for term, lack in lacks.items()]
    return Features(
        missing_word=max(missing) * (1 - min(1.0, len(missing) / _LONG)),
        missing_share=sum(missing) / (sum(question.information.values()) or 1.0),
        missing_code=max((question.weights[term] * lacks[term] for term in question.codes), default=0.0),
        missing_value=float(lacks_value(question, chosen)),
        unknown_name=max((lacks[term] for term in question.names & question.unknown), default=0.0),
        margin=_margin(scored),
        missing_column=float(_names_no_column(question, chosen[0])),
    )


def lacks_value(question: QuestionTerms, chosen: Sequence[ScoredUnit]) -> bool:
    """Whether a kind of value is asked for that none of the best two units has.

    A number may be that of the rows, a date or time may be told by what happens before, and how often by a number of
    times ("two times a year"), or by words ("daily") that are not known in all languages.
    """
    if not question.wants or (chosen and _counts_any_row(question, chosen[0])):
        return False
    return not any(item.gives or _tells_time(question, item) for item in chosen[:2])


def _counts_any_row(question: QuestionTerms, best: ScoredUnit) -> bool:
    """Whether a question is answered by the number of rows, and does not name one of them."""
    cells = terms_of((cell for _, cell in best.unit.fields), best.language)
    named = cells & question.forms(best.language) - best.unit.above
    return counts_rows(question, best) and not named


def _tells_time(question: QuestionTerms, item: ScoredUnit) -> bool:
    """Whether a unit tells the date ("when", not "which year"), time or frequency asked for without such a value."""
    text, language = item.unit.text, item.language
    if Kind.TIME in question.wants:
        counted = (text[end : end + 2].strip() for _, end in plain_numbers(text, language))
        if not cue_words("time", language) or any(behind.isalpha() for behind in counted):
            return True
    named = Kind.DATE in question.wants and question.asking and not item.has_cells
    return not (named or question.wants.isdisjoint({Kind.DATE, Kind.TIME})) and tells_when(text, language)


def _names_no_column(question: QuestionTerms, best: ScoredUnit) -> bool:
    """Whether a question for one thing names no column of a row, although a word of it is not in the row."""
    selects = question.several or question.counts or question.comparison or question.sides
    if selects or not best.has_named_cells or columns_asked(question, best.unit):
        return False
    return any(cover < ABOVE for cover in best.covers.values())


def missing_codes(question: QuestionTerms, chosen: Sequence[ScoredUnit]) -> tuple[str, ...]:
    """Return the codes and numbers of the question that no chosen unit is about, sorted."""
    covered = combined_cover(chosen)
    return tuple(sorted(question.words[code] for code in question.codes if covered.get(code, 0.0) < _COVERED))


def missing_words(question: QuestionTerms, chosen: Sequence[ScoredUnit]) -> tuple[str, ...]:
    """Return the words of the question that are missing most in the chosen units."""
    return tuple(question.words[term] for _, term, cover in _most_missing(question, chosen) if cover < _COVERED)


def _most_missing(question: QuestionTerms, chosen: Sequence[ScoredUnit]) -> list[tuple[float, str, float]]:
    """Return (missing weight, term, cover) for the terms that are missing most."""
    missing = ((question.weights[term] * (1 - cover), term, cover) for term, cover in combined_cover(chosen).items())
    return sorted(missing, reverse=True)[:_MAX_LISTED]


def confidence(found: Features) -> float:
    """Return the probability that the passages contain the answer."""
    score = _WEIGHTS["bias"] + sum(_WEIGHTS[name] * getattr(found, name) for name in Features.__slots__)
    return 1 / (1 + math.exp(-score))


def _margin(scored: Sequence[ScoredUnit]) -> float:
    best: dict[str, float] = {}
    for item in scored:
        best[item.unit.hit.document] = max(item.coverage, best.get(item.unit.hit.document, 0.0))
    first, *others = sorted(best.values(), reverse=True)
    beside = others[:_OTHERS]
    return math.sqrt(max(0.0, first - sum(beside) / max(1, len(beside))))
