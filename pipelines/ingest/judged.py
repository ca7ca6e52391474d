"""What a model says of entities that the rules can neither join nor tell apart, kept with the knowledge base."""

from __future__ import annotations

from collections.abc import Iterable

from pipelines.core import codec
from pipelines.graph.card import DocumentCard
from pipelines.graph.entities import profiles
from pipelines.graph.resolve import Pair, open_pairs
from pipelines.graph.same_entity import ROLE, ModelJudge, Verdicts
from pipelines.llm.chat import Chat, Request
from pipelines.llm.embedder import Side
from pipelines.llm.prompt import Prompt
from pipelines.llm.testing.fakes import ScriptedChat
from pipelines.llm.wordllama import WordLlamaEmbedder
from pipelines.resources import Stores
from pipelines.settings import Settings
from pipelines.store.catalog import Catalog

JUDGED_FACT = "judged entities"
"""The fact under which the catalog keeps the `Verdicts` by which entities are merged."""


def kept_verdicts(catalog: Catalog) -> Verdicts:
    """Return the verdicts that linking goes by, none where no model was ever asked."""
    fact = catalog.fact(JUDGED_FACT)
    return codec.decode(fact, Verdicts) if fact else Verdicts()


def judge_maker(settings: Settings, stores: Stores) -> str:
    """Return what stands for the model and the prompt."""
    return f"{settings.llm.model_of(ROLE)} {_prompt(stores).digest}"


async def judge_entities(cards: Iterable[DocumentCard], stores: Stores, settings: Settings, chat: Chat) -> Verdicts:
    """Return what the model says of the pairs that are open among these documents, and keep it.

    Only pairs are asked about that this model was not asked about before; what it said of others is dropped. Raises
    `BudgetExceeded`; what was answered until then is in the cache of replies.
    """
    judge = ModelJudge(chat, _prompt(stores))
    pairs = _open_pairs(cards, settings)
    verdicts = await judge.judge(pairs, judge_maker(settings, stores), kept_verdicts(stores.catalog))
    stores.catalog.set_fact(JUDGED_FACT, codec.encode(verdicts).decode())
    return verdicts


def judge_requests(cards: Iterable[DocumentCard], stores: Stores, settings: Settings) -> list[Request]:
    """Return what a model will be asked about these documents."""
    judge = ModelJudge(ScriptedChat([]), _prompt(stores))
    return judge.requests(_open_pairs(cards, settings), judge_maker(settings, stores), kept_verdicts(stores.catalog))


def _open_pairs(cards: Iterable[DocumentCard], settings: Settings) -> tuple[Pair, ...]:
    embedder = WordLlamaEmbedder()
    return open_pairs(profiles(cards), settings.graph, lambda names: embedder.embed(names, Side.PASSAGE))


def _prompt(stores: Stores) -> Prompt:
    return Prompt.load("pipelines.graph", "same", stores.folder.prompts)
