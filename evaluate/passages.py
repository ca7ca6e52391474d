"""The passages of a benchmark as a knowledge base, made by the ordinary ingest."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from html import escape
from pathlib import Path

from evaluate.questions import Passage, passage_uri
from pipelines.core.errors import DocumentsFailed, SourceError, StoreMismatch
from pipelines.ingest.build import build
from pipelines.ingest.report import Progress, silent
from pipelines.llm.settings import LlmSettings
from pipelines.resources import open_stores
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import Settings
from pipelines.store.folder import KnowledgeBaseFolder

_PAGE = '<!doctype html>\n<meta charset="utf-8">\n<title>{title}</title>\n<p>{text}</p>\n'
"""HTML, for there every title and text can be written so that just they are read again; in Markdown some cannot."""


@contextmanager
def open_passages(
    passages: Sequence[Passage], settings: Settings, kb: Path | None = None, progress: Progress = silent
) -> Iterator[Retriever]:
    """Yield a retriever over `passages`, each ingested as a document of its own, without a language model.

    The knowledge base is made at `kb`, where one of the same passages is brought up to date; without `kb` it is
    deleted in the end. Raises `StoreMismatch` where `kb` holds anything else, `DocumentsFailed`.
    """
    with ExitStack() as stack:
        kb = kb or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strata-")))
        build_passages(passages, settings, kb, progress)
        stores = stack.enter_context(open_stores(kb, settings))
        yield Retriever.of(stores, settings.retrieve)


def build_passages(
    passages: Sequence[Passage],
    settings: Settings,
    kb: Path,
    progress: Progress = silent,
    distilled: bool = False,
) -> None:
    """Bring the knowledge base at `kb` up to `passages`, `distilled` by the model of the settings or without one.

    Raises as `open_passages` does.
    """
    pages = {passage_uri(one.id): _PAGE.format(title=escape(one.title), text=escape(one.text)) for one in passages}
    if len(pages) < len(passages):
        raise SourceError("two passages have the same id", hint="letters, digits, '_', '-' and '.' tell ids apart")
    settings = without_model(settings).model_copy(update={"llm": settings.llm} if distilled else {})
    if KnowledgeBaseFolder(kb).exists:
        _refuse_others(pages, settings, kb)
    with tempfile.TemporaryDirectory(prefix="strata-") as folder:
        for name, page in pages.items():
            (Path(folder) / name).write_text(page, encoding="utf-8")
        report = build(folder, kb, settings, progress=progress)
    if report.failures:
        raise DocumentsFailed(report.failures)


def without_model(settings: Settings) -> Settings:
    """Return the settings with which a benchmark is ingested: all of it, here alone, and at no cost.

    The key of an endpoint that embeds stays; no model is asked, and nothing is sent to Neo4j.
    """
    everything = settings.ingest.model_copy(update={"include": ("**/*",), "exclude": ()})
    embed = settings.embed.at_endpoint_of(settings.llm)
    store = settings.store.model_copy(update={"graph": "embedded", "neo4j_uri": ""})
    changed = {"ingest": everything, "embed": embed, "llm": LlmSettings(), "store": store}
    return settings.model_copy(update=changed)


def _refuse_others(pages: dict[str, str], settings: Settings, kb: Path) -> None:
    """An ingest would remove what the passages are not."""
    with open_stores(kb, settings) as stores:
        others = tuple(entry.uri for entry in stores.catalog.entries() if entry.uri not in pages)
    if others:
        raise StoreMismatch(f"the knowledge base at {kb} is of another corpus", ids=others[:1], hint="choose another")
