"""Options shared by several commands, and their conversion to settings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.core.errors import SettingsError

if TYPE_CHECKING:
    from pipelines.store.embedded_store import EmbeddedStore
    from pipelines.store.folder import KnowledgeBaseFolder
    from qa.settings import QaSettings

DEFAULT_KB = Path("kb")

Kb = Annotated[Path, typer.Option("--kb", envvar="STRATA_KB", help="The knowledge base, a folder.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting, such as chunk.max_tokens=300.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the value as JSON.")]
EmbedderName = Annotated[
    str | None, typer.Option("--embedder", help="wordllama, e5, fastembed, openai or your own as module:Class.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress display.")]


def settings_from(kb: Path | None, pairs: list[str] | None, **options: object) -> QaSettings:
    """Return the settings in force.

    `pairs` are NAME=VALUE; `options` are values by path, with `__` for the dot, and None for options that are not
    given.
    """
    from pipelines.settings import load
    from qa.settings import QaSettings

    chosen = pairs_to_options(pairs)
    chosen |= {name.replace("__", "."): value for name, value in options.items() if value is not None}
    return load(kb, chosen, QaSettings).settings


def one_place(words: Sequence[str]) -> str:
    """Return the folder or source that was given. Raises `SettingsError` for several words, which were one path."""
    if len(words) > 1:
        path = " ".join(words)
        hint = f'a path with spaces needs quotes: "{path}"' if Path(path).exists() else "give one folder or source"
        raise SettingsError(f"unexpected argument {words[1]}", hint=hint)
    return words[0]


def folder_at(kb: Path) -> KnowledgeBaseFolder:
    """Return the folder of the knowledge base at `kb`.

    Raises `KnowledgeBaseNotFound`, and `SettingsError` for links out of it that the user has not allowed.
    """
    from pipelines.core.errors import KnowledgeBaseNotFound
    from pipelines.store.folder import KnowledgeBaseFolder
    from pipelines.trust import refuse_links

    folder = KnowledgeBaseFolder(kb)
    if not folder.exists:
        raise KnowledgeBaseNotFound(str(kb))
    refuse_links(kb)
    return folder


@contextmanager
def store_at(kb: Path) -> Iterator[EmbeddedStore]:
    """Open graph and catalog of the knowledge base at `kb`. Raises the errors of `folder_at`."""
    from pipelines.store.embedded_store import EmbeddedStore

    with closing(EmbeddedStore.open(folder_at(kb).database, create=False)) as store:
        yield store


def pairs_to_options(pairs: list[str] | None) -> dict[str, object]:
    """Return NAME=VALUE pairs as values by path; a value that is not JSON is a string."""
    return dict(_pair(pair) for pair in pairs or [])


def _pair(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise SettingsError(f"--set {text}: not of the form NAME=VALUE")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value
