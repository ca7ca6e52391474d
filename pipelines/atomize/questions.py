"""Which of a model's questions can stand as atoms: understood alone, and answered by their chunk (PIKE-RAG 5.3.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pipelines.atomize.names import find_names
from pipelines.atomize.occurrence import Saying
from pipelines.atomize.plausible import can_tell_when, is_question
from pipelines.atomize.repeats import distinct
from pipelines.core.ids import normalize
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.terms import terms
from pipelines.llm.embedder import Embedder

_PRONOUN = re.compile(
    r"\b(?:he|him|his|she|hers?|it|its|they|them|theirs?|this|these|those|itself|themselves)\b"
    r"|[它他她]们?|[该此]|其(?!他|中|余|它)",
    re.IGNORECASE,
)
_BESIDE_THE_TEXT = re.compile(
    r"\b(?:the|this) (?:text|passage|document|article|paragraph|author|section|excerpt)\b"
    r"|(?:本文|文本|文中|上文|段落|作者)",
    re.IGNORECASE,
)
_OPENING = re.compile(r"^(?:\W*\d+[.)]\s*|[-*•]\s*|Q\d*[:.]\s*)")
_MARK = re.compile(r"(?<=[?？])\s*(?=\w)")
_SHARED, _TOGETHER, _FEWEST_TERMS = 0.5, 0.6, 2
"""Shares of a question's terms that the chunk, and two neighbouring sentences of it, must have; terms at least."""


def sound_questions(
    found: Iterable[str],
    saying: Saying,
    names: Iterable[str],
    embedder: Embedder | None,
    same_meaning: float,
    dropped: Counter[str],
) -> list[str]:
    """Return the questions that can stand alone, without repeats; `dropped` counts the others by reason.

    A question that names nothing of the chunk is put under the title and headings of its chunk.
    """
    known = [normalize(name) for name in names] + [form for _, form in saying.content.path]
    kept: list[str] = []
    for text in (part for one in found for part in _parts(one)):
        question = _tidied(text)
        reason = _fault(question, saying, known) if is_question(text) else "question that asks nothing"
        if reason:
            dropped[reason] += 1
        else:
            kept.append(question)
    different = distinct(kept, embedder, same_meaning)
    if len(different) < len(kept):
        dropped["question repeated"] += len(kept) - len(different)
    return [_placed(question, saying, known) for question in different]


def _parts(text: str) -> list[str]:
    """Return the questions that a model put into one, without the last where it was cut off."""
    parts = _MARK.split(text.strip())
    return [part for part in parts if part.endswith(("?", "？"))] if len(parts) > 1 else parts


def _tidied(question: str) -> str:
    stripped = _OPENING.sub("", " ".join(question.split())).rstrip(".。?？ ")
    return f"{stripped[0].upper()}{stripped[1:]}{'？' if CJK_CHARACTER.search(stripped) else '?'}" if stripped else ""


def _fault(question: str, saying: Saying, known: Sequence[str]) -> str:
    """Return why a question cannot be kept, empty where it can."""
    if _BESIDE_THE_TEXT.search(question):
        return "question about the text itself"
    if _dangles(question, known):
        return "question with a pronoun and no referent"
    if len(terms(question)) < _FEWEST_TERMS:
        return "question too short"
    return _unanswered(question, saying, known)


def _unanswered(question: str, saying: Saying, known: Sequence[str]) -> str:
    """Return why a chunk cannot answer a question, empty where it may."""
    if not saying.has_numbers_of(question):
        return "question with a number that is not in the text"
    if saying.share_of_terms(question, beside=known) < _SHARED:
        return "question not about the text"
    share, place = saying.best_place(question)
    if share < _TOGETHER:
        return "question of things told apart"
    return "" if can_tell_when(question, place) else "question when of what has no time"


def _dangles(question: str, known: Sequence[str]) -> bool:
    """Whether a pronoun comes before everything that it could refer to."""
    pronoun = _PRONOUN.search(question)
    if pronoun is None:
        return False
    before = normalize(question[: pronoun.start()])
    return not any(name and name in before for name in known)


def _placed(question: str, saying: Saying, known: Sequence[str]) -> str:
    form = normalize(question)
    path = [part for part, _ in saying.content.path]
    own = (name.surface for name in find_names(question, ()))
    if not path or any(name and name in form for name in known) or any(map(saying.stands_under, own)):
        return question
    return f"{' > '.join(path)}: {question}"
