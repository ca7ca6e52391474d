"""Atomic questions of a model: those that are self-contained and answered by their chunk (PIKE-RAG 5.3.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pipelines.atomize.grounding import Grounding
from pipelines.atomize.name_recognition import find_names
from pipelines.core.ids import normalize
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.numbers import tells_when
from pipelines.lang.quantities import quantities
from pipelines.lang.questions import question_language
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import cue
from pipelines.llm.embedder import Embedder

_LIST_MARK = re.compile(r"^(?:\W*\d+[.)]\s*|[-*•]\s*|Q\d*[:.]\s*)")
_BETWEEN_QUESTIONS = re.compile(r"(?<=[?？])\s*(?=\w)")
_IN_CHUNK, _IN_SENTENCES, _FEWEST_TERMS = 0.5, 0.6, 2
"""Minimum shares of a question's terms in the chunk and in two neighbouring sentences of it; minimum number of
terms."""
_SAME_TERMS = 0.9
"""Minimum share of common terms for two questions to count as one."""
_ASKS_NOTHING = "question that asks nothing"
_ASKING = ("asks_when", "asks_where", "asks_who", "asks_why", "asks_how_much", "asks_how")
"""Cues of question words; a cue that another one begins with comes after it."""


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
    `same_meaning` see `distinct`. A question without a name is prefixed by the chunk's heading path: "Pump Manual >
    Seals: How often are they replaced?" Questions are checked in their own language, because a small model asks in
    English about a German text.
    """
    parts = [part for one in found for part in _parts(one)]
    language = question_language(" ".join(parts), (grounding.language,))
    known = [normalize(name) for name in names] + [form for _, form in grounding.content.path]
    kept: list[str] = []
    for text in parts:
        question = _normalized(text)
        reason = _error(question, grounding, known, language) if is_question(text, language) else _ASKS_NOTHING
        if reason:
            dropped[reason] += 1
        else:
            kept.append(question)
    different = distinct(kept, embedder, same_meaning, language)
    if len(different) < len(kept):
        dropped["question repeated"] += len(kept) - len(different)
    return [_under_headings(question, grounding, known) for question in different]


def _parts(text: str) -> list[str]:
    """Return the questions in a text; the last of several is omitted if it was truncated."""
    parts = _BETWEEN_QUESTIONS.split(text.strip())
    return [part for part in parts if part.endswith(("?", "？"))] if len(parts) > 1 else parts


def _normalized(question: str) -> str:
    stripped = _LIST_MARK.sub("", " ".join(question.split())).rstrip(".。?？ ")
    return f"{stripped[0].upper()}{stripped[1:]}{'？' if CJK_CHARACTER.search(stripped) else '?'}" if stripped else ""


def _error(question: str, grounding: Grounding, known: Sequence[str], language: str) -> str:
    """Return why a question in `language` is dropped, empty if it is kept."""
    if _is_about_the_text(question, grounding, language):
        return "question about the text itself"
    whole = _under_headings(question, grounding, known)
    if _has_open_pronoun(question, known, language, headed=whole != question):
        return "question with a pronoun and no referent"
    if not terms(question) or len(terms(whole)) < _FEWEST_TERMS:
        return "question too short"
    return _unanswerable(question, grounding, known, language)


def _unanswerable(question: str, grounding: Grounding, known: Sequence[str], language: str) -> str:
    """Return why the chunk cannot answer a question, empty if it may."""
    if not grounding.has_numbers_of(question):
        return "question with a number that is not in the text"
    if grounding.term_overlap(question, beside=known) < _IN_CHUNK:
        return "question not about the text"
    share, window = grounding.best_window(question)
    if share < _IN_SENTENCES:
        return "question of things told apart"
    return "" if can_tell_when(question, window, language, grounding.language) else "question when of what has no time"


def _is_about_the_text(question: str, grounding: Grounding, language: str) -> bool:
    """Whether a question mentions "the document" where the chunk itself mentions none."""
    found = cue("this_text", language).search(question)
    return found is not None and found.group().split()[-1].casefold() not in grounding.content.chunk.text.casefold()


def _has_open_pronoun(question: str, known: Sequence[str], language: str, headed: bool) -> bool:
    """Whether a question has a pronoun without a possible referent in the question or in the headings."""
    pronoun, form = cue("pronoun", language).search(question), normalize(question)
    if pronoun is None or any(name and name in form for name in known):
        return False
    # The heading above may be the name of a thing: "CX-22 compressor > Thermal trip: When does it trip?"
    return not (headed and cue("pronoun_of_thing", language).fullmatch(pronoun.group()))


def _under_headings(question: str, grounding: Grounding, known: Sequence[str]) -> str:
    form = normalize(question)
    path = [part for part, _ in grounding.content.path]
    own = (name.surface for name in find_names(question, ()))
    if not path or any(name and name in form for name in known) or any(map(grounding.in_headings, own)):
        return question
    return f"{' > '.join(path)}: {question}"


def is_question(text: str, language: str = "") -> bool:
    """Whether a text ends with a question mark or has a question word of its language (of any, if it is unknown)."""
    asking = (cue(name, language) for name in (*_ASKING, "asks_otherwise"))
    return text.rstrip().endswith(("?", "？")) or any(pattern.search(text) for pattern in asking)


def can_tell_when(question: str, passage: str, language: str = "", passage_language: str = "") -> bool:
    """Whether a passage contains a time or a limit; true for a question, in `language`, that does not ask when.

    "When does it trip?" is answered by "above 80 °C".
    """
    found = cue("asks_when", language).search(question.lstrip())
    # Inside a question "when" is a conjunction; in Chinese and Japanese it is a question word in any position.
    asks = found is not None and (found.start() == 0 or CJK_CHARACTER.search(found.group()) is not None)
    return not asks or tells_when(passage, passage_language) or bool(quantities(passage))


def distinct(texts: Sequence[str], embedder: Embedder | None, same_meaning: float, language: str = "") -> list[str]:
    """Return the questions `texts` without those that repeat an earlier one.

    Two questions are one if they share nearly all their terms, or if the cosine of their vectors reaches
    `same_meaning`. Questions with different numbers or question words (when, where) never are.
    """
    kept: list[int] = []
    terms_of = [frozenset(terms(text, language)) for text in texts]
    # Different numbers, or question words, make different questions.
    asked = [
        (_question_cue(text, language), frozenset(filter(_has_digit, one)))
        for text, one in zip(texts, terms_of, strict=True)
    ]
    cosines = None if embedder is None or len(texts) < 2 else (vectors := embedder.embed(texts)) @ vectors.T
    for number in range(len(texts)):
        near = (other for other in kept if asked[other] == asked[number])
        if not any(
            normalize(texts[other]) == normalize(texts[number])
            or _overlap(terms_of[other], terms_of[number]) >= _SAME_TERMS
            or (cosines is not None and float(cosines[other, number]) >= same_meaning)
            for other in near
        ):
            kept.append(number)
    return [texts[number] for number in kept]


def _question_cue(text: str, language: str) -> str:
    """Return the cue of a question's question word; empty for "what" and "which"."""
    return next((name for name in _ASKING if cue(name, language).search(text)), "")


def _has_digit(term: str) -> bool:
    return any(map(str.isdigit, term))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 1.0
