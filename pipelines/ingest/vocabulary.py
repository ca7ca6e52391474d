"""The corpus tag collection (PIKE-RAG 5.2.2, figure 7): every tag once, with a class; and pairs learned for it.

The classes by which a model tags are induced once, from a sample of the folder as the first ingest finds it, and kept:
what a model is asked about a chunk names them, so that with others everything would have to be distilled anew. Another
model or prompt induces them again; `[atomize] tag_classes` and the types of `[graph.schema]` take their place. Without
a model a tag has the kind of its form.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipelines.atomize.atomize import atomize
from pipelines.atomize.tag_classes import KINDS, classify, sample_of
from pipelines.atomize.tag_pairs import Pairing, read_samples, tag_samples
from pipelines.atomize.tags import collect_tags
from pipelines.chunk.chunk import split
from pipelines.core import codec
from pipelines.core.knowledge import ChunkTag, Tag, TagClass, TagPair
from pipelines.core.outcome import each
from pipelines.core.work.job import JobContext
from pipelines.graph.document_profile import DocumentProfile, ProfileTag
from pipelines.ingest.compile import note_handler, raise_what_ends_the_run
from pipelines.ingest.dispatch import Dispatcher
from pipelines.ingest.parse_stage import parse
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

SAMPLE_DOCUMENTS = 24
"""Documents whose tags are shown to the model: some two hundred chunks, of which it is shown 60 terms."""
_LONGEST_SHORT_FORM = 8
"""Characters of an abbreviation at most; a longer alias is another name, with tags of its own."""


def drop_classes(catalog: Catalog, borne: Collection[str]) -> None:
    """Forget the induced classes that no tag is in any more; `borne` are the ids of those that some tag is in."""
    kept = CLASSES.read(catalog)
    if kept is None:
        return
    left = tuple(one for one in kept.classes if one.id in borne or one.name in KINDS)
    if left != kept.classes:
        CLASSES.write(catalog, KeptClasses(kept.maker, left, names_digest(kept)))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The profiles of a corpus with their tags as the collection has them.

    `merged` leads from the id of a tag as chunks bear it to the id of the one that stands for it.
    """

    profiles: tuple[DocumentProfile, ...]
    merged: Mapping[str, str] = field(default_factory=dict)


def vocabulary(profiles: Sequence[DocumentProfile], classes: Sequence[TagClass], embedder: Embedder) -> Vocabulary:
    """Return the profiles with spellings of one term merged, and every tag in a class that has none and fits one.

    Without `classes` it is the kind that a tag has by its form.
    """
    collection = collect_tags(_borne(profiles), _short_forms(profiles))
    found = classify([tag.text for tag in collection.tags if not tag.tag_class], classes, embedder)
    tags = {tag.id: replace(tag, tag_class=tag.tag_class or found[tag.text]) for tag in collection.tags}
    return Vocabulary(tuple(_collected(profile, tags, collection.merged) for profile in profiles), collection.merged)


def _borne(profiles: Sequence[DocumentProfile]) -> Counter[tuple[str, str]]:
    """How many chunks bear a tag of this text and class."""
    counts: Counter[tuple[str, str]] = Counter()
    for profile in profiles:
        for tag in profile.tags:
            counts[tag.text, tag.tag_class] += tag.count
    return counts


def _short_forms(profiles: Sequence[DocumentProfile]) -> Iterator[tuple[str, str]]:
    """Yield each name with its abbreviation, as documents introduce them."""
    for profile in profiles:
        for entity in profile.entities:
            yield from ((entity.name, alias) for alias in entity.aliases if len(alias) <= _LONGEST_SHORT_FORM)


def _collected(profile: DocumentProfile, tags: Mapping[str, Tag], merged: Mapping[str, str]) -> DocumentProfile:
    return replace(profile, tags=tuple(_stands_for(tag, tags[merged.get(tag.id, tag.id)]) for tag in profile.tags))


def _stands_for(borne: ProfileTag, tag: Tag) -> ProfileTag:
    return ProfileTag(tag.id, borne.text, tag.tag_class, borne.count)


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


@dataclass(frozen=True, slots=True)
class TagSample:
    """Tags of some chunks of a folder, taken without a model, and the language of most of its documents."""

    tags: tuple[ChunkTag, ...]
    language: str


def corpus_classes(settings: Settings, stores: Stores) -> tuple[TagClass, ...]:
    """Return the classes that the settings or an induction gave the corpus's tags, none where neither did."""
    if named := named_classes(settings):
        return tuple(TagClass(TagClass.make_id(name), name) for name in named)
    kept = kept_classes(stores.catalog, classes_maker(settings, stores.folder))
    return kept.classes if kept else ()


async def find_classes(
    items: Sequence[SourceItem], dispatcher: Dispatcher, workers: Workers, stores: Stores, tell: Progress
) -> KeptClasses | None:
    """Return the classes by which a model is to tag: those that are kept, else induced from a sample of `items`.

    None where no model names them, there is nothing to sample, or the model did not answer. Raises `BudgetExceeded`.
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
    """Return the setup with a model that tags by these classes."""
    return replace(setup, model=replace(setup.model, kinds=tuple(names)) if setup.model else None)


async def _sample_folder(items: Sequence[SourceItem], dispatcher: Dispatcher, tell: Progress) -> TagSample:
    """Return tags of some of the items, the same for the same folder; parsing them is done and kept."""
    # Digests are as good as chance, and the same on every machine.
    some = sorted(items, key=lambda item: (item.source.digest, item.source.uri))[:SAMPLE_DOCUMENTS]
    sampled = [
        one for many in await asyncio.gather(*(_sampled(item, dispatcher, tell) for item in some)) for one in many
    ]
    languages = Counter(one.language for one in sampled)
    language = min(languages, key=lambda one: (-languages[one], one), default="en")
    return TagSample(tuple(sample_of([tag for one in sampled for tag in one.tags])), language)


async def _sampled(item: SourceItem, dispatcher: Dispatcher, tell: Progress) -> tuple[TagSample, ...]:
    """The sample of one document, none where it gives none: why that is, compiling it will tell."""
    ended = await dispatcher.do(sample_document, dispatcher.task(item), note_handler(item.source.uri, tell))
    raise_what_ends_the_run(ended)
    return codec.unpack(ended.result, tuple[TagSample, ...]) if ended.result is not None else ()


def sample_document(job: JobContext, task: DocumentTask) -> bytes:
    """The job that takes the `TagSample` of one document, none where it is none; its parse is done and kept."""
    return codec.pack(asyncio.run(_sample(WorkerContext(job, task))))


async def _sample(context: WorkerContext) -> tuple[TagSample, ...]:
    document = parse(context).document
    if document is None:
        return ()
    settings, workers = context.setup.settings, Workers(context.setup.settings)
    context.job.begin(Stage.CHUNK.value)
    chunks = (await split(document, workers.splitter(), settings.chunk)).results
    context.job.begin(Stage.ATOMIZE.value)
    distillate = await atomize(document, chunks, workers.distiller(), settings.atomize)
    return (TagSample(distillate.tags, document.language),)
