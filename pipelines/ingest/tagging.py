"""Tag pairs learned from question-answer samples: how users say what the corpus calls otherwise (PIKE-RAG 5.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.atomize.tag_pairs import Pairing, read_samples, tag_samples
from pipelines.core.failures import each
from pipelines.core.knowledge import TagPair
from pipelines.resources import Stores
from pipelines.store.artifact import read_distillate
from pipelines.store.catalog import Entry
from pipelines.store.facts import TAG_PAIRS


@dataclass(frozen=True, slots=True)
class Lessons:
    """A file of question-answer samples, and who tells which of their words stand for which tags."""

    samples: Path
    pairing: Pairing


async def learn_pairs(lessons: Lessons, entries: Sequence[Entry], stores: Stores) -> tuple[TagPair, ...]:
    """Return the pairs that the samples speak for, and keep them for questions to come.

    Each sample's answer is looked for among the chunks of `entries`; the tags there are what its words can lead to.
    Raises `SettingsError` for a file that holds no samples, `DocumentsFailed` where chunks cannot be read,
    `BudgetExceeded`.
    """
    chunks: dict[str, str] = {}
    tags: dict[str, list[str]] = {}
    asked = read_samples(lessons.samples)
    read = each("learn", entries, lambda entry: entry.document, lambda entry: read_distillate(stores.artifacts, entry))
    for distillate in read:
        chunks |= {chunk.id: chunk.text for chunk in distillate.chunks}
        for tag in distillate.tags:
            tags.setdefault(tag.chunk, []).append(tag.text)
    pairs = await lessons.pairing.pair(tag_samples(asked, chunks, tags))
    TAG_PAIRS.write(stores.catalog, pairs)
    return pairs
