"""The atomize stage: the chunks of a document to its distilled knowledge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pipelines.atomize.distiller import ChunkContent, ChunkDistillate, Distiller, chunk_contents
from pipelines.atomize.extractive_distiller import ExtractiveDistiller
from pipelines.atomize.settings import AtomizeSettings
from pipelines.core.concurrent import gather
from pipelines.core.document import Chunk, Document
from pipelines.core.knowledge import Distillate, Entity


async def atomize(
    document: Document, chunks: Sequence[Chunk], distiller: Distiller, settings: AtomizeSettings
) -> Distillate:
    """Return the knowledge distilled from the chunks of a document, in the order of `chunks`.

    Up to `settings.chunks_at_once` chunks are distilled concurrently. A chunk whose model call failed is distilled by
    the extractive distiller and listed as `unfinished`. Raises `BudgetExceeded`.
    """
    fallback = ExtractiveDistiller(settings)

    async def distil(content: ChunkContent) -> ChunkDistillate:
        distilled = await distiller.distil(content)
        if distilled.failure is None:
            return distilled
        return replace(fallback.extract(content), dropped=distilled.dropped, failure=distilled.failure)

    done = await gather(distil, chunk_contents(document, chunks), settings.chunks_at_once)
    return Distillate(
        document=document.id,
        chunks=tuple(chunks),
        atoms=tuple(atom for one in done for atom in one.atoms),
        tags=tuple(tag for one in done for tag in one.tags),
        entities=_merged(entity for one in done for entity in one.entities),
        mentions=tuple(mention for one in done for mention in one.mentions),
        relations=tuple(relation for one in done for relation in one.relations),
        rows=tuple(row for one in done for row in one.rows),
        dropped=_sum(one.dropped for one in done),
        unfinished=tuple(chunk.id for chunk, one in zip(chunks, done, strict=True) if one.failure),
    )


def _merged(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return each entity once, with the first type and all aliases that the chunks give it."""
    found: dict[str, Entity] = {}
    for entity in entities:
        known = found.setdefault(entity.id, entity)
        aliases = tuple(dict.fromkeys((*known.aliases, *entity.aliases)))
        found[entity.id] = replace(known, type=known.type or entity.type, aliases=aliases)
    return tuple(found.values())


def _sum(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return dict(sorted(total.items()))
