"""`strata doctor`: what Strata needs, checked one by one, with what to do about what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, Set, settings_from
from pipelines.core.errors import SettingsError

if TYPE_CHECKING:
    from flows.doctor.surroundings import Result
    from qa.settings import QaSettings

_STYLES = {"ok": "green", "warning": "yellow", "failed": "red"}


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(kb: Kb = DEFAULT_KB, json: Json = False, set: Set = None) -> None:
    """Check what Strata needs: packages, disk, knowledge base, endpoint and key, embedder, OCR, Neo4j, Prefect.

    One line each: ok, warning or failed, and what to do. Nothing is sent to what is not configured; a configured
    endpoint gets one call of a few tokens. The exit code is 1 where something failed.
    """
    from flows.cli.printing import print_json
    from flows.doctor.surroundings import Grade

    results = []
    for result in _results(kb, set):
        results.append(result)
        if not json:
            _print(result)
    if json:
        print_json(results)
    raise typer.Exit(1 if any(result.grade is Grade.FAILED for result in results) else 0)


def _results(kb: Path, pairs: list[str] | None) -> Iterator[Result]:
    """The settings first: where they are wrong the rest is tried with the defaults."""
    from flows.doctor.examine import examine
    from flows.doctor.surroundings import Grade, Result, Subject

    try:
        settings = settings_from(kb, pairs)
        yield Result("settings", Grade.OK, _origin(kb))
    except SettingsError as error:
        yield Result("settings", Grade.FAILED, error.message, error.hint)
        settings = _defaults()
    yield from examine(Subject(kb, settings))


def _origin(kb: Path) -> str:
    from pipelines.store.folder import KnowledgeBaseFolder

    file = KnowledgeBaseFolder(kb).settings
    return f"{file} and the environment" if file.is_file() else "the environment; no strata.toml"


def _defaults() -> QaSettings:
    from qa.settings import QaSettings

    return QaSettings()


def _print(result: Result) -> None:
    from flows.cli.printing import console, line

    hint = f" ({result.hint})" if result.hint else ""
    told = line(
        (f"{result.grade.value:<8}", _STYLES[result.grade.value]), f"{result.name}: {result.text}", (hint, "dim")
    )
    console().print(told, soft_wrap=True)
