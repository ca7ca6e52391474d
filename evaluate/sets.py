"""Sets of questions over documents or passages, declared in TOML; and passages ingested as a knowledge base."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from html import escape
from pathlib import Path
from typing import Any

from evaluate.questions import Passage, passage_uri
from pipelines.core import codec
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


@dataclass(frozen=True, slots=True)
class DeclaredSet:
    """Questions, and the documents or passages that they are asked of. `language` is that of the questions."""

    name: str
    questions: Path
    documents: Path | None = None
    passages: Path | None = None
    corpus: str = ""
    language: str = ""
    tags: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """What is left out together when weights are fitted: the corpus."""
        return self.corpus or self.name

    @property
    def missing(self) -> tuple[Path, ...]:
        """The paths that are not there."""
        return tuple(path for path in (self.documents, self.passages, self.questions) if path and not path.exists())


@dataclass(frozen=True, slots=True)
class _Written:
    """A set as the file has it."""

    name: str
    questions: str
    documents: str = ""
    passages: str = ""
    corpus: str = ""
    language: str = ""
    tags: tuple[str, ...] = ()


def read_sets(path: Path) -> tuple[DeclaredSet, ...]:
    """Return the sets that a TOML file declares, or all such files of a folder in the order of their names.

    Sets whose paths do not exist are among them. Raises `SourceError` for a file that cannot be read or does not
    declare sets, and where two sets have one name.
    """
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    found = [one for file in files for one in _declared(file)]
    if not found:
        raise SourceError(f"{path} declares no sets", hint="[[set]] with name, questions, and documents or passages")
    names = [one.name for one in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SourceError(f"two sets have the same name: {twice[0]}", ids=tuple(twice))
    return tuple(found)


def _declared(file: Path) -> Iterator[DeclaredSet]:
    try:
        told = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise SourceError(f"{file}: {error}") from error
    for table in told.get("set", ()):
        yield _set(file, table)


def _set(file: Path, table: dict[str, Any]) -> DeclaredSet:
    unknown = sorted(table.keys() - {one.name for one in fields(_Written)})
    if unknown:
        raise SourceError(f"{file}: a set has no {unknown[0]!r}", ids=tuple(unknown))
    try:
        one = codec.convert(table, _Written)
    except codec.DecodeError as error:
        raise SourceError(f"{file}: {error}") from error
    if not one.name or "/" in one.name or bool(one.documents) == bool(one.passages):
        raise SourceError(f"{file}: a set has a name without '/', and either documents or passages", ids=(one.name,))
    documents, passages = (file.parent / path if path else None for path in (one.documents, one.passages))
    return DeclaredSet(one.name, file.parent / one.questions, documents, passages, one.corpus, one.language, one.tags)


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
