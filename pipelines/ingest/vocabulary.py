"""The corpus tag collection (PIKE-RAG 5.2.2, figure 7): every tag once, with a class; and learned tag pairs.

The tag classes that a model uses are induced once, from a sample of the folder at the first ingest, and stored: they
are part of the prompts, so different classes would require distilling everything again. A different model or prompt
induces them again; `[atomize] tag_classes` and the types of `[graph.schema]` replace them. Without a model, the class
of a tag is the kind that its form suggests.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.atomize.tag_classes import KINDS, classify, sample_of
from pipelines.atomize.tags import collect_tags
from pipelines.core import codec
from pipelines.core.knowledge import ChunkTag, Tag, TagClass, TagPair
from pipelines.core.outcome import each
from pipelines.core.work.job import JobContext
from pipelines.graph.document_profile import DocumentProfile, ProfileTag
from pipelines.ingest.compile import note_handler, raise_what_ends_the_run
from pipelines.ingest.dispatch import Dispatcher
from pipelines.ingest.report import Progress, Stage
from pipelines.ingest.task import DocumentTask, SourceItem, WorkerSetup
from pipelines.ingest.worker_context import WorkerContext
from pipelines.ingest.workers import (
    CLASSES,
    KeptClasses,
    Workers,
    classes_maker,
    kept_classes,
    named_classes,
    names_digest,
)
from pipelines.llm.embedder import Embedder
from pipelines.resources import Stores
from pipelines.settings import Settings
from pipelines.store.artifact import read_distillate
from pipelines.store.catalog import Catalog, Entry
from pipelines.store.facts import TAG_PAIRS

if TYPE_CHECKING:
    from pipelines.atomize.tag_pairs import Pairing

SAMPLE_DOCUMENTS = 24
"""Documents in the sample: about two hundred chunks, of which the model is shown 60 terms."""
_LONGEST_SHORT_FORM = 8
"""Maximum characters of an abbreviation; a longer alias is a different name, with its own tags."""


def drop_classes(catalog: Catalog, used: Collection[str]) -> None:
    """Drop the induced tag classes that no tag has; `used` are the ids of the classes of all tags."""
    kept = CLASSES.read(catalog)
    if kept is None:
        return
    left = tuple(one for one in kept.classes if one.id in used or one.name in KINDS)
    if left != kept.classes:
        CLASSES.write(catalog, KeptClasses(kept.maker, left, names_digest(kept)))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The profiles of a corpus, with the tags of the collection.

    `merged` maps the id of a tag in chunks to the id of the tag that it was merged into.
    """

    profiles: tuple[DocumentProfile, ...]
    merged: Mapping[str, str] = field(default_factory=dict)


def vocabulary(profiles: Sequence[DocumentProfile], classes: Sequence[TagClass], embedder: Embedder) -> Vocabulary:
    """Return the profiles after merging different spellings of a tag, and classifying tags without a class.

    Without `classes`, the class of a tag is the kind that its form suggests.
    """
    collection = collect_tags(_tag_counts(profiles), _short_forms(profiles))
    found = classify([tag.text for tag in collection.tags if not tag.tag_class], classes, embedder)
    tags = {tag.id: replace(tag, tag_class=tag.tag_class or found[tag.text]) for tag in collection.tags}
    return Vocabulary(tuple(_collected(profile, tags, collection.merged) for profile in profiles), collection.merged)


def _tag_counts(profiles: Sequence[DocumentProfile]) -> Counter[tuple[str, str]]:
    """Return the number of chunks by the text and class of their tags."""
    counts: Counter[tuple[str, str]] = Counter()
    for profile in profiles:
        for tag in profile.tags:
            counts[tag.text, tag.tag_class] += tag.count
    return counts


def _short_forms(profiles: Sequence[DocumentProfile]) -> Iterator[tuple[str, str]]:
    """Yield each entity name with its abbreviations."""
    for profile in profiles:
        for entity in profile.entities:
            yield from ((entity.name, alias) for alias in entity.aliases if len(alias) <= _LONGEST_SHORT_FORM)


def _collected(profile: DocumentProfile, tags: Mapping[str, Tag], merged: Mapping[str, str]) -> DocumentProfile:
    def collected(tag: ProfileTag) -> ProfileTag:
        target = tags[merged.get(tag.id, tag.id)]
        return ProfileTag(target.id, tag.text, target.tag_class, tag.count)

    return replace(profile, tags=tuple(map(collected, profile.tags)))


@dataclass(frozen=True, slots=True)
class Lessons:
    """A file of question-answer samples, and the worker that pairs the terms of their questions with tags."""

    samples: Path
    pairing: Pairing


async def learn_pairs(lessons: Lessons, entries: Sequence[Entry], stores: Stores) -> tuple[TagPair, ...]:
    """Learn tag pairs from the samples; return them, and store them for later questions.

    The answer of each sample is searched in the chunks of `entries`; the terms of its question are paired with the tags
    of these chunks. Raises `SettingsError` for a file without samples, `DocumentsFailed` if chunks cannot be read, and
    `BudgetExceeded`.
    """
    from pipelines.atomize.tag_pairs import read_samples, tag_samples

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


@dataclass(frozen=True, slots=True)
class TagSample:
    """Tags of chunks, extracted without a model, and the language of most of the documents."""

    tags: tuple[ChunkTag, ...]
    language: str


def corpus_classes(settings: Settings, stores: Stores) -> tuple[TagClass, ...]:
    """Return the tag classes of the corpus, from the settings or from an earlier induction; empty if there are none."""
    if named := named_classes(settings):
        return tuple(TagClass(TagClass.make_id(name), name) for name in named)
    kept = kept_classes(stores.catalog, classes_maker(settings, stores.folder))
    return kept.classes if kept else ()


async def find_classes(
    items: Sequence[SourceItem], dispatcher: Dispatcher, workers: Workers, stores: Stores, tell: Progress
) -> KeptClasses | None:
    """Return the tag classes for a model: the stored ones, or else those that it induces from a sample of `items`.

    Returns None if no model induces classes, there are no items, or the call failed. Raises `BudgetExceeded`.
    """
    inducer, maker = workers.inducer(), classes_maker(workers.settings, stores.folder)
    if inducer is None or not items:
        return None
    if kept := kept_classes(stores.catalog, maker):
        return kept
    sample = await _sample_folder(items, dispatcher, tell)
    found = await inducer.induce(sample.tags, sample.language)
    return None if found.failures else KeptClasses(maker, found.results)


def with_classes(setup: WorkerSetup, names: Sequence[str]) -> WorkerSetup:
    """Return the setup with these tag classes for the model."""
    return replace(setup, model=replace(setup.model, kinds=tuple(names)) if setup.model else None)


async def _sample_folder(items: Sequence[SourceItem], dispatcher: Dispatcher, tell: Progress) -> TagSample:
    """Return tags of a reproducible sample of the items; their parses are stored."""
    # The order of digests is as good as random, and the same on every machine.
    some = sorted(items, key=lambda item: (item.source.digest, item.source.uri))[:SAMPLE_DOCUMENTS]
    sampled = [
        one for many in await asyncio.gather(*(_sampled(item, dispatcher, tell) for item in some)) for one in many
    ]
    languages = Counter(one.language for one in sampled)
    language = min(languages, key=lambda one: (-languages[one], one), default="en")
    return TagSample(tuple(sample_of([tag for one in sampled for tag in one.tags])), language)


async def _sampled(item: SourceItem, dispatcher: Dispatcher, tell: Progress) -> tuple[TagSample, ...]:
    """Return the sample of a file, empty if it cannot be parsed; compiling it will report the reason."""
    ended = await dispatcher.run(sample_document, dispatcher.task(item), note_handler(item.source.uri, tell))
    raise_what_ends_the_run(ended)
    return codec.unpack(ended.result, tuple[TagSample, ...]) if ended.result is not None else ()


def sample_document(job: JobContext, task: DocumentTask) -> bytes:
    """Parse a file, store the parse, and return its packed `TagSample`, if it is a document: the function of a job."""
    return codec.pack(asyncio.run(_sample(WorkerContext(job, task))))


async def _sample(context: WorkerContext) -> tuple[TagSample, ...]:
    from pipelines.atomize.atomize import atomize
    from pipelines.chunk.chunk import split
    from pipelines.ingest.parse_stage import parse

    document = parse(context).document
    if document is None:
        return ()
    settings, workers = context.setup.settings, Workers(context.setup.settings)
    context.job.begin(Stage.CHUNK.value)
    chunks = (await split(document, workers.splitter(), settings.chunk)).results
    context.job.begin(Stage.ATOMIZE.value)
    distillate = await atomize(document, chunks, workers.distiller(), settings.atomize)
    return (TagSample(distillate.tags, document.language),)
