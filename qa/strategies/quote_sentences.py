"""The default strategy without a model: quotes the best sentences, or says that the documents do not say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from pipelines.lang.comparisons import limits_asked
from pipelines.retrieve.across_documents import sides_in_documents
from pipelines.retrieve.bridges import bridges, is_about
from pipelines.retrieve.column_sums import asks_sum
from pipelines.retrieve.conflicts import conflict_lines, conflicting_pairs, demote_warned
from pipelines.retrieve.evidence_score import ScoredUnit, combined_cover, is_indirect, score_units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.question_reading import languages_of, read_question
from pipelines.retrieve.question_terms import QuestionTerms, wants_definition
from pipelines.retrieve.searches import Retrieval, WholeCorpus
from pipelines.retrieve.shown_passages import clipped
from pipelines.retrieve.tables import rows_alike
from pipelines.retrieve.term_cover import NEAR, OWN
from qa.answer import Answer, Claim, Step
from qa.citations import Citer
from qa.model_calls import ModelCalls
from qa.quoting.answer_selection import lacks_formal_value, select_quotes, select_units
from qa.quoting.boolean_columns import flagged_rows
from qa.quoting.confidence import Features, confidence, features, lacks_value, missing_codes, missing_words
from qa.quoting.lists import compared, listed_at, whole_list
from qa.quoting.quotes import Quotes, quote_documents, quote_units
from qa.quoting.row_selection import select_rows
from qa.settings import AnswerSettings
from qa.strategies.quoted_survey import is_about_documents, quoted_summary, quoted_survey
from qa.strategies.strategy import passage_steps, quoted_answer

_SHOWN = 6
"""Maximum candidate sentences in the trace."""
_BRIDGES = 2
"""Maximum second questions about what is named beside a thing: 1 answers three of 230 questions less, 4 no more."""
_UNKNOWN = 0.5
"""Minimum share of what is asked that no passage has, for a warning. Of 422 answers without one, it warns of 15 wrong
and 12 right ones; 0.4 of 24 and 24."""


async def extractive(question: str, retrieval: Retrieval, model: ModelCalls | None, settings: AnswerSettings) -> Answer:
    """Return quoted sentences as the answer, without calling a model.

    A question about the documents as such, which of them treat a subject, or what one says, is answered by a survey.
    """
    hits = retrieval.retrieve(question, settings.hits)
    asked = read_question(question, retrieval.lexicon, languages_of(hits))
    if isinstance(retrieval, WholeCorpus):
        if summary := quoted_summary(asked, hits, retrieval, retrieval):
            return summary
        if is_about_documents(asked, retrieval.lexicon, languages_of(hits)):
            return replace(quoted_survey(question, retrieval, retrieval, settings), strategy="survey")
    scored = score_units(asked, hits, retrieval.lexicon)
    answer = quoted(asked, hits, scored, retrieval, settings)
    doubtful = answer.abstained or answer.warnings
    return (_in_two_steps(asked, scored, retrieval, settings) if doubtful else None) or answer


def _in_two_steps(
    asked: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval, settings: AnswerSettings
) -> Answer | None:
    """Return the first answer without a doubt to a second question (`pipelines.retrieve.bridges`), None without one."""
    for bridge in islice(bridges(asked, scored), _BRIDGES):
        hits = retrieval.retrieve(bridge.question, settings.hits)
        second = replace(read_question(bridge.question, retrieval.lexicon, languages_of(hits)), wants=asked.wants)
        found = score_units(second, hits, retrieval.lexicon)
        steps = (Step("second question", bridge.question),)
        answer = quoted(second, hits, found, retrieval, settings, steps, linked=[bridge.row])
        if not (answer.abstained or answer.warnings) and is_about(bridge, found[0]):
            return replace(answer, question=asked.text)
    return None


def quoted(
    asked: QuestionTerms,
    hits: Sequence[Hit],
    scored: Sequence[ScoredUnit],
    retrieval: Retrieval,
    settings: AnswerSettings,
    trace: Sequence[Step] = (),
    linked: Sequence[ScoredUnit] = (),
) -> Answer:
    """Return the sentences of `hits` that answer best, or that the documents do not say.

    `scored` are the units of `hits` (`pipelines.retrieve.evidence_score`), `trace` are the preceding steps. `linked`
    are sentences of linked chunks: they are quoted after the others, and do not affect the confidence.
    """
    scored = demote_warned(asked, scored)
    if wants_definition(asked):
        scored = sorted(scored, key=lambda item: not item.defines)
    selection = listed_at(asked, scored)
    selection = selection or select_rows(asked, scored, retrieval) or flagged_rows(asked, scored, retrieval)
    selection = selection or quote_documents(asked, sides_in_documents(asked, scored))
    both = [] if selection else compared(asked, scored)
    chosen = [replace(both[0], covers=combined_cover(both))] if both else select_units(asked, scored, settings.quotes)
    if selection and selection.items:
        chosen = list(selection.items)
        scored = [*chosen, *scored]
    evidence = features(asked, scored, chosen)
    sure = confidence(evidence)
    if selection and selection.items:
        shown = selection
    else:
        listed = whole_list(asked, both or chosen, scored, retrieval) if sure >= settings.refuse_below else None
        shown = listed or select_quotes(asked, both or chosen, scored, sure >= settings.unsure_below)
    linked = [item for item in linked if not any(item.unit.overlaps(one.unit) for one in shown.items)]
    quotes = [*shown.items, *linked]
    citer = Citer(retrieval)
    claims = _claims(quotes, [*shown.texts, *quote_units(asked, linked).texts], shown.count, citer)
    refusal = _refusal(asked, scored, quotes, selection)
    if refusal is None and sure < settings.refuse_below:
        refusal = _unknown_names(asked, scored)
    uncertain = sure < settings.unsure_below or (not selection and _lacks_condition(asked, shown.items, evidence))
    alike = 0 if selection or len(shown.items) > 1 or not chosen else rows_alike(asked, chosen[0], scored)
    valueless = not shown.count and lacks_value(asked, shown.items or chosen)
    doubt = _doubt(asked, shown.items, uncertain, valueless, alike)
    warnings = (*doubt, *shown.warnings, *_superseded(quotes)) if refusal is None else refusal
    steps = (*trace, *_trace(hits, asked, scored, quotes), *_judged(selection, evidence, sure))
    return replace(
        quoted_answer(asked.text, claims if refusal is None else (), citer, _in_order(hits, scored), steps, warnings),
        confidence=round(sure, 3),
        conflicts=conflict_lines(asked, conflicting_pairs(asked, scored)) if refusal is None and not selection else (),
    )


def _claims(quotes: Sequence[ScoredUnit], texts: Sequence[str], count: str, citer: Citer) -> tuple[Claim, ...]:
    """Return a claim for each quote, after one with their number, if it is asked for."""
    numbers = [citer.cite_unit(item.unit, item.score) for item in quotes]
    claims = tuple(Claim(text, (number,)) for text, number in zip(texts, numbers, strict=True))
    return (Claim(count, tuple(dict.fromkeys(numbers))), *claims) if count else claims


def _refusal(
    asked: QuestionTerms, scored: Sequence[ScoredUnit], quotes: Sequence[ScoredUnit], selection: Quotes | None
) -> tuple[str, ...] | None:
    """Return the warnings with which a question is refused, whatever the confidence; None if it is not."""
    if selection and not selection.items:
        return selection.warnings
    if wants_definition(asked) and not any(item.defines for item in scored):
        return _unknown_names(asked, scored) or _undefined(asked, scored)
    return _unknown_names(asked, scored) if lacks_formal_value(asked, quotes, scored) else None


def _lacks_condition(asked: QuestionTerms, quotes: Sequence[ScoredUnit], evidence: Features) -> bool:
    """Whether quotes lack a figure, column or noun of the question, or are rows that were not compared as it asks."""
    limits = asked.comparison is not None or asks_sum(asked) or any(limits_asked(asked.text, asked.language))
    not_compared = any(item.has_cells for item in quotes) and limits
    covered = combined_cover(quotes)
    about = asked.wants or not asked.focus or asked.focused({term for term in covered if covered[term] >= NEAR})
    unclear = asked.unknown_share(covered) >= _UNKNOWN or any(is_indirect(asked, item) for item in quotes[:1])
    return bool(missing_codes(asked, quotes) or evidence.missing_column or not_compared or unclear or not about)


def _doubt(
    asked: QuestionTerms, quotes: Sequence[ScoredUnit], uncertain: bool, valueless: bool, alike: int
) -> tuple[str, ...]:
    """Return a warning that the quotes may not answer, with the words and values that they lack, if there is doubt.

    It is `uncertain` that they answer, or they are `valueless`: they lack a value that is asked for. `alike` is the
    number of rows that fit as well as the one quoted.
    """
    if not uncertain and not valueless and not alike:
        return ()
    words = missing_codes(asked, quotes) or missing_words(asked, quotes)
    kinds = ", ".join(sorted(asked.wants))
    lacking = [f"no quote has {' or '.join(words)}"] if words else []
    lacking += [f"no quote gives what is asked for ({kinds})"] if valueless else []
    lacking += [f"the question names none of {alike} rows of the table"] if alike else []
    return (f"It is not certain that this answers the question{': ' if lacking else ''}{'; '.join(lacking)}.",)


def _superseded(quotes: Sequence[ScoredUnit]) -> tuple[str, ...]:
    """Return a warning for each superseded document that is quoted."""
    pairs = dict.fromkeys((item.unit.hit.uri, item.unit.hit.superseded_by) for item in quotes)
    return tuple(f"{old} is superseded by {new}." for old, new in pairs if new)


def _undefined(asked: QuestionTerms, scored: Sequence[ScoredUnit]) -> tuple[str, ...]:
    """Return a warning that a word is used, but not defined."""
    used = any(set(item.covers.values()) == {OWN} for item in scored)
    word = " ".join(asked.words.values())
    place = asked.text.lower().find(word)
    written = asked.text[place : place + len(word)] if place >= 0 else word
    return (f"No passage found says what {written} means, although it is used.",) if used else ()


def _unknown_names(asked: QuestionTerms, scored: Sequence[ScoredUnit]) -> tuple[str, ...]:
    """Return a warning about the names in the question that are in no passage, in their spelling there.

    Names in titles, and names similar to a word of the passages found, are omitted.
    """
    covered = combined_cover(scored)
    words = sorted(asked.words[term] for term in asked.names & asked.unknown if not covered.get(term))
    lowered = asked.text.lower()  # not casefold: it would shift positions ("ß")
    written = [asked.text[lowered.index(word) :][: len(word)] for word in words if word in lowered]
    return (f"No document has the name {', '.join(written)}.",) if written else ()


def _judged(selection: Quotes | None, evidence: Features, sure: float) -> Iterator[Step]:
    """Yield the steps for what was compared and for the confidence."""
    if selection:
        yield Step("compared", selection.compared)
    yield Step("confidence", ", ".join(f"{name} {getattr(evidence, name):.2f}" for name in Features.__slots__), sure)


def _in_order(hits: Sequence[Hit], scored: Sequence[ScoredUnit]) -> list[Hit]:
    """Return the hit with the best sentence, then the others in the order of retrieval."""
    best = scored[0].unit.hit.chunk.id if scored else ""
    return sorted(hits, key=lambda hit: hit.chunk.id != best)


def _trace(
    hits: Sequence[Hit], asked: QuestionTerms, scored: Sequence[ScoredUnit], quotes: Sequence[ScoredUnit]
) -> tuple[Step, ...]:
    terms = sorted(asked.weights, key=lambda term: -asked.weights[term])
    value = f"; a value of kind {', '.join(sorted(asked.wants))}" if asked.wants else ""
    candidates = tuple(Step("candidate", _line(item), item.score) for item in scored[:_SHOWN])
    return (
        Step("asked for", ", ".join(terms) + value),
        Step("retrieved", f"{len(hits)} passages", None, passage_steps(hits)),
        Step("sentences", f"{len(scored)} scored", None, candidates),
        Step("selected", f"{len(quotes)}", None, tuple(Step("quote", _line(item), item.score) for item in quotes)),
    )


def _line(item: ScoredUnit) -> str:
    return f"{clipped(item.unit.text)} ({item.unit.hit.uri})"
