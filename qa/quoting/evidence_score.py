"""How well each unit of the passages found answers a question.

The parts of a unit's score, each in [0, 1]: coverage of the question's terms, weighted by their rarity and counted in
full in the unit itself, less in the units beside it, its headings and its chunk; nearness of meaning; the score of its
chunk against that of the best one; whether it gives a value of the kind asked for. One that says what the one thing is
that a question names gains on others (`qa.quoting.definitions`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import fmean, pstdev

from pipelines.graph.document_names import revisions_in
from pipelines.lang.characters import fold
from pipelines.lang.quantities import Kind, gives
from pipelines.lang.terms import max_edits, spelled_like, stem, words
from pipelines.lang.word_lists import common_words, cue
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.searches import Lexicon
from qa.quoting.definitions import DEFINES, defined_thing, defining
from qa.quoting.question_terms import QuestionTerms

OWN, ABOVE, NEAR, CHUNK = 1.0, 0.75, 0.6, 0.45
"""What a term counts by where it stands."""
RELATED = 0.8
"""What a related word counts of the term itself, times the cosine of the two, and the words of a compound apart."""
NEAREST = 0.45
"""The least cosine of two words that are related."""
OUTSTANDING = 3.0
"""Deviations above the mean cosine of a word to the others in its script from which two are related: in a script that
an embedder spells letter by letter all words are alike; in its own the least cosine decides."""
COVERAGE, NEARNESS, RETRIEVAL, VALUE = 0.41, 0.08, 0.44, 0.07
"""The weights of the parts."""
LABEL = 0.08
"""What a heading or the header of a table loses: it names what is said, and does not say it."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_CODE_PART = re.compile(r"\d+|[^\W\d_]+")
_COMPARED = 12
"""Units that are compared by meaning: the best by the other parts."""
SUPERSEDED = 0.04
"""What a unit of a document loses that a newer one takes the place of, unless the question is about revisions."""
NAMED = 0.08
"""What a unit of a document gains whose revision the question names, and a row that it names itself."""
_HEAD = 300
"""Characters of a chunk in which it may tell its document's revision."""


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """A unit with its score and the score's parts.

    `covers` has for each term of the question how far the unit and its surroundings have it, in [0, 1].
    """

    unit: EvidenceUnit
    score: float
    coverage: float
    nearness: float
    gives: bool
    covers: Mapping[str, float]


def score_units(question: QuestionTerms, hits: Sequence[Hit], lexicon: Lexicon) -> list[ScoredUnit]:
    """Return the units of `hits` scored against the question, best first."""
    found = [unit for rank, hit in enumerate(hits) for unit in units(hit, rank)]
    coverage = _Coverage(question, hits, found, lexicon)
    top = max((hit.score for hit in hits), default=0.0) or 1.0
    gains = [revision_gain(hit, question) for hit in hits]
    defines = defining(found, defined_thing(question))
    scored = [
        _scored(unit, question, unit.hit.score / top, gains[unit.rank] + DEFINES * (place in defines), coverage)
        for place, unit in enumerate(found)
    ]
    scored.sort(key=_order)
    compared = scored[:_COMPARED]
    texts = [item.unit.text for item in compared]
    nearness = lexicon.similarities(question.text, texts) if texts else ()
    for place, (item, cosine) in enumerate(zip(compared, nearness, strict=True)):
        near = max(0.0, float(cosine))
        compared[place] = replace(item, score=item.score + NEARNESS * near, nearness=near)
    return sorted(compared, key=_order) + scored[_COMPARED:]


def _order(item: ScoredUnit) -> tuple[float, int, int]:
    return (-item.score, item.unit.rank, item.unit.span.start)


def _scored(unit: EvidenceUnit, question: QuestionTerms, chunk: float, gain: float, coverage: _Coverage) -> ScoredUnit:
    value = bool(question.wants) and _gives(question, unit)
    told = question.asking if value else frozenset[str]()
    covers = {term: OWN if term in told else coverage.cover(term, unit) for term in question.weights}
    covered = sum(question.weights[term] * cover for term, cover in covers.items()) / (question.total or 1.0)
    score = COVERAGE * covered + RETRIEVAL * chunk + VALUE * value
    score += gain + NAMED * unit.is_named(question.text) - LABEL * unit.label
    return ScoredUnit(unit, score, covered, 0.0, value, covers)


def _gives(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether a unit gives a value that is asked for: by its own unit, or a figure whose column says what it is."""
    language = unit.hit.chunk.language
    if gives(question.wants, _without(question, unit), language):
        return True
    return any(question.wants_of(name, cell, language) for name, cell in unit.fields)


def _without(question: QuestionTerms, unit: EvidenceUnit) -> str:
    """The unit's text and header without the figures of the question; where a reason is asked for, its heading too."""
    text = f"{unit.header}\n{unit.text}"
    if Kind.REASON in question.wants:
        text = f"{unit.heading}\n{text}"
    for figure in _figures(question.text):
        text = text.replace(figure, " ")
    return text


@lru_cache(maxsize=64)  # asked for each unit of each passage found
def _figures(text: str) -> tuple[str, ...]:
    """The words of a question that have digits."""
    return tuple(word.strip(".,?!()") for word in text.split() if any(map(str.isdigit, word)))


class _Coverage:
    """How far a unit and its surroundings have a term, or the word of the passages whose meaning is nearest to it."""

    def __init__(
        self, question: QuestionTerms, hits: Sequence[Hit], found: Sequence[EvidenceUnit], lexicon: Lexicon
    ) -> None:
        self._question, self._codes = question, question.codes
        self._beside_rows = {
            rank: frozenset[str]().union(*(unit.own for unit in found if unit.rank == rank and not _is_data(unit)))
            for rank in range(len(hits))
        }
        self._related = _related(question, hits, lexicon)

    def cover(self, term: str, unit: EvidenceUnit) -> float:
        """Return it in [0, 1]: `OWN` where the unit itself has the term."""
        language = unit.hit.chunk.language
        best = self._place(self._question.form(term, language), unit)
        if term in self._codes and best < OWN and _has_apart(unit, self._question.said[term]):
            return OWN
        if parts := self._question.parts(term, language):
            best = max(best, RELATED * min(self._place(part, unit) for part in parts))
        for other, cosine in self._related.get(term, ()):
            if RELATED * cosine <= best:
                break
            best = max(best, RELATED * cosine * self._place(other, unit))
        return best

    def _place(self, term: str, unit: EvidenceUnit) -> float:
        if term in unit.own:
            return OWN
        if term in unit.above:
            return OWN if term in self._codes else ABOVE
        if _is_data(unit):  # what another row says is said of another thing
            return CHUNK if term in self._beside_rows[unit.rank] else 0.0
        if term in unit.near:
            return NEAR
        return CHUNK if term in unit.chunk else 0.0


def _is_data(unit: EvidenceUnit) -> bool:
    """Whether a unit is a row of a table, and not its header."""
    return unit.is_row and not unit.label


def _has_apart(unit: EvidenceUnit, code: str) -> bool:
    """Whether a unit has a code with letters otherwise joined: "MT 80" or "MT80" for "mt-80"."""
    parts = _CODE_PART.findall(code)
    pattern = r"(?<!\w)" + r"[\W_]?".join(parts) + r"(?!\w)"
    return any(map(str.isalpha, parts)) and re.search(pattern, fold(f"{unit.header}\n{unit.text}")) is not None


def _related(question: QuestionTerms, hits: Sequence[Hit], lexicon: Lexicon) -> dict[str, list[tuple[str, float]]]:
    """By term of the question the terms of the passages that are related to it, with their cosines, nearest first.

    A word that no passage of the corpus has, and that is no common one, may be a misspelt word of these.
    """
    said: dict[str, str] = {}
    for hit in hits:
        for word in words(" ".join((hit.title, *hit.chunk.heading_path, hit.chunk.context, hit.chunk.text))):
            if _WORD.fullmatch(word):
                said.setdefault(stem(word, hit.chunk.language), word)
    asked = [(term, word) for term, word in question.said.items() if _WORD.fullmatch(word)]
    passage_terms, passage_words = list(said), list(said.values())
    rows = lexicon.word_similarities([word for _, word in asked], passage_words)
    scripts = list(map(_script, passage_words))
    found: dict[str, list[tuple[str, float]]] = {}
    for (term, word), row in zip(asked, rows, strict=True):
        same = [cosine for cosine, script in zip(row, scripts, strict=True) if script == _script(word)]
        least = max(NEAREST, fmean(same) + OUTSTANDING * pstdev(same)) if same else NEAREST
        related = [(other, float(cosine)) for other, cosine in zip(said, row, strict=True) if cosine >= least]
        if term in question.unknown and word not in common_words(question.language):
            like = spelled_like(word, passage_words, max_edits(word))
            related += [(passage_terms[place], 1.0) for place, _ in like if passage_words[place][0] == word[0]]
        found[term] = sorted((pair for pair in related if pair[0] != term), key=lambda pair: -pair[1])
    return found


def _script(word: str) -> str:
    """What the names of the letters of a word begin with: LATIN, GREEK, ARABIC."""
    return unicodedata.name(word[0], "").partition(" ")[0]


def revision_gain(hit: Hit, question: QuestionTerms) -> float:
    """Return what the score of a unit of `hit` gains, or loses, by its document's revision.

    The revision that the question names gains; else one that a newer document supersedes loses.
    """
    if asked := revisions_in(question.text):
        return NAMED if asked & revisions_in(f"{hit.uri} {hit.title} {hit.chunk.text[:_HEAD]}") else 0.0
    of_revisions = cue("revisions", question.language).search(question.text)
    return -SUPERSEDED if hit.superseded_by and not of_revisions else 0.0
