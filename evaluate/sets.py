"""The sets of `strata eval matrix`: documents or passages with questions about them, declared in TOML files.

    [[set]]
    name = "handbook-de"
    corpus = "handbook"              # sets of one corpus are held out together; without it, the name
    language = "de"
    documents = "handbook/de"        # a folder; or passages = "corpus.jsonl"
    questions = "handbook/de.jsonl"
    tags = ["handbook"]

Paths are relative to the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pipelines.core import codec
from pipelines.core.errors import SourceError


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
