"""Selects the sentences to quote: the best one, and those that cover further terms of the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipelines.core.ids import normalize
from pipelines.lang.quantities import Kind
from pipelines.lang.questions import asks_no_value
from pipelines.lang.word_lists import cue
from pipelines.retrieve.below import heading_asked
from pipelines.retrieve.evidence_score import ScoredUnit, added_cover, combined_cover
from pipelines.retrieve.list_items import next_unit, with_introduced, with_rest
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.searches import MIN_SENTENCE_TERMS
from pipelines.retrieve.tables import in_reading_order
from pipelines.retrieve.term_cover import ABOVE, OWN
from qa.quoting.lists import counts_rows
from qa.quoting.quotes import Quotes, not_complete, quote_units

_GAIN = 0.1
"""Minimum share of the question's weight that a further selected sentence adds."""
_FLOOR = 0.55
"""Minimum score of a further sentence, as a share of the best score."""
_NEEDED = 0.2
"""Minimum share of the question's weight that a further quoted unit adds."""
_BESIDE = 0.95
"""Minimum score of a further unit beside the best one, as a share of its score, if a question asks whether something is
so: "Do not use detergent." behind the sentence on rinsing. It need only add `_GAIN`."""
_NEAR_BEST = 0.8
"""Minimum score of a further quoted unit, as a share of the best score."""
_VALUE_NEAR, _OTHERS_NEAR = 0.97, 0.6
"""Minimum share of the best score for preferring a unit with a value, or with a reason or a formal value."""
_OTHER_NEAR = 0.9
"""Minimum share of the best score of a unit that has another value and another word of the question: it adds four right
answers of 464, three of them where the best unit was quoted without a warning."""
_RIVAL, _RIVALS = 0.9, 2
"""Minimum share of the best score of a unit that may answer as well as the best one, and maximum such units quoted: of
93 answers of one sentence without a value asked for that have one, the sentence is right in 40, with these units 64."""
_FORMAL = frozenset({Kind.MONEY, Kind.PHONE, Kind.MAIL})
"""Kinds of values with a recognizable form: a question for one can only be answered by such a value."""
_MAX_SERIES = 6
"""Maximum sentences quoted for a question about several things; the number of others is stated."""
_EITHER = "Each quote has a value and lacks a word of the question: one of them at most may answer it."
_GATHERED = "The list may not be complete: it is collected from single sentences."


def select_units(question: QuestionTerms, scored: Sequence[ScoredUnit], limit: int) -> list[ScoredUnit]:
    """Return up to `limit` units, the best first; each further one covers additional terms."""
    if not scored:
        return []
    chosen = [_first(question, scored)]
    while len(chosen) < limit:
        covered = combined_cover(chosen)
        rest = [item for item in scored if item.score >= _FLOOR * scored[0].score and _is_new(item, chosen)]
        gains = [(added_cover(question, covered, item.covers), item) for item in rest]
        useful = [(added + item.score / 4, item) for added, item in gains if added >= _GAIN]
        if not useful:
            break
        chosen.append(max(useful, key=lambda pair: pair[0])[1])
    return chosen


def _first(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> ScoredUnit:
    """Return the best unit, or one nearly as good with a value asked for, if the best one has none.

    A reason must be in the same document, a price must be that of the part whose code is in the question.
    """
    best, reason, formal = _informative(question, scored), Kind.REASON in question.wants, question.wants <= _FORMAL
    near = (_OTHERS_NEAR if reason or formal else _VALUE_NEAR) * best.score
    giving = _values_of_named(question, scored) if formal else scored
    close = (item for item in giving if item.gives and item.score >= near)
    return next((item for item in close if not reason or item.unit.hit.document == best.unit.hit.document), best)


def _informative(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> ScoredUnit:
    """Return the best unit; if it only repeats words of the question, the best of its chunk that adds to it.

    "Pump ZP-60." does not answer what the head of the ZP-60 is, but the next sentence does. For a question whether
    something is so, the repetition is the answer.
    """
    if heading := heading_asked(question, scored):
        return heading
    best = scored[0]
    titled = best.unit.label and " ".join(best.unit.text.split()) == best.unit.hit.title
    all_below = Kind.REASON in question.wants or cue("how", question.language).search(question.text)
    if titled and not all_below:  # a title alone tells nothing
        best = next((item for item in scored if not item.unit.label), best)
    if best.unit.label and best.unit.is_row:  # a header gives no answer, a row below it may
        best = next((item for item in scored if item.has_cells and item.unit.table == best.unit.table), best)
    if question.counts and best.unit.label:  # the heading of a table names what its rows are
        return next((item for item in scored if item.unit.rank == best.unit.rank and counts_rows(question, item)), best)
    if question.negative or not _repeats(question, best):
        return best
    others = (item for item in scored if item.unit.rank == best.unit.rank and not _repeats(question, item))
    lacking = {term for term, cover in best.covers.items() if cover < OWN}
    adding = (item for item in others if any(item.covers[term] >= OWN for term in lacking))
    return next((item for item in adding if not item.unit.label), best)


def _repeats(question: QuestionTerms, item: ScoredUnit) -> bool:
    return not item.unit.labelled and question.has_all(item.unit.own, item.language)


def _values_of_named(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the units with a value for the things whose codes are in the question, if any unit has such a code.

    These are the units with most of the codes: both of "P-1107 for the K65-200", either of "P-1107 or P-1108".
    """
    codes = [code for code in question.codes if any(map(str.isalpha, code))]
    named = {id(item): sum(item.covers.get(code, 0.0) >= OWN for code in codes) for item in scored}
    giving = [item for item in scored if item.gives]
    most = max((named[id(item)] for item in giving), default=0)
    return [item for item in giving if named[id(item)] == most] if most or not any(named.values()) else []


def lacks_formal_value(question: QuestionTerms, quoted: Sequence[ScoredUnit], scored: Sequence[ScoredUnit]) -> bool:
    """Whether a price, a phone number or a mail address is asked for, and none is quoted.

    If the question names a part by its code, the value must be that of the part.
    """
    if not question.wants or not question.wants <= _FORMAL or asks_no_value(question.text, question.language):
        return False
    return not any(one.unit.overlaps(item.unit) for one in _values_of_named(question, scored) for item in quoted)


def select_quotes(
    question: QuestionTerms, chosen: Sequence[ScoredUnit], scored: Sequence[ScoredUnit], sure: bool
) -> Quotes:
    """Return the chosen units that are quoted: the best, and those that add much.

    If it is `sure` that the passages contain the answer, but not that the best sentence is it, those nearly as good are
    quoted too. For a question about several things ("summarise", "which checks"), these are the best sentences of one
    document in reading order, with a warning that there are, or may be, more.
    """
    if not chosen:
        return Quotes((), ())
    if question.several and not chosen[0].unit.header:
        found = _series(chosen[0], scored)
        warnings = not_complete(len(found) - _MAX_SERIES) or (_GATHERED,) * question.lists
        return quote_units(question, in_reading_order(found[:_MAX_SERIES]) or chosen[:1], warnings)
    kept = [chosen[0]]
    for item in chosen[1:]:
        covered = combined_cover(kept)
        beside = question.negative and item.unit.rank == chosen[0].unit.rank and not item.unit.is_row
        needed, near = (_GAIN, _BESIDE) if beside else (_NEEDED, _NEAR_BEST)
        adds = added_cover(question, covered, item.covers) >= needed and item.score >= near * chosen[0].score
        if (adds or _names_another(question, covered, item)) and not item.unit.label:
            kept.append(item)
    kept += _other_sides(question, kept, scored)
    if len(kept) == 1 and (other := _other_value(question, kept[0], scored)):
        return quote_units(question, [*kept, other], (_EITHER,))
    if sure and len(kept) == 1:
        kept += _rivals(question, kept[0], scored)
    if len(kept) == 1:
        kept = [with_rest(question, kept[0], scored)]
    return quote_units(question, with_introduced(kept, scored, _MAX_SERIES))


def _rivals(question: QuestionTerms, best: ScoredUnit, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the units that may answer as well as a sentence without a value that is asked for, and the next sentence.

    "The resolution is 12 bits" beside "Set the output voltage of the PVS.": what is the resolution of the PVS? And "It
    had been on 3305" behind "The code switched to port 3493.": what was the port before 3493?
    """
    found: list[ScoredUnit] = []
    if best.gives or best.unit.is_row:
        return found
    for item in scored:
        near = item.score >= _RIVAL * best.score and not item.unit.label
        if near and len(found) < _RIVALS and _is_new(item, [best, *found]) and not _repeats(question, item):
            found.append(item)
    behind = [item for item in next_unit(best, scored) if not (item.unit.label or item.unit.is_row)]
    return [*(item for item in behind if found and _is_new(item, found)), *found]


def _other_value(question: QuestionTerms, best: ScoredUnit, scored: Sequence[ScoredUnit]) -> ScoredUnit | None:
    """Return a unit with a value asked for and a word of the question that the best unit, with a value too, lacks.

    "Its tank is enough for six hours" beside "The diesel engine needs 20 minutes": how long does the diesel tank last?
    """
    held = {term for term, cover in best.covers.items() if cover >= OWN}
    lacking = best.covers.keys() - held - question.asking
    if not best.gives or not lacking:
        return None
    needed = held & question.focus
    near = (item for item in scored if item.gives and item.score >= _OTHER_NEAR * best.score and _is_new(item, [best]))
    words = ((item, {term for term, cover in item.covers.items() if cover >= OWN}) for item in near)
    return next((item for item, own in words if own & lacking and own >= needed), None)


def _other_sides(
    question: QuestionTerms, kept: Sequence[ScoredUnit], scored: Sequence[ScoredUnit]
) -> Iterator[ScoredUnit]:
    """Yield the best unit for each side of a comparison that is missing in the kept units.

    Units of the same table are preferred, since rows are compared by the same columns.
    """
    for side in question.sides:
        if any(item.covers.get(side, 0.0) >= OWN for item in kept):
            continue
        good = (item for item in scored if item.score >= _FLOOR * kept[0].score and not item.unit.label)
        about = [item for item in good if item.covers.get(side, 0.0) >= OWN]
        alike = (item for item in about if item.unit.table and item.unit.table == kept[0].unit.table)
        if found := next(alike, next(iter(about), None)):
            yield found


def _names_another(question: QuestionTerms, covered: Mapping[str, float], item: ScoredUnit) -> bool:
    """Whether a unit has a code of the question that is not covered yet: the other side of a comparison."""
    return any(item.covers.get(code, 0.0) >= OWN and covered.get(code, 0.0) < ABOVE for code in question.codes)


def _series(best: ScoredUnit, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the best sentence or row, and the sentences of its document that are nearly as good."""
    own = (item for item in scored if item.unit.hit.document == best.unit.hit.document and not item.unit.label)
    long = (item for item in own if item is best or len(item.unit.own) >= MIN_SENTENCE_TERMS)
    return [item for item in long if item.score >= _NEAR_BEST * best.score]


def _is_new(item: ScoredUnit, chosen: Sequence[ScoredUnit]) -> bool:
    text = normalize(item.unit.text)
    return not any(text == normalize(other.unit.text) or item.unit.overlaps(other.unit) for other in chosen)
