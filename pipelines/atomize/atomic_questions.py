"""Atomic questions: those of a model that can be understood alone and that their chunk answers (PIKE-RAG 5.3.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pipelines.atomize.grounding import Grounding
from pipelines.atomize.name_recognition import find_names
from pipelines.core.ids import normalize
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.dates import TELLS_WHEN
from pipelines.lang.quantities import quantities
from pipelines.lang.terms import terms
from pipelines.llm.embedder import Embedder

_PRONOUN = re.compile(
    r"\b(?:he|him|his|she|hers?|it|its|they|them|theirs?|this|these|those|itself|themselves)\b"
    r"|[它他她]们?|[该此]|其(?!他|中|余|它)",
    re.IGNORECASE,
)
_OF_A_THING = re.compile(r"(?:its?|itself|它|其)", re.IGNORECASE)
"""A pronoun to which the heading above may be the name: "CX-22 compressor > Thermal trip: When does it trip?"."""
_ABOUT_THE_TEXT = re.compile(
    r"\b(?:the|this) (?:text|passage|document|article|paragraph|author|section|excerpt)\b"
    r"|(?:本文|文本|文中|上文|段落|作者)",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"^(?:\W*\d+[.)]\s*|[-*•]\s*|Q\d*[:.]\s*)")
_BETWEEN_QUESTIONS = re.compile(r"(?<=[?？])\s*(?=\w)")
_IN_CHUNK, _IN_SENTENCES, _FEWEST_TERMS = 0.5, 0.6, 2
"""Minimum shares of a question's terms in the chunk and in two neighbouring sentences of it; minimum terms."""
_QUESTION_WORDS = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will)\b"
    r"|什么|何|谁|哪|多少|几|吗|怎|是否|能否",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(r"^when\b|何时|什么时候|哪[年月天]", re.IGNORECASE)
_SAME_TERMS = 0.9
"""Share of common terms from which two questions are one."""
_ASKED_FOR = re.compile(
    r"\b(?P<when>when|what (?:year|date|day|time)|which (?:year|date|day))\b|\b(?P<where>where)\b"
    r"|\b(?P<who>who|whom|whose)\b|\b(?P<why>why)\b|\b(?P<many>how (?:many|much|long|old|far|high|large|often))\b"
    r"|\b(?P<how>how)\b"
    r"|(?P<zh_when>何时|什么时候|哪年)|(?P<zh_where>哪里|何处|何地)|(?P<zh_who>谁)|(?P<zh_why>为什么|为何)|(?P<zh_many>多少|多久|几)",
    re.IGNORECASE,
)


def sound_questions(
    found: Iterable[str],
    grounding: Grounding,
    names: Iterable[str],
    embedder: Embedder | None,
    same_meaning: float,
    dropped: Counter[str],
) -> list[str]:
    """Return the questions that can be kept as atoms, each once; the others are counted in `dropped` by reason.

    `found` are a model's questions about the chunk of `grounding`, `names` the chunk's entities. For `embedder` and
    `same_meaning` see `distinct`. A question without a name is prefixed by the chunk's heading path:
    "Pump Manual > Seals: How often are they replaced?"
    """
    known = [normalize(name) for name in names] + [form for _, form in grounding.content.path]
    kept: list[str] = []
    for text in (part for one in found for part in _parts(one)):
        question = _normalized(text)
        reason = _error(question, grounding, known) if is_question(text) else "question that asks nothing"
        if reason:
            dropped[reason] += 1
        else:
            kept.append(question)
    different = distinct(kept, embedder, same_meaning)
    if len(different) < len(kept):
        dropped["question repeated"] += len(kept) - len(different)
    return [_under_headings(question, grounding, known) for question in different]


def _parts(text: str) -> list[str]:
    """Return the single questions of a text; of several, the last is left out if it was cut off."""
    parts = _BETWEEN_QUESTIONS.split(text.strip())
    return [part for part in parts if part.endswith(("?", "？"))] if len(parts) > 1 else parts


def _normalized(question: str) -> str:
    stripped = _LIST_MARK.sub("", " ".join(question.split())).rstrip(".。?？ ")
    return f"{stripped[0].upper()}{stripped[1:]}{'？' if CJK_CHARACTER.search(stripped) else '?'}" if stripped else ""


def _error(question: str, grounding: Grounding, known: Sequence[str]) -> str:
    """Return why a question is dropped, empty if it is kept."""
    if _is_about_the_text(question, grounding):
        return "question about the text itself"
    whole = _under_headings(question, grounding, known)
    if _has_open_pronoun(question, known, headed=whole != question):
        return "question with a pronoun and no referent"
    if not terms(question) or len(terms(whole)) < _FEWEST_TERMS:
        return "question too short"
    return _unanswerable(question, grounding, known)


def _unanswerable(question: str, grounding: Grounding, known: Sequence[str]) -> str:
    """Return why the chunk cannot answer a question, empty if it may."""
    if not grounding.has_numbers_of(question):
        return "question with a number that is not in the text"
    if grounding.term_overlap(question, beside=known) < _IN_CHUNK:
        return "question not about the text"
    share, window = grounding.best_window(question)
    if share < _IN_SENTENCES:
        return "question of things told apart"
    return "" if can_tell_when(question, window) else "question when of what has no time"


def _is_about_the_text(question: str, grounding: Grounding) -> bool:
    """Whether a question speaks of "the document" where the chunk itself speaks of none."""
    found = _ABOUT_THE_TEXT.search(question)
    if found is None:
        return False
    noun = found.group().split()[-1].casefold()
    return noun not in grounding.content.chunk.text.casefold()


def _has_open_pronoun(question: str, known: Sequence[str], headed: bool) -> bool:
    """Whether a question has a pronoun and no name that it could refer to, before it, behind or in the headings."""
    pronoun, said = _PRONOUN.search(question), normalize(question)
    if pronoun is None or any(name and name in said for name in known):
        return False
    return not (headed and _OF_A_THING.fullmatch(pronoun.group()))


def _under_headings(question: str, grounding: Grounding, known: Sequence[str]) -> str:
    form = normalize(question)
    path = [part for part, _ in grounding.content.path]
    own = (name.surface for name in find_names(question, ()))
    if not path or any(name and name in form for name in known) or any(map(grounding.in_headings, own)):
        return question
    return f"{' > '.join(path)}: {question}"


def is_question(text: str) -> bool:
    """Whether a text ends with a question mark, or has an English or Chinese question word."""
    return text.rstrip().endswith(("?", "？")) or bool(_QUESTION_WORDS.search(text))


def can_tell_when(question: str, passage: str) -> bool:
    """Whether a passage has an expression of time, or a limit; true for a question that does not ask when.

    "When does it trip?" is answered by "above 80 °C".
    """
    return not _ASKS_WHEN.search(question) or bool(TELLS_WHEN.search(passage) or quantities(passage))


def distinct(texts: Sequence[str], embedder: Embedder | None, same_meaning: float) -> list[str]:
    """Return the questions `texts` without those that repeat an earlier one.

    Two questions are one if they share nearly all their terms, or if the cosine of their vectors reaches
    `same_meaning`. Questions with different numbers or question words (when, where) never are.
    """
    kept: list[int] = []
    words = [frozenset(terms(text)) for text in texts]
    # Different numbers, or question words, make different questions.
    asked = [(_asked_for(text), frozenset(filter(_has_digit, one))) for text, one in zip(texts, words, strict=True)]
    cosines = None if embedder is None or len(texts) < 2 else (vectors := embedder.embed(texts)) @ vectors.T
    for number in range(len(texts)):
        near = (other for other in kept if asked[other] == asked[number])
        if not any(
            normalize(texts[other]) == normalize(texts[number])
            or _overlap(words[other], words[number]) >= _SAME_TERMS
            or (cosines is not None and float(cosines[other, number]) >= same_meaning)
            for other in near
        ):
            kept.append(number)
    return [texts[number] for number in kept]


def _asked_for(text: str) -> str:
    """Return what a question asks for: "when", "zh_when", "who" and so on; empty for "what" and "which"."""
    match = _ASKED_FOR.search(text)
    return (match.lastgroup or "") if match else ""


def _has_digit(term: str) -> bool:
    return any(map(str.isdigit, term))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 1.0
