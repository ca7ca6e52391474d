"""Maintenance of a knowledge base: `status`, `diff`, `forget`, `fsck`, `reindex` and `doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, EmbedderName, Json, Kb, Quiet, Set, one_place, settings_from
from flows.cli.stdio import say
from pipelines.core.errors import SettingsError

if TYPE_CHECKING:
    from flows.doctor_checks import Result
    from qa.settings import QaSettings

_STYLES = {"ok": "green", "warning": "yellow", "failed": "red"}


def register(app: typer.Typer) -> None:
    for command in (status, diff, forget, fsck, reindex, doctor):
        app.command(command.__name__)(command)


def status(
    kb: Kb = DEFAULT_KB,
    all: Annotated[bool, typer.Option("--all", help="List all documents, not only those with a problem.")] = False,
    json: Json = False,
    set: Set = None,
) -> None:
    """Print the status of every file: indexed, skipped with the reason, or failed with the error."""
    from flows.cli.printing import print_value
    from flows.cli.reports import print_status
    from pipelines.resources import open_stores
    from pipelines.store.facts import AGAIN, state

    with open_stores(kb, settings_from(kb, set)) as stores:
        entries, there = stores.catalog.entries(), state(stores.catalog)
    print_value(entries, json, lambda found: print_status(found, all))
    if there.begun and not there.finished and not json:
        say(f"an ingest is running or was stopped; in the latter case {AGAIN}")


def diff(
    folder: Annotated[list[str], typer.Argument(metavar="FOLDER", help="The folder of documents, or another source.")],
    kb: Kb = DEFAULT_KB,
    json: Json = False,
    quiet: Quiet = False,
    set: Set = None,
) -> None:
    """Print what an ingest would add, change and remove: documents, and nodes and edges by kind."""
    from flows.cli.live_ingest import live_progress
    from flows.cli.printing import print_value
    from flows.cli.reports import print_difference
    from pipelines.ingest.dry_run import diff as compare

    with live_progress(quiet or json) as progress:
        difference = compare(one_place(folder), kb, settings_from(kb, set), progress)
    print_value(difference, json, print_difference)


def forget(
    document: Annotated[str, typer.Argument(help="The document's path in its folder, or its id.")],
    kb: Kb = DEFAULT_KB,
    keep_cache: Annotated[bool, typer.Option("--keep-cache", help="Keep cached replies about it.")] = False,
    json: Json = False,
    set: Set = None,
) -> None:
    """Erase every trace of a document from graph, vectors, artifacts and caches."""
    from flows.cli.printing import print_json
    from pipelines.ingest.erase import forget as remove

    forgotten = remove(document, kb, settings_from(kb, set), keep_cache)
    if json:
        print_json(forgotten)
        return
    for uri in forgotten.uris:
        say(f"forgotten: {uri}")
    say(f"removed {forgotten.artifacts} artifacts and {forgotten.replies} cached replies")
    if not forgotten.complete:
        say("the knowledge base is being read: its log could not be truncated; the next ingest does that")
    say("ingesting a folder that still contains the file adds it again")


def fsck(
    kb: Kb = DEFAULT_KB,
    repair: Annotated[bool, typer.Option("--repair", help="Repair what is inconsistent.")] = False,
    read_data: Annotated[bool, typer.Option("--read-data", help="Read all artifacts instead of a sample.")] = False,
    json: Json = False,
    set: Set = None,
) -> None:
    """Check that catalog, graph, vectors and artifacts are complete and consistent; exit code 9 if they are not."""
    from flows.cli.printing import print_value
    from flows.cli.reports import print_findings
    from pipelines.ingest.fsck import fsck as check

    checked = check(kb, settings_from(kb, set), repair, read_data)
    print_value(checked, json, print_findings)
    raise typer.Exit(0 if checked.clean else 9)


def reindex(
    kb: Kb = DEFAULT_KB,
    embedder: EmbedderName = "wordllama",
    drop_old: Annotated[bool, typer.Option("--drop-old", help="Remove the vectors of other embedders.")] = False,
    json: Json = False,
    set: Set = None,
) -> None:
    """Embed with another model beside the present vectors, compare, and switch; no language model is called."""
    from flows.cli.printing import print_value
    from flows.cli.reports import print_reindexed
    from pipelines.ingest.reindex import reindex as embed_anew

    reindexed = embed_anew(kb, settings_from(kb, set, embed__name=embedder), drop_old)
    print_value(reindexed, json, print_reindexed)


def doctor(kb: Kb = DEFAULT_KB, json: Json = False, set: Set = None) -> None:
    """Check what Strata needs: packages, disk, knowledge base, endpoint and key, embedder, OCR, Neo4j, Prefect.

    Prints one line per check: ok, warning or failed, and what to do. Only configured services are contacted; a
    configured endpoint gets one call of a few tokens. The exit code is 1 if a check failed.
    """
    from flows.cli.printing import print_json
    from flows.doctor_checks import Grade

    results = []
    for result in _results(kb, set):
        results.append(result)
        if not json:
            _print(result)
    if json:
        print_json(results)
    raise typer.Exit(1 if any(result.grade is Grade.FAILED for result in results) else 0)


def _results(kb: Path, pairs: list[str] | None) -> Iterator[Result]:
    """Yield the result for the settings first; if they are wrong, the other checks use the defaults."""
    from flows.doctor import examine
    from flows.doctor_checks import Grade, Result, Subject

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
    text = line(
        (f"{result.grade.value:<8}", _STYLES[result.grade.value]), f"{result.name}: {result.text}", (hint, "dim")
    )
    console().print(text, soft_wrap=True)
