"""The units to quote for a question, each with its text, and what is said beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipelines.retrieve.evidence_score import ScoredUnit, combined_cover
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.quote_text import quote_texts
from pipelines.retrieve.tables import naming_column, terms_of

MAX_ITEMS = 20
"""Maximum quoted rows or items of a list; the number of others is stated."""


@dataclass(frozen=True, slots=True)
class Quotes:
    """Quoted units with their texts.

    - `count`: the number of rows or items, if it is asked for and known.
    - `warnings`: what is missing, or may be.
    - `compared`: what a selection of rows compared ("12 values of Price"); no row may have been selected.
    """

    items: tuple[ScoredUnit, ...]
    texts: tuple[str, ...]
    count: str = ""
    warnings: tuple[str, ...] = ()
    compared: str = ""


def quote_units(
    question: QuestionTerms, items: Sequence[ScoredUnit], warnings: tuple[str, ...] = (), *, listed: bool = False
) -> Quotes:
    """Return units as quotes; rows that are `listed` together have the same columns, one of which tells them apart."""
    naming = naming_column(items) if listed else None
    texts = quote_texts([item.unit for item in items], question, naming)
    named = (_with_thing(question, item, text) for item, text in zip(items, texts, strict=True))
    return Quotes(tuple(items), texts if listed else tuple(named), warnings=warnings)


def _with_thing(question: QuestionTerms, item: ScoredUnit, text: str) -> str:
    """Return the text of a row with the title of its document if the question asks which thing has the property.

    "HX 45 process pump: Explosion protection; Value: not available" for "Which pump has no explosion protection?"
    """
    title, language = item.unit.hit.title, item.language
    asked = {question.form(term, language) for term in question.focus}
    named = terms_of((title,), language)
    names, codes = ({question.form(one, language) for one in some} for some in (question.names, question.codes))
    known = item.unit.is_named(question.text) or names & item.unit.own or codes & named
    thing = item.unit.is_row and asked and asked <= named - item.unit.own and not known
    return f"{title}: {text}" if thing else text


def quote_documents(question: QuestionTerms, items: Sequence[ScoredUnit]) -> Quotes | None:
    """Return units of several documents as quotes, each with the title of its document, None if there are none.

    Those of one document have the headings above them.
    """
    if not items:
        return None
    covers = combined_cover(items)
    whole = [replace(item, covers=covers, coverage=question.share(covers)) for item in items]
    texts = quote_texts([item.unit for item in items], question)
    one = len({item.unit.hit.document for item in items}) == 1
    heads = [item.unit.heading if one else item.unit.hit.title for item in items]
    titled = (f"{head}: {text}" for head, text in zip(heads, texts, strict=True))
    left = not_complete(len(items) - MAX_ITEMS)
    return Quotes(tuple(whole[:MAX_ITEMS]), tuple(titled)[:MAX_ITEMS], "", left, f"{len(items)} documents")


def quote_list(question: QuestionTerms, found: Sequence[ScoredUnit], *, sure: bool = True) -> Quotes | None:
    """Return the first rows or items of a list, None if there are none.

    `sure` is false if the list ends with its passage, and may continue in the next one.
    """
    if not found:
        return None
    unsure = () if sure else ("The list may not be complete: it may continue after the quoted passage.",)
    warnings = not_complete(len(found) - MAX_ITEMS) or unsure
    kind = "row" if found[0].unit.is_row else "item"
    count = f"{len(found)} {kind}{'s' * (len(found) > 1)}" if sure and question.counts else ""
    return replace(quote_units(question, found[:MAX_ITEMS], warnings, listed=True), count=count)


def not_complete(left: int) -> tuple[str, ...]:
    """Return a warning that `left` sentences or rows of a list are not quoted, if there are any."""
    return (f"The list is not complete: {left} more sentences or rows are omitted.",) if left > 0 else ()
