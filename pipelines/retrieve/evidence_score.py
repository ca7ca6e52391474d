"""Scores the evidence units of the passages found for a question.

The score of a unit is a weighted sum of parts in [0, 1]: coverage of the question's terms by their weight, in full for
terms in the unit itself and less for those in adjacent units, headings and chunk; semantic similarity; the score of its
chunk relative to the best one; whether it has a value of the kind asked for. Definitions of the only thing named in a
question get a bonus (`pipelines.retrieve.definitions`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pipelines.graph.document_names import revisions_in
from pipelines.lang.quantities import Kind
from pipelines.lang.questions import value_kinds, value_words
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import cue, cue_words
from pipelines.retrieve.choices import options_in
from pipelines.retrieve.definitions import defining
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.given_values import gives_value, tells_frequency, tells_kind
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.mail_questions import asks_for_header, gives_by_header, of_correspondence
from pipelines.retrieve.question_terms import QuestionTerms, defined_thing
from pipelines.retrieve.searches import MIN_SENTENCE_TERMS, Lexicon
from pipelines.retrieve.table_rows import cells_of
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
CHOSEN = 0.2
"""Bonus for options with check boxes if a question asks whether one of them is true: like that for a definition."""
HEADED = 0.03
"""Bonus for the words in the caption of a row's table: "budget" above one of two sheets of budget_2025.xlsx. With 0.01,
the other sheet is quoted; of the 464 questions, as many are answered as without it."""
FOCUS = 0.08
"""Bonus for the words for what is asked for in the unit itself ("How much water ..."): quotes answer 279 of 464
questions, with 0.04 278, without a bonus 277; that was measured before questions for a definition were left out."""
ASKED = 0.03
"""Bonus for the words themselves for the kind of value: "Every six months" rather than "2 hours" for "every how often";
with 0.02 and 0.04 the same questions are answered."""
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
    value = bool(question.wants) and tells and not of_mail and gives_value(question, unit, coverage)
    only_names = unit.label and not value
    chosen = _has_options_of(question, unit)
    value = value or gives_by_header(question, unit) or chosen
    asking = question.asking if value else frozenset[str]()
    asking |= of_correspondence(question) if of_mail else frozenset()
    covers = {term: OWN if term in asking else coverage.cover(term, unit) for term in question.weights}
    covered = question.share(covers)
    score = COVERAGE * covered + RETRIEVAL * chunk + VALUE * value
    short = len(unit.own) < MIN_SENTENCE_TERMS and not unit.labelled
    repeats = short and question.has_all(unit.own, unit.hit.chunk.language)
    score += gain + DEFINES * defines + NAMED * unit.is_named(question.text) - LABEL * (only_names or repeats)
    score -= QUESTION * (unit.is_question and not of_mail)
    score -= REPEATED * (of_mail and unit.is_repeated)
    score -= QUESTION * (unit.is_mail_header and Kind.MAIL not in question.wants)
    score += LABELLED * _has_label_of(question, unit)
    score += CHOSEN * chosen
    score += HEADED * question.share(_covers_by_caption(question, unit)) if unit.fields else 0.0
    score += ASKED * (value and tells_frequency(question, unit))
    if asking:
        said = sum(coverage.cover(term, unit) >= OWN for term in asking) / len(asking)
        score += ASKED * max(said, tells_kind(question, unit))
    if focus and question.focus and not _denies(unit, question):
        score += focus * question.focused({term for term, cover in covers.items() if cover >= OWN})
    return ScoredUnit(unit, score, covered, value, covers, defines)


def _denies(unit: EvidenceUnit, question: QuestionTerms) -> bool:
    """Whether a unit denies a term of the question: "Mineral oil" below "Not suitable for"."""
    return bool(unit.denied) and not unit.denied.isdisjoint(question.forms(unit.hit.chunk.language))


def _covers_by_caption(question: QuestionTerms, unit: EvidenceUnit) -> Mapping[str, float]:
    """Return the cover of the terms by the caption of a row's table, beside those of its document and section."""
    language = unit.hit.chunk.language
    own = frozenset(terms(unit.heading, language))
    return {term: OWN for term in question.weights if question.form(term, language) in own}


def _has_label_of(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether a unit is "Label: text", or a row of two cells, and all words of the label are in the question.

    Words for the kind of value asked for count as well: "Date of inspection" for "When was it inspected?".
    """
    language = unit.hit.chunk.language
    cells = cells_of(unit.text) if unit.is_row else ()
    label = unit.labelled[0] if unit.labelled else cells[0] if len(cells) == 2 else ""
    own = frozenset(terms(label, language, stop=False))
    if not question.wants.isdisjoint(value_kinds(label, language)):
        own -= frozenset(terms(value_words(label, language), language, stop=False))
    return bool(label) and question.has_all(own, language)


def _has_options_of(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether a question asks whether something is so, and a unit has options with check boxes that say it."""
    language, options = unit.hit.chunk.language, options_in(unit.text)
    if not any(options):
        return False
    offered = frozenset(terms(" ".join(options), language))
    return not offered.isdisjoint(question.forms(language)) and _asks_whether(question)


def _asks_whether(question: QuestionTerms) -> bool:
    """Whether a question has no interrogative word, or begins as one for yes or no does."""
    asks = [name for name in ("interrogative", "whether") if cue(name, question.language).search(question.text)]
    return asks == ["whether"] or (not asks and bool(cue_words("interrogative", question.language)))


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


def revision_gain(hit: Hit, question: QuestionTerms) -> float:
    """Return the bonus for a revision named in the question, or the penalty for a superseded document."""
    if asked := revisions_in(question.text):
        return NAMED if asked & revisions_in(f"{hit.uri} {hit.title} {hit.chunk.text[:_HEAD]}") else 0.0
    of_revisions = cue("revisions", question.language).search(question.text)
    return -SUPERSEDED if hit.superseded_by and not of_revisions else 0.0
