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
from dataclasses import replace

from pipelines.atomize.tag_classes import sample_of
from pipelines.core import codec
from pipelines.core.knowledge import TagClass
from pipelines.ingest.compile import Tools, blame_nobody, hearing
from pipelines.ingest.language import CLASSES_FACT, Induction, KeptClasses, kept_classes, makers_of
from pipelines.ingest.rehearsal import Sample, sample_document
from pipelines.ingest.report import Progress
from pipelines.ingest.task import SourceItem
from pipelines.resources import Stores

SAMPLE_DOCUMENTS = 24


async def settle_classes(
    items: Sequence[SourceItem], tools: Tools, induction: Induction | None, stores: Stores, tell: Progress
) -> Tools:
    """Return the tools with a distiller that tags by the corpus's classes, which are induced where they are not yet.

    Where the model does not answer, what the tools make counts as unfinished. Raises `BudgetExceeded`.
    """
    if induction is None or not items:
        return tools
    kept = kept_classes(stores.catalog, induction.maker)
    classes = kept.classes if kept else await _induced(items, tools, induction, stores, tell)
    if classes is None:
        return replace(tools, means=replace(tools.means, settled=False))
    tools = with_classes(tools, [one.name for one in classes])
    return replace(tools, means=replace(tools.means, makers=makers_of(tools.settings, stores)))


def with_classes(tools: Tools, names: Sequence[str]) -> Tools:
    """Return tools whose model tags by these classes."""
    model = replace(tools.means.model, kinds=tuple(names)) if tools.means.model else None
    return replace(tools, means=replace(tools.means, model=model))


async def _induced(
    items: Sequence[SourceItem], tools: Tools, induction: Induction, stores: Stores, tell: Progress
) -> tuple[TagClass, ...] | None:
    sample = await sample_tags(items, tools, tell)
    found = await induction.inducer.induce(sample.tags, sample.language)
    if found.failures:
        return None
    stores.catalog.set_fact(CLASSES_FACT, codec.encode(KeptClasses(induction.maker, found.results)).decode())
    return found.results


async def sample_tags(items: Sequence[SourceItem], tools: Tools, tell: Progress) -> Sample:
    """Return tags of some of the items, the same for the same folder; parsing them is done and kept."""
    # Digests are as good as chance, and the same on every machine.
    some = sorted(items, key=lambda item: (item.source.digest, item.source.uri))[:SAMPLE_DOCUMENTS]
    sampled = [one for many in await asyncio.gather(*(_sampled(item, tools, tell) for item in some)) for one in many]
    languages = Counter(one.language for one in sampled)
    language = min(languages, key=lambda one: (-languages[one], one), default="en")
    return Sample(tuple(sample_of([tag for one in sampled for tag in one.tags])), language)


async def _sampled(item: SourceItem, tools: Tools, tell: Progress) -> tuple[Sample, ...]:
    """The sample of one document, none where it gives none: why that is, compiling it will tell."""
    ended = await tools.workers.do(sample_document, tools.task(item), hearing(item.source.uri, tell))
    blame_nobody(ended)
    return codec.unpack(ended.result, tuple[Sample, ...]) if ended.result is not None else ()
