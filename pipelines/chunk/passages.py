"""Passages, their extractive summaries, and the checked replies of a model about them (PIKE-RAG 5.2.1, figure 5)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, Field, create_model

from pipelines.core.ids import normalize
from pipelines.core.outcome import Failure
from pipelines.lang.characters import CAPITAL
from pipelines.lang.numbers import FIGURE
from pipelines.lang.profile import profile
from pipelines.lang.sentences import is_complete, sentences
from pipelines.lang.terms import terms

_BULLET = re.compile(r"^(?:[●○•▪◦·*–-]\s*)+")
_FEWEST_TERMS = 4
"""Minimum terms of a sentence in a summary, unless all sentences are shorter."""
_DAMPING = 6
"""Terms added to a sentence's length, so that very short sentences do not win."""
_FIRST = 1.3
"""Factor of the opening sentence's score: it often introduces the topic."""
_CARRIED = 3
"""Sentences of a quoted forward summary: the newest, and two earlier ones (the model is asked for 40 words)."""
_LONGEST = 300
"""Maximum characters of one of these sentences, as for a model's summary."""
_LONGEST_SUMMARY, LONGEST_OVERVIEW = 400, 700
"""Maximum characters of the summary of a chunk, and of a section or document: twice the requested length."""
_WHOLE = re.compile(r".*[.!?。！？…]", re.DOTALL)
"""All complete sentences."""


@dataclass(frozen=True, slots=True)
class SplitPassage:
    """A text to be summarized: a chunk, preceded by the header of its table if it does not contain it.

    `sentences` are those that can be quoted, `about` is the document's title and its headings.
    """

    text: str
    heading_path: tuple[str, ...]
    sentences: tuple[str, ...]
    about: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class PassageGroup:
    """Consecutive chunks to be summarized together.

    `forward_summary` is that of the preceding text. `tries` is how often a model may be asked. `subject` is an id for
    traces, `document` the id of the document.
    """

    subject: str
    title: str
    language: str
    forward_summary: str
    passages: tuple[SplitPassage, ...]
    tries: int = 1
    document: str = ""


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """A summary for each passage of a group, and the forward summary for the following text.

    `failure` is set if the model call failed, `tries` is the number of model calls.
    """

    summaries: tuple[str, ...]
    forward_summary: str
    failure: Failure | None = None
    tries: int = 0


def quoted(passage: SplitPassage, count: int) -> str:
    """Return the `count` most representative sentences of a passage; the first line of a table or of code."""
    lines = passage.sentences or (passage.text.strip().split("\n")[0],)
    return summarize(lines, count, passage.about, passage.language)


def quoted_group(group: PassageGroup, count: int) -> GroupSummary:
    """Return the extractive summaries of a group, by `quoted` and `carried`."""
    summaries, forward = [], group.forward_summary
    for passage in group.passages:
        summaries.append(quoted(passage, count))
        forward = carried(forward, summaries[-1], passage.language)
    return GroupSummary(tuple(summaries), forward)


def carried(forward: str, summary: str, language: str = "") -> str:
    """Return the forward summary after a chunk: the related sentences of the previous one, then the chunk's summary."""
    newest = summary[:_LONGEST].rstrip()
    found = (span.slice(forward)[:_LONGEST].rstrip() for span in sentences(forward))
    earlier = [text for text in found if text not in newest]
    return " ".join(filter(None, (summarize(earlier, _CARRIED - 1, newest, language), newest)))


def summarize(sentences: Sequence[str], count: int = 1, about: str = "", language: str = "") -> str:
    """Return an extractive summary: the `count` best sentences in their order, joined by blanks.

    Complete sentences are preferred to fragments, such as the labels of a drawing or a line with author and date. A
    sentence scores the frequency of its terms in all sentences, relative to its length; terms in `about`, a title or
    heading, count double. `language` is that of the sentences. Empty without sentences.
    """
    sentences = [_BULLET.sub("", " ".join(sentence.split())) for sentence in sentences]
    terms_of = {sentence: terms(sentence, language) for sentence in sentences}
    long_enough = [one for one in sentences if len(terms_of[one]) >= _FEWEST_TERMS]
    sentences = [one for one in long_enough if is_complete(one)] or long_enough or sentences[:count]
    found = [set(terms_of[sentence]) for sentence in sentences]
    weights = Counter(term for one in found for term in one)
    for term in set(terms(about, language)):
        weights[term] *= 2
    scores = [sum(weights[term] for term in one) / (len(one) + _DAMPING) for one in found]
    if scores:
        scores[0] *= _FIRST
    best = sorted(range(len(scores)), key=lambda index: (-scores[index], index))[:count]
    return " ".join(sentences[index] for index in sorted(best))


_NAME = re.compile(rf"(?<=[^\W_] |[,;)(] )[{CAPITAL}][\w'’-]*")
"""A capitalized word that does not begin a sentence."""
_LEAST_SHARE = 0.5
"""Minimum share of a summary's terms that occur in its passage: a model of 1.5 billion parameters sometimes summarizes
a neighbouring passage, or repeats the forward summary."""


class ShownTexts:
    """The texts shown to a model: passages, title and headings, forward summary."""

    def __init__(self, texts: Iterable[str], language: str) -> None:
        text = "\n".join(texts)
        self._language = language
        self._figures = frozenset(FIGURE.findall(text))
        self._terms = frozenset(terms(text, language))
        self._titles = frozenset(normalize(line) for line in text.split("\n"))

    def supports(self, summary: str) -> bool:
        """Whether all numbers and names of a summary occur in the texts, and it is not a copied line."""
        return bool(summary) and (
            self._figures.issuperset(FIGURE.findall(summary))
            and all(self._terms.issuperset(terms(name, self._language)) for name in self._names(summary))
            and normalize(summary).rstrip(".。") not in self._titles
        )

    def is_of(self, summary: str, passage: str) -> bool:
        """Whether a summary is supported and about this passage, not about another text that was shown."""
        said = set(terms(summary, self._language))
        own = said.intersection(terms(passage, self._language))
        return self.supports(summary) and bool(own) and len(own) >= _LEAST_SHARE * len(said)

    def _names(self, summary: str) -> list[str]:
        """Return the capitalized words, none in a language that capitalizes all nouns."""
        return [] if profile(self._language).noun_capitals else _NAME.findall(summary)


def _cut(length: int) -> BeforeValidator:
    return BeforeValidator(lambda value: shortened(value, length) if isinstance(value, str) else value)


def shortened(text: str, length: int) -> str:
    """Return a text of at most `length` characters; a longer one is truncated to its complete sentences."""
    line = " ".join(text.split())
    if len(line) < length - 1:
        return line
    whole = _WHOLE.match(line[:length])
    return whole.group() if whole else line[:length]


Summary = Annotated[str, _cut(_LONGEST_SUMMARY), Field(max_length=_LONGEST_SUMMARY)]


class Division(BaseModel):
    """The number of the sentence with which the first passage ends, its summary, and that for the text behind it."""

    end: int
    summary: Summary
    forward: Summary


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


@lru_cache(maxsize=64)  # more than the maximum number of passages
def summaries_of(count: int) -> type[Summaries]:
    """Return the reply type with a summary for each of `count` passages."""
    passages: dict[str, Any] = {
        f"passage_{number}": (Summary, Field(alias=str(number))) for number in range(1, count + 1)
    }
    made = create_model("Summaries", __base__=Summaries, **passages, forward=(Summary, ...))
    made.count = count
    return made


class Overview(BaseModel):
    """The summary of a section or document."""

    summary: Annotated[str, _cut(LONGEST_OVERVIEW), Field(max_length=LONGEST_OVERVIEW)]
