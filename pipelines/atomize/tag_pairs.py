"""Tag pairs: how users say it and how the corpus does, learned from questions and answers (PIKE-RAG figure 7)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from pipelines.atomize.keyphrases import Named, key_phrases
from pipelines.atomize.names import find_names
from pipelines.atomize.tags import tag_form
from pipelines.core.errors import SettingsError
from pipelines.core.ids import normalize
from pipelines.core.knowledge import TagPair
from pipelines.lang.bm25 import Bm25

_PHRASES = 8
_TWICE = 2
_ASSOCIATED = 0.2
"""Normalized pointwise mutual information from which two terms belong together."""


class QaSample(BaseModel):
    """A practical question with its answer, one JSON object a line of a samples file."""

    model_config = ConfigDict(frozen=True)

    question: str = Field(min_length=1)
    answer: str = Field("", validation_alias=AliasChoices("answer", "answers"))


@dataclass(frozen=True, slots=True)
class TaggedSample:
    """The terms of a question, and the tags of the chunks that answer it."""

    question: str
    terms: tuple[str, ...]
    tags: tuple[str, ...]


@runtime_checkable
class Pairing(Protocol):
    """Anything that can tell which terms of questions stand for which tags."""

    async def pair(self, samples: Sequence[TaggedSample]) -> tuple[TagPair, ...]:
        """Return the pairs that the samples speak for, the heaviest first; weights are over 0 and at most 1.

        Raises `BudgetExceeded`; a sample whose reply cannot be used gives no pair.
        """
        ...


def read_samples(path: Path) -> tuple[QaSample, ...]:
    """Return the samples of a JSON Lines file; of several `answers` the first counts.

    Raises `SettingsError` that names the line where one is not a sample, or that the file cannot be read.
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
        raise SettingsError(f"line {number} is no question-answer sample", ids=(str(path),), hint=hint) from error


def tag_samples(
    samples: Sequence[QaSample], chunks: Mapping[str, str], tags: Mapping[str, Sequence[str]]
) -> list[TaggedSample]:
    """Return each sample with its terms and the tags of its answer chunk.

    `chunks` are texts by id, `tags` the tags' texts by chunk id. The answer chunk is the one that fits question and
    answer best among those that hold the answer's words, or among all where none does.
    """
    ids = list(chunks)
    texts = [normalize(chunks[id]) for id in ids]
    index = Bm25(texts)
    tagged: list[TaggedSample] = []
    for sample in samples if ids else ():
        scores = index.scores(f"{sample.question} {sample.answer}")
        answer = normalize(sample.answer)
        best = max(range(len(ids)), key=lambda place: (bool(answer) and answer in texts[place], scores[place]))
        tagged.append(TaggedSample(sample.question, question_terms(sample.question), tuple(tags.get(ids[best], ()))))
    return tagged


def question_terms(question: str) -> tuple[str, ...]:
    """Return the key phrases and names of a question, the heaviest first."""
    named = Named(question, [name.span for name in find_names(question, ())])
    return tuple(phrase.text for phrase in key_phrases([named], (), _PHRASES))


class CoOccurrencePairing:
    """Pairs what stands together in at least two samples, and more often than chance would have it."""

    async def pair(self, samples: Sequence[TaggedSample]) -> tuple[TagPair, ...]:
        said = Counter(term for sample in samples for term in _forms(sample.terms))
        borne = Counter(tag for sample in samples for tag in _forms(sample.tags))
        both = Counter((q, t) for sample in samples for q in _forms(sample.terms) for t in _forms(sample.tags))
        texts = {tag_form(text): text for sample in samples for text in (*sample.tags, *sample.terms)}
        pairs = [
            TagPair(texts[q], texts[t], round(weight, 4))
            for (q, t), count in both.items()
            if q != t
            and count >= _TWICE
            and (weight := _association(count, said[q], borne[t], len(samples))) >= _ASSOCIATED
        ]
        return tuple(sorted(pairs, key=lambda pair: (-pair.weight, pair.query_term, pair.corpus_tag)))


def _forms(texts: Sequence[str]) -> set[str]:
    return {tag_form(text) for text in texts}


def _association(both: int, one: int, other: int, samples: int) -> float:
    """Return the normalized pointwise mutual information, 1 for what always stands together."""
    together = both / samples
    return 1.0 if together == 1 else log(together * samples * samples / (one * other)) / -log(together)
