"""The replies of a model about the passages of a document."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, Field, create_model

_LONGEST, _LONGEST_OVERVIEW = 400, 700
"""Maximum characters of the summary of a chunk, and of that of a section or document: twice what is asked for."""
_WHOLE = re.compile(r".*[.!?。！？…]", re.DOTALL)
"""All sentences that are whole."""


def _cut(length: int) -> BeforeValidator:
    return BeforeValidator(lambda value: _within(value, length) if isinstance(value, str) else value)


def _within(text: str, length: int) -> str:
    """Return a text of at most `length` characters: where it is longer, or ends at that, its whole sentences."""
    line = " ".join(text.split())
    if len(line) < length - 1:
        return line
    whole = _WHOLE.match(line[:length])
    return whole.group() if whole else line[:length]


Told = Annotated[str, _cut(_LONGEST), Field(max_length=_LONGEST)]


class Division(BaseModel):
    """The number of the sentence with which the first passage ends, its summary, and that for the text behind it."""

    end: int
    summary: Told
    forward: Told


class Summaries(BaseModel):
    """A summary of each passage under its number, and that for the text behind them under "forward".

    Under numbers, since small models that write a list of them lose the passages. `count` is what `summaries_of` was
    given.
    """

    count: ClassVar[int] = 0

    def of_passages(self) -> tuple[str, ...]:
        return tuple(getattr(self, f"passage_{number}") for number in range(1, self.count + 1))

    def of_all(self) -> str:
        return str(getattr(self, "forward", ""))


@lru_cache(maxsize=64)  # more than passages are ever summarized together
def summaries_of(count: int) -> type[Summaries]:
    """Return the reply type with a summary for each of `count` passages."""
    passages: dict[str, Any] = {f"passage_{number}": (Told, Field(alias=str(number))) for number in range(1, count + 1)}
    made = create_model("Summaries", __base__=Summaries, **passages, forward=(Told, ...))
    made.count = count
    return made


class Overview(BaseModel):
    """The summary of a section or document."""

    summary: Annotated[str, _cut(_LONGEST_OVERVIEW), Field(max_length=_LONGEST_OVERVIEW)]
