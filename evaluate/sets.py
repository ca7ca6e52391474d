"""Sets of questions about documents or passages, declared in TOML; knowledge bases of passages."""

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
"""HTML, where all titles and texts can be escaped; in Markdown, some would be parsed differently."""


@dataclass(frozen=True, slots=True)
class DeclaredSet:
    """Questions with the documents or passages that they are about. `language` is that of the questions."""

    name: str
    questions: Path
    documents: Path | None = None
    passages: Path | None = None
    corpus: str = ""
    language: str = ""
    tags: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The corpus, or the name of a set without one: the unit that is held out in fitting."""
        return self.corpus or self.name

    @property
    def missing(self) -> tuple[Path, ...]:
        """The paths that do not exist."""
        return tuple(path for path in (self.documents, self.passages, self.questions) if path and not path.exists())


@dataclass(frozen=True, slots=True)
class _Written:
    """A set as written in the file."""

    name: str
    questions: str
    documents: str = ""
    passages: str = ""
    corpus: str = ""
    language: str = ""
    tags: tuple[str, ...] = ()


def read_sets(path: Path) -> tuple[DeclaredSet, ...]:
    """Return the sets declared in a TOML file, or in all TOML files of a folder, sorted by name.

    Sets with missing paths are included. Raises `SourceError` for a file that cannot be read or declares no sets, and
    for duplicate names.
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
        declared = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise SourceError(f"{file}: {error}") from error
    for table in declared.get("set", ()):
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
    """Yield a retriever over `passages`, each ingested as a separate document, without a language model.

    The knowledge base is created or updated at `kb`; without `kb` it is temporary. Raises `StoreMismatch` if `kb` has
    other documents, `DocumentsFailed`.
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
    """Create or update the knowledge base of `passages` at `kb`, `distilled` by the settings' model or without one.

    Raises the errors of `open_passages`.
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
    """Return the settings for ingesting a benchmark: all files, without a language model and without Neo4j.

    The endpoint and key of the embedder are kept.
    """
    everything = settings.ingest.model_copy(update={"include": ("**/*",), "exclude": ()})
    embed = settings.embed.at_endpoint_of(settings.llm)
    store = settings.store.model_copy(update={"graph": "embedded", "neo4j_uri": ""})
    changed = {"ingest": everything, "embed": embed, "llm": LlmSettings(), "store": store}
    return settings.model_copy(update=changed)


def _refuse_others(pages: dict[str, str], settings: Settings, kb: Path) -> None:
    """Raise `StoreMismatch` if the knowledge base has other documents, which an ingest would remove."""
    with open_stores(kb, settings) as stores:
        others = tuple(entry.uri for entry in stores.catalog.entries() if entry.uri not in pages)
    if others:
        raise StoreMismatch(f"the knowledge base at {kb} is of another corpus", ids=others[:1], hint="choose another")
