"""Other flows over a knowledge base: reindexing with another embedder, synchronization with Neo4j, evaluation."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.artifacts import create_markdown_artifact
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from flows.flow_report import table
from flows.flow_tasks import MODEL, RETRIES, RETRY_SECONDS, STORE, may_retry, named_by
from pipelines.core.safe_output import shown
from pipelines.settings import load
from qa.settings import QaSettings

Chosen = Mapping[str, Any]


def _settings(kb: str, chosen: Chosen | None, **more: object) -> QaSettings:
    return load(Path(kb), {**(chosen or {}), **more}, QaSettings).settings


@flow(name="strata-reindex", flow_run_name=named_by("knowledge_base"), persist_result=False)
def strata_reindex(
    knowledge_base: str, embedder: str, drop_old: bool = False, settings: dict[str, Any] | None = None
) -> State:
    """Embed a knowledge base with another model, compare, and switch.

    Args:
        knowledge_base: the folder of the knowledge base.
        embedder: wordllama, e5, fastembed, openai, or your own as `module:Class`.
        drop_old: remove the vectors of other embedders.
        settings: overrides of the knowledge base's strata.toml and the environment.
    """
    return Completed(message=_reindex(knowledge_base, embedder, drop_old, settings))


@task(name="reindex", tags=["corpus", STORE], persist_result=False)
def _reindex(kb: str, embedder: str, drop_old: bool, chosen: Chosen | None) -> str:
    from pipelines.ingest.reindex import reindex

    done = reindex(Path(kb), _settings(kb, chosen, **{"embed.name": embedder}), drop_old)
    recalls = [(done.before, f"{done.recall_before:.3f}"), (done.after, f"{done.recall_after:.3f}")]
    create_markdown_artifact(table(("embedder", f"recall of {done.probes} atoms"), recalls), "reindex-report")
    return f"{done.records} records embedded by {done.after}"


@flow(name="strata-sync", flow_run_name=named_by("knowledge_base"), persist_result=False)
def strata_sync(knowledge_base: str, settings: dict[str, Any] | None = None) -> State:
    """Synchronize other graph stores, such as Neo4j, with a knowledge base.

    Args:
        knowledge_base: the folder of the knowledge base.
        settings: overrides of the knowledge base's strata.toml and the environment.
    """
    chosen = _settings(knowledge_base, settings)
    names = chosen.store.graph_copies or ("neo4j",)
    failed = [reason for name in names if (reason := _synchronize(knowledge_base, name, settings))]
    return Failed(message="; ".join(failed)) if failed else Completed(message="synchronized")


@task(
    name="sync", task_run_name="sync {store}", tags=["corpus", STORE], persist_result=False,
    retries=RETRIES, retry_delay_seconds=RETRY_SECONDS, retry_condition_fn=may_retry,
)  # fmt: skip
def _synchronize(kb: str, store: str, chosen: Chosen | None) -> str:
    """Return a description of the failures, empty for none."""
    from pipelines.resources import open_graph, open_stores
    from pipelines.store.graph import sync

    settings = _settings(kb, chosen)
    with open_stores(Path(kb), settings) as stores, open_graph(store, settings, Path(kb)) as copy:
        done = sync(stores.embedded.graph, copy)
    counts = [("written", done.written), ("removed", done.removed), ("unchanged", done.unchanged)]
    create_markdown_artifact(table(("parts", store), counts), "sync-report")
    return f"{len(done.failures)} documents failed: {shown(done.failures[0].reason)}" if done.failures else ""


@flow(name="strata-evaluate", flow_run_name=named_by("knowledge_base"), persist_result=False)
def strata_evaluate(
    knowledge_base: str, questions: str, strategies: list[str] | None = None, settings: dict[str, Any] | None = None
) -> State:
    """Answer questions with known answers, and score the answers.

    Args:
        knowledge_base: the folder of the knowledge base.
        questions: a file of questions, as for `strata eval answers`.
        strategies: the strategies to evaluate; by default the default strategy.
        settings: overrides of the knowledge base's strata.toml and the environment.
    """
    return Completed(message=_answer(knowledge_base, questions, strategies or [], settings))


@task(name="evaluate", tags=["corpus", MODEL], persist_result=False)
def _answer(kb: str, questions: str, strategies: list[str], chosen: Chosen | None) -> str:
    from evaluate.answers import evaluate_answers
    from evaluate.questions import read_questions
    from qa.knowledge_base import KnowledgeBase

    asked = read_questions(Path(questions))
    with KnowledgeBase.open(Path(kb), _settings(kb, chosen)) as knowledge:
        names = strategies or [knowledge.default_strategy]
        report = asyncio.run(evaluate_answers(knowledge, asked, names))
    figures = report.figures()
    names_of = dict.fromkeys(name for values in figures.values() for name in values)
    rows = [(name, *(values.get(name) for values in figures.values())) for name in names_of]
    create_markdown_artifact(table(("", *figures), rows), "evaluation-report")
    return f"{len(asked)} questions by {', '.join(names)}"
