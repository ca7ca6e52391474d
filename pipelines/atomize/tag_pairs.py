"""Tag pairs: terms of users' questions and the corresponding tags of the corpus (PIKE-RAG 5.2.2, figure 7).

They are learned from samples of questions and answers: the terms of a question are paired with the tags of the chunk
that answers it, by co-occurrence (`CoOccurrencePairing`) or by a model (`ModelPairing`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Annotated, Protocol, runtime_checkable

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from pipelines.atomize.keyphrases import NamedSentence, key_phrases
from pipelines.atomize.name_recognition import find_names
from pipelines.atomize.tags import tag_form
from pipelines.core.concurrent import gather
from pipelines.core.errors import SettingsError
from pipelines.core.ids import normalize
from pipelines.core.knowledge import TagPair
from pipelines.lang.bm25 import Bm25
from pipelines.llm.ask import ask
from pipelines.llm.chat import Chat
from pipelines.llm.prompt import Prompt, fence

ROLE = "pair"
_AT_ONCE = 16
"""Concurrent model calls."""
_REPLY_TOKENS = 400
_MAX_PHRASES = 8
"""Terms of a question."""
_MIN_SAMPLES = 2
"""Minimum samples with a pair, because a single one may be chance."""
_MIN_ASSOCIATION = 0.2
"""Minimum normalized pointwise mutual information (Bouma 2009) of a pair's terms."""


class QaSample(BaseModel):
    """A line of a samples file: a user's question and its answer, `{"question": "...", "answer": "..."}`."""

    model_config = ConfigDict(frozen=True)

    question: str = Field(min_length=1)
    answer: str = Field("", validation_alias=AliasChoices("answer", "answers"))


@dataclass(frozen=True, slots=True)
class TaggedSample:
    """A question, its terms, and the tags of the chunk that answers it."""

    question: str
    terms: tuple[str, ...]
    tags: tuple[str, ...]


@runtime_checkable
class Pairing(Protocol):
    """Learns tag pairs from samples."""

    async def pair(self, samples: Sequence[TaggedSample]) -> tuple[TagPair, ...]:
        """Return the pairs learned from the samples, the heaviest first; weights are in (0, 1].

        A sample whose model reply cannot be used gives no pair. Raises `BudgetExceeded`.
        """
        ...


def read_samples(path: Path) -> tuple[QaSample, ...]:
    """Return the samples of a JSON Lines file; of a list of `answers` the first is used.

    Raises `SettingsError` for a file that cannot be read and for an invalid line, with its number.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read question-answer samples: {error}", ids=(str(path),)) from error
    return tuple(_sample(line, path, number) for number, line in enumerate(lines, 1) if line.strip())


def _sample(line: str, path: Path, number: int) -> QaSample:
    try:
        record = json.loads(line)
        for name in ("answer", "answers"):
            if isinstance(record.get(name), list):
                record[name] = str((record[name] or [""])[0])
        return QaSample.model_validate(record)
    except (ValueError, AttributeError, ValidationError) as error:
        hint = 'each line is one object such as {"question": "...", "answer": "..."}'
        raise SettingsError(f"line {number} is not a question-answer sample", ids=(str(path),), hint=hint) from error


def tag_samples(
    samples: Sequence[QaSample], chunks: Mapping[str, str], tags: Mapping[str, Sequence[str]]
) -> list[TaggedSample]:
    """Return each sample with its terms and the tags of its answer chunk; empty without chunks.

    `chunks` are texts by chunk id, `tags` tag texts by chunk id. The answer chunk is the one with the best BM25 score
    for question and answer, among those that contain the answer if any does.
    """
    ids = list(chunks)
    texts = [normalize(chunks[id]) for id in ids]
    index = Bm25(texts)
    tagged: list[TaggedSample] = []
    for sample in samples if ids else ():
        scores = index.scores(f"{sample.question} {sample.answer}")
        answer = normalize(sample.answer)
        best = max(range(len(ids)), key=lambda place: (bool(answer) and answer in texts[place], scores[place]))
        tagged.append(TaggedSample(sample.question, question_phrases(sample.question), tuple(tags.get(ids[best], ()))))
    return tagged


def question_phrases(question: str) -> tuple[str, ...]:
    """Return the key phrases and names of a question, the heaviest first."""
    named = NamedSentence(question, [name.span for name in find_names(question, ())])
    return tuple(phrase.text for phrase in key_phrases([named], (), _MAX_PHRASES))


class CoOccurrencePairing:
    """Pairs terms and tags that occur together in at least two samples and are associated."""

    async def pair(self, samples: Sequence[TaggedSample]) -> tuple[TagPair, ...]:
        terms = Counter(term for sample in samples for term in _forms(sample.terms))
        tags = Counter(tag for sample in samples for tag in _forms(sample.tags))
        both = Counter((q, t) for sample in samples for q in _forms(sample.terms) for t in _forms(sample.tags))
        texts = {tag_form(text): text for sample in samples for text in (*sample.tags, *sample.terms)}
        pairs = [
            TagPair(texts[q], texts[t], round(weight, 4))
            for (q, t), count in both.items()
            if q != t
            and count >= _MIN_SAMPLES
            and (weight := _association(count, terms[q], tags[t], len(samples))) >= _MIN_ASSOCIATION
        ]
        return tuple(sorted(pairs, key=lambda pair: (-pair.weight, pair.query_term, pair.corpus_tag)))


def _forms(texts: Sequence[str]) -> set[str]:
    return {tag_form(text) for text in texts}


def _association(both: int, one: int, other: int, samples: int) -> float:
    """Return the normalized pointwise mutual information of two terms, 1 if they always occur together."""
    together = both / samples
    return 1.0 if together == 1 else log(together * samples * samples / (one * other)) / -log(together)


class PairReply(BaseModel):
    """A term of the question and the tag that means the same."""

    term: str
    tag: str


def _sound(value: object) -> list[object]:
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict) and {"term", "tag"} <= item.keys()]


class PairsReply(BaseModel):
    """All pairs of one question."""

    pairs: Annotated[list[PairReply], BeforeValidator(_sound)]

    def says_nothing(self) -> bool:
        return not self.pairs


class ModelPairing:
    """Asks a model about each sample for pairs of its terms and tags. A term or tag that was not shown is dropped."""

    def __init__(self, chat: Chat, overrides: Path | None = None) -> None:
        self._chat = chat
        self._prompt = Prompt.load("pipelines.atomize", "pairs", overrides)

    async def pair(self, samples: Sequence[TaggedSample]) -> tuple[TagPair, ...]:
        found = await gather(self._of_sample, [one for one in samples if one.terms and one.tags], _AT_ONCE)
        counts = Counter(pair for pairs in found for pair in pairs)
        samples_of = Counter(term for pairs in found for term in {term for term, _ in pairs})
        pairs = [TagPair(term, tag, round(count / samples_of[term], 4)) for (term, tag), count in counts.items()]
        return tuple(sorted(pairs, key=lambda pair: (-pair.weight, pair.query_term, pair.corpus_tag)))

    async def _of_sample(self, sample: TaggedSample) -> set[tuple[str, str]]:
        messages = self._prompt.messages(
            question=fence(sample.question, "question"), terms="; ".join(sample.terms), tags="; ".join(sample.tags)
        )
        asked = await ask(
            self._chat, messages, PairsReply, role=ROLE, subject=sample.question, max_tokens=_REPLY_TOKENS
        )
        terms = {tag_form(term): term for term in sample.terms}
        tags = {tag_form(tag): tag for tag in sample.tags}
        pairs = [(tag_form(pair.term), tag_form(pair.tag)) for pair in asked.value.pairs] if asked.value else []
        return {(terms[q], tags[t]) for q, t in pairs if q in terms and t in tags and q != t}
