"""Scores the evidence units of the passages found for a question.

The score of a unit is a weighted sum of parts in [0, 1]: coverage of the question's terms by their weight, in full for
terms in the unit itself and less for those in adjacent units, headings and chunk; semantic similarity; the score of its
chunk relative to the best one; whether it has a value of the kind asked for. Definitions of the only thing named in a
question get a bonus (`pipelines.retrieve.definitions`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pipelines.graph.document_names import revisions_in
from pipelines.lang.characters import fold
from pipelines.lang.counting import counts_in_row, counts_in_text
from pipelines.lang.quantities import Kind, gives, is_unit, quantities
from pipelines.lang.questions import value_kinds
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import any_of, cue
from pipelines.retrieve.definitions import defining
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.mail_questions import asks_for_header, gives_by_header, has_colleague, of_correspondence
from pipelines.retrieve.question_terms import QuestionTerms, defined_thing
from pipelines.retrieve.searches import MIN_SENTENCE_TERMS, Lexicon
from pipelines.retrieve.term_cover import ABOVE, OWN, TermCover

COVERAGE, NEARNESS, RETRIEVAL, VALUE = 0.41, 0.08, 0.44, 0.07
"""Weights of the parts of the score."""
LABEL = 0.08
"""Penalty for what only names a subject: headings, table headers, and short texts without a term of their own."""
QUESTION = 0.3
"""Penalty for a question in a document, which has the words of the one asked; what answers it follows. A sentence with
half of these words comes before it: half of `COVERAGE` is 0.2."""
_COMPARED = 12
"""Number of best units, by the other parts, whose semantic similarity is computed."""
REPEATED = 0.02
"""Penalty for what a mail repeats of another one, if who wrote a mail is asked for, or when."""
SUPERSEDED = 0.04
"""Penalty for units of superseded documents, unless the question is about revisions."""
NAMED = 0.08
"""Bonus for units of a document whose revision is in the question, and for rows named in the question."""
DEFINES = 0.2
"""Bonus for the score of a definition: 28 of 32 questions in three languages are answered by one, with 0.1 23, without
a bonus 15; 0.3 and 0.4 give the same result as 0.2."""
_IN_LABELS = frozenset({Kind.DATE, Kind.MAIL})
"""What a label gives too: the date of a change, an address in the header of a mail."""
LABELLED = 0.02
"""Bonus for "Label: text" if the question has all words of the label: "Leader" rather than "Next leader"."""
HEADED = 0.03
"""Bonus for the words in the caption of a row's table: "budget" above one of two sheets of budget_2025.xlsx."""
FOCUS = 0.08
"""Bonus for the words for what is asked for in the unit itself ("How much water ..."): quotes answer 279 of 464
questions, with 0.04 278, without a bonus 277; that was measured before questions for a definition were left out."""
ASKED = 0.03
"""Bonus for the words themselves for the kind of value: "Every six months" rather than "2 hours" for "every how often";
with 0.02 and 0.04 the same questions are answered."""
_REFERENCE = re.compile(rf"{any_of('table', 'figure', 'section', 'appendix', 'page')}[.\s]\s?\d[\w.]*", re.IGNORECASE)
"""The number of a part or a page, which counts nothing: "figure 5.1"."""
_HEAD = 300
"""Characters at the beginning of a chunk that are searched for its document's revision."""


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """A unit with its score and parts of the score; `covers` has the cover of each term of the question, in [0, 1].

    `defines` says whether it defines the only thing named in the question.
    """

    unit: EvidenceUnit
    score: float
    coverage: float
    gives: bool
    covers: Mapping[str, float]
    defines: bool = False

    @property
    def language(self) -> str:
        """The language of its text (ISO 639-1)."""
        return self.unit.hit.chunk.language

    @property
    def has_cells(self) -> bool:
        """Whether it is a table row, not a header, whose columns are known."""
        return bool(self.unit.fields) and not self.unit.label

    @property
    def has_named_cells(self) -> bool:
        """Whether it is a row whose columns all have names but the first; without one, a cell may be what is asked."""
        return self.has_cells and all(name for name, _ in self.unit.fields[1:])


def score_units(question: QuestionTerms, hits: Sequence[Hit], lexicon: Lexicon) -> list[ScoredUnit]:
    """Return the units of `hits` scored against the question, best first."""
    found = [unit for rank, hit in enumerate(hits) for unit in units(hit, rank)]
    thing = defined_thing(question)
    coverage = TermCover(question, hits, found, lexicon)
    focus = 0.0 if thing else FOCUS  # "lintian" in "What is lintian?" is not what is asked for
    top = max((hit.score for hit in hits), default=0.0) or 1.0
    gains = [revision_gain(hit, question) for hit in hits]
    defines = defining(found, thing)
    scored = [
        _scored(unit, question, unit.hit.score / top, gains[unit.rank], place in defines, focus, coverage)
        for place, unit in enumerate(found)
    ]
    scored.sort(key=_order)
    compared = scored[:_COMPARED]
    texts = [item.unit.text for item in compared]
    nearness = lexicon.similarities(question.text, texts, question.language)
    compared = [
        replace(item, score=item.score + NEARNESS * max(0.0, float(cosine)))
        for item, cosine in zip(compared, nearness, strict=True)
    ]
    return sorted(compared, key=_order) + scored[_COMPARED:]


def _order(item: ScoredUnit) -> tuple[float, int, int]:
    return (-item.score, item.unit.rank, item.unit.span.start)


def _scored(
    unit: EvidenceUnit,
    question: QuestionTerms,
    chunk: float,
    gain: float,
    defines: bool,
    focus: float,
    coverage: TermCover,
) -> ScoredUnit:
    tells = not unit.label or question.wants <= _IN_LABELS  # "2 Ropes" is a heading, "2.1 (May 2025)" tells when
    of_mail = asks_for_header(question, unit)
    value = bool(question.wants) and tells and not of_mail and _gives(question, unit, coverage)
    value = value or gives_by_header(question, unit)
    asking = question.asking if value else frozenset[str]()
    asking |= of_correspondence(question) if of_mail else frozenset()
    covers = {term: OWN if term in asking else coverage.cover(term, unit) for term in question.weights}
    covered = question.share(covers)
    score = COVERAGE * covered + RETRIEVAL * chunk + VALUE * value
    repeats = len(unit.own) < MIN_SENTENCE_TERMS and question.has_all(unit.own, unit.hit.chunk.language)
    score += gain + DEFINES * defines + NAMED * unit.is_named(question.text) - LABEL * (unit.label or repeats)
    score -= QUESTION * (unit.is_question and not of_mail)
    score -= REPEATED * (of_mail and unit.is_repeated)
    score -= QUESTION * (unit.is_mail_header and Kind.MAIL not in question.wants)
    score += LABELLED * _has_label_of(question, unit)
    score += HEADED * question.share(_covers_by_caption(question, unit)) if unit.fields else 0.0
    score += ASKED * (value and _tells_frequency(question, unit))
    if asking:
        said = sum(coverage.cover(term, unit) >= OWN for term in asking) / len(asking)
        score += ASKED * max(said, tells_kind(question, unit))
    if focus and question.focus and not _denies(unit, question):
        score += focus * question.focused({term for term, cover in covers.items() if cover >= OWN})
    return ScoredUnit(unit, score, covered, value, covers, defines)


def _denies(unit: EvidenceUnit, question: QuestionTerms) -> bool:
    """Whether a unit denies a term of the question: "Mineral oil" below "Not suitable for"."""
    return bool(unit.denied) and not unit.denied.isdisjoint(question.forms(unit.hit.chunk.language))


def _gives(question: QuestionTerms, unit: EvidenceUnit, coverage: TermCover) -> bool:
    """Whether a unit has a value asked for: with a unit of measure, or in a column with a suitable name.

    If the number of things is asked for, it must be a number of these things.
    """
    language, text = unit.hit.chunk.language, _without(question, unit)
    things = question.words.get(question.counted, "")
    if things and question.wants == {Kind.NUMBER} and not is_unit(things, question.language):
        counted = question.focus if question.counted in question.focus else (question.counted,)
        forms = frozenset().union(*(coverage.forms(term, language) for term in counted))
        if unit.fields:
            return counts_in_row(unit.fields, forms, unit.own | unit.above, question.forms(language), language)
        return counts_in_text(text, forms, language)
    if gives(question.wants, text, language) or _tells_frequency(question, unit) or has_colleague(question, unit):
        return True
    if any(question.wants_of(name, cell, language) for name, cell in (*unit.fields[:1], *_labelled(unit))):
        return True
    if question.wants == {Kind.MONEY} and unit.fields and _has_amounts(question, unit):
        named = f"{unit.hit.title} {unit.heading}"
        return any(question.wants_of(named, cell, language) for _, cell in unit.fields[1:])
    who = _labelled(unit) if Kind.PERSON in question.wants else ()
    return any(_names_who(question, name, cell, coverage, language) for name, cell in who)


def _tells_frequency(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether a unit tells how often, if that is asked for: "every month", not "within four hours"."""
    return question.frequency and cue("frequency", unit.hit.chunk.language).search(unit.text) is not None


def _has_amounts(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether the columns of a row are all amounts that a question names: the "2 m" of a price list by length."""
    names = [fold(name) for name, _ in unit.fields]
    return all(any(amount in name for name in names) for amount in _amounts(question.text, question.language))


@lru_cache(maxsize=64)  # called for each row found
def _amounts(text: str, language: str) -> tuple[str, ...]:
    """Return the values in a question, folded."""
    return tuple(fold(value.text) for value in quantities(text, language))


def _names_who(question: QuestionTerms, name: str, cell: str, coverage: TermCover, language: str) -> bool:
    """Whether a cell may be a name, and its column name what is asked about: "Maker" for "Who made ...?"."""
    named = frozenset(terms(name, language))
    names = any(map(str.isalpha, cell)) and not any(map(str.isdigit, cell))  # a date of calibration names nobody
    return names and any(named & coverage.forms(term, language) for term in question.weights)


def _labelled(unit: EvidenceUnit) -> Sequence[tuple[str, str]]:
    """Return the fields of a row without the first one, or label and text of "Maker: Rocca"."""
    return [unit.labelled] if unit.labelled else unit.fields[1:]


def _covers_by_caption(question: QuestionTerms, unit: EvidenceUnit) -> Mapping[str, float]:
    """Return the cover of the terms by the caption of a row's table, beside those of its document and section."""
    language = unit.hit.chunk.language
    own = frozenset(terms(unit.heading, language))
    return {term: OWN for term in question.weights if question.form(term, language) in own}


def _has_label_of(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether a unit is "Label: text" and all words of the label are in the question."""
    own = frozenset(terms(unit.labelled[0], unit.hit.chunk.language, stop=False)) if unit.labelled else frozenset[str]()
    return bool(own) and question.has_all(own, unit.hit.chunk.language)


def _without(question: QuestionTerms, unit: EvidenceUnit) -> str:
    """Return the unit's header and text without the numbers of the question, with its heading if a reason is asked
    for, and with what it describes if a person is.

    The number of a name is left out behind that name only: "35 kW" is a value of the Calora 35.
    """
    text = f"{unit.header}\n{unit.text}"
    if Kind.PERSON in question.wants and not unit.is_row:
        text = f"{unit.group}\n{text}"
    if Kind.REASON in question.wants:
        text = f"{unit.heading}\n{text}"
    if Kind.NUMBER in question.wants:
        text = _REFERENCE.sub(" ", text)
    names = {number: name for name, number in question.numbered}
    for figure in _figures(question.text):
        if name := names.get(fold(figure)):
            text = re.sub(rf"(?<!\w){name}[\W_]?{figure}(?!\w)", " ", text, flags=re.IGNORECASE)
        else:
            text = text.replace(figure, " ")
    return text


@lru_cache(maxsize=64)  # called for each unit of each passage found
def _figures(text: str) -> tuple[str, ...]:
    """Return the words of a question with digits."""
    return tuple(word.strip(".,?!()") for word in text.split() if any(map(str.isdigit, word)))


def combined_cover(items: Sequence[ScoredUnit]) -> dict[str, float]:
    """Return the best cover of each term by any of the units."""
    covered: dict[str, float] = {}
    for item in items:
        for term, cover in item.covers.items():
            covered[term] = max(cover, covered.get(term, 0.0))
    return covered


def added_cover(question: QuestionTerms, covered: Mapping[str, float], covers: Mapping[str, float]) -> float:
    """Return the share of the question's weight that `covers` adds to what is `covered`."""
    return question.share({term: max(0.0, cover - covered.get(term, 0.0)) for term, cover in covers.items()})


def is_indirect(question: QuestionTerms, item: ScoredUnit) -> bool:
    """Whether a unit has no word of the question itself, apart from words for the kind of value.

    Below the title "Railcar", "The wheels are measured every 80,000 km" has a length, but not that of the railcar; the
    row "Weight: 61 t" tells what its value is.
    """
    others = question.weights.keys() - question.asking
    return not tells_kind(question, item.unit) and not any(item.covers.get(term, 0.0) > ABOVE for term in others)


def tells_kind(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether the label of a row or line names a kind of value that is asked for: "Weight", not "Payload"."""
    first = unit.fields[0][1] if unit.fields else ""
    labels = (first, *(name for name, _ in _labelled(unit)))
    return any(not question.wants.isdisjoint(value_kinds(label, unit.hit.chunk.language)) for label in labels)


def revision_gain(hit: Hit, question: QuestionTerms) -> float:
    """Return the bonus for a revision named in the question, or the penalty for a superseded document."""
    if asked := revisions_in(question.text):
        return NAMED if asked & revisions_in(f"{hit.uri} {hit.title} {hit.chunk.text[:_HEAD]}") else 0.0
    of_revisions = cue("revisions", question.language).search(question.text)
    return -SUPERSEDED if hit.superseded_by and not of_revisions else 0.0
