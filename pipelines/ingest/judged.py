"""What a model says of entities that the rules can neither join nor tell apart, kept with the knowledge base."""

from __future__ import annotations

from collections.abc import Iterable

from pipelines.core import codec
from pipelines.graph.card import DocumentCard
from pipelines.graph.entities import profiles
from pipelines.graph.resolve import open_pairs
from pipelines.graph.same_entity import Verdicts
from pipelines.ingest.workers import Workers, judge_maker
from pipelines.llm.embedder import Side
from pipelines.llm.embedders import default_embedder
from pipelines.resources import Stores
from pipelines.store.catalog import Catalog

JUDGED_FACT = "judged entities"
"""The fact under which the catalog keeps the `Verdicts` by which entities are merged."""


def kept_verdicts(catalog: Catalog) -> Verdicts:
    """Return the verdicts that linking goes by, none where no model was ever asked."""
    fact = catalog.fact(JUDGED_FACT)
    return codec.decode(fact, Verdicts) if fact else Verdicts()


def keep_verdicts(catalog: Catalog, verdicts: Verdicts) -> None:
    catalog.set_fact(JUDGED_FACT, codec.encode(verdicts).decode())


async def judge_entities(cards: Iterable[DocumentCard], workers: Workers, stores: Stores) -> Verdicts:
    """Return what the model says of the pairs of entities that no rule decides among these documents.

    Only pairs are asked about that this model was not asked about before; what it said of others is dropped. Without
    a model the verdicts are those that are kept. Raises `BudgetExceeded`; what was answered until then is in the
    cache of replies.
    """
    judge, kept, names = workers.judge(), kept_verdicts(stores.catalog), default_embedder()
    if judge is None:
        return kept
    pairs = open_pairs(profiles(cards), workers.settings.graph, lambda texts: names.embed(texts, Side.PASSAGE))
    return await judge.judge(pairs, judge_maker(workers.settings, stores), kept)
