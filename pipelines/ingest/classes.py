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
from pipelines.atomize.extractive import ExtractiveDistiller
from pipelines.atomize.tag_classes import sample_of
from pipelines.chunk.chunk import chunk
from pipelines.chunk.structural import StructuralSplitter
from pipelines.core import codec
from pipelines.core.charge import charge
from pipelines.core.document import Document
from pipelines.core.knowledge import ChunkTag, TagClass
from pipelines.ingest.compile import Item, Tools, parse_item
from pipelines.ingest.language import CLASSES_FACT, Induction, KeptClasses, kept_classes, makers_of
from pipelines.ingest.progress import Progress
from pipelines.resources import Stores

SAMPLE_DOCUMENTS = 24


@dataclass(frozen=True, slots=True)
class Sample:
    """Tags of a spread of a folder's chunks, taken without a model, and the language of most of its documents."""

    tags: tuple[ChunkTag, ...]
    language: str


async def settle_classes(
    items: Sequence[Item], tools: Tools, induction: Induction | None, stores: Stores, tell: Progress
) -> Tools:
    """Return the tools with a distiller that tags by the corpus's classes, which are induced where they are not yet.

    Where the model does not answer, what the tools make counts as unfinished. Raises `BudgetExceeded`.
    """
    if induction is None or not items:
        return tools
    kept = kept_classes(stores.catalog, induction.maker)
    classes = kept.classes if kept else await _induced(items, tools, induction, stores, tell)
    if classes is None:
        return replace(tools, settled=False)
    distiller = induction.distiller.with_classes([one.name for one in classes])
    return replace(tools, distiller=distiller, makers=makers_of(tools.settings, stores))


async def _induced(
    items: Sequence[Item], tools: Tools, induction: Induction, stores: Stores, tell: Progress
) -> tuple[TagClass, ...] | None:
    sample = await sample_tags(items, tools, tell)
    found = await induction.inducer.induce(sample.tags, sample.language)
    if found.failures:
        return None
    stores.catalog.set_fact(CLASSES_FACT, codec.encode(KeptClasses(induction.maker, found.results)).decode())
    return found.results


async def sample_tags(items: Sequence[Item], tools: Tools, tell: Progress) -> Sample:
    """Return tags of some of the items, the same for the same folder; parsing them is done and kept."""
    # Digests are as good as chance, and the same on every machine.
    some = sorted(items, key=lambda item: (item.source.digest, item.source.uri))[:SAMPLE_DOCUMENTS]
    records = await asyncio.gather(*(parse_item(item, tools.keys(item.source), tools, tell) for item in some))
    documents = [record.document for record in records if record.document is not None]
    tags = [tag for document in documents for tag in await _tags_or_none(document, tools)]
    languages = Counter(document.language for document in documents)
    return Sample(tuple(sample_of(tags)), min(languages, key=lambda one: (-languages[one], one), default="en"))


async def _tags_or_none(document: Document, tools: Tools) -> tuple[ChunkTag, ...]:
    """The tags of a document, none where it makes that fail: the same then happens when it is compiled, and is told."""
    try:
        return await _tags(document, tools)
    except Exception as error:
        charge(document.id, "sample", error)
        return ()


async def _tags(document: Document, tools: Tools) -> tuple[ChunkTag, ...]:
    settings = tools.settings
    chunks = await chunk(document, StructuralSplitter(settings.chunk), settings.chunk)
    return (await atomize(document, chunks, ExtractiveDistiller(settings.atomize), settings.atomize)).tags
