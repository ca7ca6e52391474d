"""What people said of answers, as questions with their right answers."""

from __future__ import annotations

from collections.abc import Iterable

from evaluate.questions import GoldSource, Question
from pipelines.ingest.feedback import Feedback


def questions_of(said: Iterable[Feedback]) -> list[Question]:
    """Return the questions whose right answer is known, and where a right answer was found."""
    return [_question(one) for one in said if one.expected or (one.right and one.answer)]


def _question(one: Feedback) -> Question:
    places = dict.fromkeys((place.uri.rsplit("/", 1)[-1], place.page) for place in one.places if one.right)
    sources = tuple(GoldSource(file, page) for file, page in places)
    return Question(one.id, one.question, answer=one.expected or one.answer, sources=sources, type="feedback")
