"""The types of a model's replies.

Their JSON schema, including the docstrings, is part of the keys of cached replies: a change repeats the calls.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from pipelines.llm.ask import NONE, Place, Text, Texts, number_of

MOST_PROPOSALS = 6


def _claims(value: Any) -> Any:
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    return [{"text": item} if isinstance(item, str) else item for item in items]


class ClaimReply(BaseModel):
    """One statement, and the words of a passage that prove it."""

    text: Text = ""
    passage: Place = 0
    quote: Text = ""


class AnswerReply(BaseModel):
    """An answer with its evidence; `found` is false where the passages do not hold it.

    `missing` says what they leave open, and the claims what they tell of it all the same.
    """

    claims: Annotated[list[ClaimReply], BeforeValidator(_claims)] = Field(default_factory=list)
    found: bool
    answer: Text = ""
    missing: Text = ""

    def says_nothing(self) -> bool:
        return not self.found


class RecallReply(BaseModel):
    """An answer from the model's own knowledge, thought through first."""

    thinking: Text = ""
    answer: Text


class ShortReply(BaseModel):
    """A few words."""

    answer: Text


class ProposalsReply(BaseModel):
    """Questions to look up next (PIKE-RAG algorithm 1, line 3); none where `sufficient`, or where none is left.

    `whole` says that the question is one over all documents, which no lookup answers.
    """

    thinking: Text = ""
    sufficient: bool = False
    whole: bool = False
    questions: Texts = Field(default_factory=list)

    def says_nothing(self) -> bool:
        return self.sufficient or not self.asked

    @property
    def asked(self) -> list[str]:
        lines = [" ".join(question.split()) for question in self.questions]
        return list(dict.fromkeys(line for line in lines if line.lower() not in NONE))[:MOST_PROPOSALS]


class SelectionReply(BaseModel):
    """The number of the candidate that helps most, 0 for none (algorithm 1, lines 5 and 6)."""

    number: Place

    def says_nothing(self) -> bool:
        return self.number == 0


class FollowUpReply(BaseModel):
    """The next question of self-ask, empty where no more are needed."""

    question: Text

    def says_nothing(self) -> bool:
        return self.question.strip().lower() in NONE


class NotedReply(BaseModel):
    """What some documents say about a question over the whole; the passage of a point is the number it was shown as."""

    points: Annotated[list[ClaimReply], BeforeValidator(_claims)]

    def says_nothing(self) -> bool:
        return not self.points


class SurveyReply(BaseModel):
    """The answer that points noted make together, and the numbers of those that belong to it."""

    answer: Text
    points: list[Place] = Field(default_factory=list)


class StandaloneReply(BaseModel):
    """A question of a conversation, rewritten so that it is understood without what was said before."""

    question: Text


class TermPair(BaseModel):
    """Words of a question, and what the documents call what they mean."""

    said: Text = ""
    terms: Texts = Field(default_factory=list)


class TermsReply(BaseModel):
    """The words of a question that documents put otherwise; none where it is in their words."""

    pairs: list[TermPair] = Field(default_factory=list)


class VerdictReply(BaseModel):
    """A judge's verdict on an answer."""

    model_config = ConfigDict(extra="ignore")

    thinking: Text = ""
    correct: bool


@lru_cache(maxsize=64)
def selection_among(count: int) -> type[SelectionReply]:
    """Return the reply that selects among `count` candidates: a number beyond them is unusable, so asked again."""
    number = Annotated[int, Field(ge=0, le=count), BeforeValidator(number_of)]
    return create_model("SelectionReply", __base__=SelectionReply, number=(number, ...))
