"""How well each unit of the passages found answers a question.

The parts of a unit's score, each in [0, 1]: coverage of the question's terms, weighted by their rarity and counted in
full in the unit itself, less in the units beside it, its headings and its chunk; nearness of meaning; the score of its
chunk against that of the best one; whether it gives a value of the kind asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipelines.lang.quantities import Kind, gives
from pipelines.lang.terms import terms, words
from pipelines.retrieve.hit import Hit
from qa.ports import Lexicon
from qa.quoting.polarity import ruled_out
from qa.quoting.query import Query
from qa.quoting.revision import revision_gain
from qa.quoting.unit import Unit, units

OWN, ABOVE, NEAR, CHUNK = 1.0, 0.75, 0.6, 0.45
"""What a term counts by where it stands."""
KIN = 0.8
"""What a term's nearest kin counts of the term itself, times how near it is."""
NEAREST = 0.45
"""The least cosine of two words that are kin."""
COVERAGE, NEARNESS, RETRIEVAL, VALUE = 0.41, 0.08, 0.44, 0.07
"""The weights of the parts."""
LABEL = 0.08
"""What a heading or the header of a table loses: it names what is said, and does not say it."""
RULED_OUT = 0.15
"""What a row loses that names what is asked about as what is not so."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_COMPARED = 12
"""Units that are compared by meaning: the best by the other parts."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A unit with its score and its parts; `covers` is by term how far the unit and its surroundings have it."""

    unit: Unit
    score: float
    coverage: float
    nearness: float
    gives: bool
    covers: Mapping[str, float]


def weigh(query: Query, hits: Sequence[Hit], lexicon: Lexicon) -> list[Weighed]:
    """Return the units of `hits` weighed against the question, best first."""
    kin = _Kin(query, hits, lexicon)
    shares = _shares(query, hits)
    weighed: list[Weighed] = []
    for rank, hit in enumerate(hits):
        gain = revision_gain(hit, query.text)
        weighed += [_of(unit, query, shares[rank], gain, kin) for unit in units(hit, rank)]
    weighed.sort(key=_order)
    compared = weighed[:_COMPARED]
    texts = [item.unit.text for item in compared]
    nearness = lexicon.nearness(query.text, texts) if texts else ()
    near = [_nearer(item, value) for item, value in zip(compared, nearness, strict=True)]
    return sorted(near, key=_order) + weighed[_COMPARED:]


def _shares(query: Query, hits: Sequence[Hit]) -> list[float]:
    """The scores of the chunks against the best. Where a reason is asked for a chunk has that of its document: the
    cause of a thing stands in the report on it, in other words.
    """
    top = max((hit.score for hit in hits), default=0.0) or 1.0
    if Kind.REASON not in query.wants:
        return [hit.score / top for hit in hits]
    best = {hit.document: hit.score for hit in sorted(hits, key=lambda hit: hit.score)}
    return [best[hit.document] / top for hit in hits]


def _order(item: Weighed) -> tuple[float, int, int]:
    return (-item.score, item.unit.rank, item.unit.span.start)


def _of(unit: Unit, query: Query, retrieval: float, gain: float, kin: _Kin) -> Weighed:
    value = bool(query.wants) and gives(query.wants, _without(query, unit))
    told = query.asking if value else frozenset[str]()
    covers = {term: OWN if term in told else kin.cover(term, unit) for term in query.weights}
    coverage = sum(query.weights[term] * cover for term, cover in covers.items()) / (query.total or 1.0)
    score = COVERAGE * coverage + RETRIEVAL * retrieval + VALUE * value
    score += gain - LABEL * unit.label - RULED_OUT * ruled_out(unit, query)
    return Weighed(unit, score, coverage, 0.0, value, covers)


def _nearer(item: Weighed, nearness: float) -> Weighed:
    near = max(0.0, float(nearness))
    return Weighed(item.unit, item.score + NEARNESS * near, item.coverage, near, item.gives, item.covers)


def _without(query: Query, unit: Unit) -> str:
    """The unit's text and header without the figures of the question; where a reason is asked for, its heading too."""
    text = f"{unit.header}\n{unit.text}"
    if Kind.REASON in query.wants:
        text = f"{unit.heading}\n{text}"
    for word in query.text.split():
        if any(character.isdigit() for character in word):
            text = text.replace(word.strip(".,?!()"), " ")
    return text


class _Kin:
    """Where a term stands, or else its nearest kin: a word of the passages of much the same meaning."""

    def __init__(self, query: Query, hits: Sequence[Hit], lexicon: Lexicon) -> None:
        self._chunks: dict[str, frozenset[str]] = {}
        self._codes = query.codes
        self._kin = _kin(query, hits, lexicon)

    def cover(self, term: str, unit: Unit) -> float:
        best = self._place(term, unit)
        for other, likeness in self._kin.get(term, ()):
            if KIN * likeness <= best:
                break
            best = max(best, KIN * likeness * self._place(other, unit))
        return best

    def _place(self, term: str, unit: Unit) -> float:
        if term in unit.own:
            return OWN
        if term in unit.above:
            return OWN if term in self._codes else ABOVE
        if term in unit.near:
            return NEAR
        return CHUNK if term in self._chunk(unit) else 0.0

    def _chunk(self, unit: Unit) -> frozenset[str]:
        chunk = unit.hit.chunk
        if chunk.id not in self._chunks:
            self._chunks[chunk.id] = frozenset(terms(f"{chunk.context} {chunk.text}", stop=False))
        return self._chunks[chunk.id]


def _kin(query: Query, hits: Sequence[Hit], lexicon: Lexicon) -> dict[str, list[tuple[str, float]]]:
    """By term of the question the terms of the passages that are its kin, nearest first."""
    said: dict[str, str] = {}
    for hit in hits:
        for word in words(" ".join((hit.title, *hit.chunk.heading_path, hit.chunk.context, hit.chunk.text))):
            if _WORD.fullmatch(word):
                said.setdefault(terms(word, stop=False)[0], word)
    found: dict[str, list[tuple[str, float]]] = {}
    for word in filter(_WORD.fullmatch, words(query.text)):
        term = terms(word, stop=False)[0]
        if term in query.weights:
            near = zip(said, lexicon.kinship(word, list(said.values())), strict=True)
            kin = [(other, float(likeness)) for other, likeness in near if likeness >= NEAREST and other != term]
            found[term] = sorted(kin, key=lambda pair: -pair[1])
    return found
