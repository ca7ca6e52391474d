"""The corpus's tag classes: induced once, before the first document is distilled, and kept (PIKE-RAG figure 7).

What a model is asked about a chunk names the classes, so with other classes everything would have to be distilled
anew. They are therefore induced from a sample of the folder as the first ingest finds it, and stay as documents come
and go. Another model or prompt for it induces them again; `[atomize] tag_classes` and the types of `[graph.schema]`
take their place. Without a model they shape no reply, and follow the corpus (`pipelines.ingest.vocabulary`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipelines.atomize.atomize import atomize
from pipelines.atomize.tag_classes import sample_of
from pipelines.chunk.chunk import split
from pipelines.core import codec
from pipelines.core.knowledge import ChunkTag, TagClass
from pipelines.core.work.job import JobContext
from pipelines.ingest.bench import Bench
from pipelines.ingest.compile import Item, Tools, blame_nobody, hearing
from pipelines.ingest.progress import Progress, Stage
from pipelines.ingest.reading import read
from pipelines.ingest.task import Task
from pipelines.ingest.vocabulary import KeptClasses, kept_classes
from pipelines.ingest.workers import Workers, classes_maker, named_classes
from pipelines.resources import Stores
from pipelines.settings import Settings

SAMPLE_DOCUMENTS = 24
"""Documents whose tags are shown to the model: some two hundred chunks, of which it is shown 60 terms."""


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
    items: Sequence[Item], tools: Tools, workers: Workers, stores: Stores, tell: Progress
) -> KeptClasses | None:
    """Return the classes by which a model is to tag: those that are kept, else induced from a sample of `items`.

    None where no model names them, there is nothing to sample, or the model did not answer. Raises `BudgetExceeded`.
    """
    inducer, maker = workers.inducer(), classes_maker(workers.settings, stores.folder)
    if inducer is None or not items:
        return None
    if kept := kept_classes(stores.catalog, maker):
        return kept
    sample = await _sample_folder(items, tools, tell)
    found = await inducer.induce(sample.tags, sample.language)
    return None if found.failures else KeptClasses(maker, found.results)


def with_classes(tools: Tools, names: Sequence[str]) -> Tools:
    """Return tools whose model tags by these classes."""
    model = replace(tools.means.model, kinds=tuple(names)) if tools.means.model else None
    return replace(tools, means=replace(tools.means, model=model))


async def _sample_folder(items: Sequence[Item], tools: Tools, tell: Progress) -> TagSample:
    """Return tags of some of the items, the same for the same folder; parsing them is done and kept."""
    # Digests are as good as chance, and the same on every machine.
    some = sorted(items, key=lambda item: (item.source.digest, item.source.uri))[:SAMPLE_DOCUMENTS]
    sampled = [one for many in await asyncio.gather(*(_sampled(item, tools, tell) for item in some)) for one in many]
    languages = Counter(one.language for one in sampled)
    language = min(languages, key=lambda one: (-languages[one], one), default="en")
    return TagSample(tuple(sample_of([tag for one in sampled for tag in one.tags])), language)


async def _sampled(item: Item, tools: Tools, tell: Progress) -> tuple[TagSample, ...]:
    """The sample of one document, none where it gives none: why that is, compiling it will tell."""
    ended = await tools.workers.do(sample_document, tools.task(item), hearing(item.source.uri, tell))
    blame_nobody(ended)
    return codec.unpack(ended.result, tuple[TagSample, ...]) if ended.result is not None else ()


def sample_document(desk: JobContext, task: Task) -> bytes:
    """The job that takes the `TagSample` of one document, none where it is none; its parse is done and kept."""
    return codec.pack(asyncio.run(_sample(Bench.of(desk, task))))


async def _sample(bench: Bench) -> tuple[TagSample, ...]:
    document = read(bench).document
    if document is None:
        return ()
    settings, workers = bench.means.settings, Workers(bench.means.settings)
    bench.desk.begin(Stage.CHUNK.value)
    chunks = (await split(document, workers.splitter(), settings.chunk)).results
    bench.desk.begin(Stage.ATOMIZE.value)
    distillate = await atomize(document, chunks, workers.distiller(), settings.atomize)
    return (TagSample(distillate.tags, document.language),)
