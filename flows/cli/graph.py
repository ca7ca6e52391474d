"""`strata graph`: the graph as files, as a page, in Neo4j; what stays unresolved and what was merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, Set, places_at, settings_from
from flows.cli.stdio import plain_output, say

if TYPE_CHECKING:
    from pipelines.store.graph import GraphStore

app = typer.Typer(help="The graph: export, a page to look at, Neo4j.", no_args_is_help=True)


class GraphFormat(StrEnum):
    """See `pipelines.store.export`."""

    JSONL = "jsonl"
    GRAPHML = "graphml"
    CYPHER = "cypher"


Out = Annotated[Path | None, typer.Option("--out", "-o", help="The file to write; without it, standard output.")]


@app.command()
def export(
    kb: Kb = DEFAULT_KB,
    format: Annotated[GraphFormat, typer.Option("--format", "-f", help="The form of the text.")] = GraphFormat.JSONL,
    out: Out = None,
) -> None:
    """Write the graph in a stable order: equal graphs give equal files."""
    from pipelines.store import export as exports

    with _graph(kb) as graph:
        if out is None:
            exports.export(graph, exports.Format(format), plain_output())
        else:
            with out.open("w", encoding="utf-8", newline="\n") as file:
                exports.export(graph, exports.Format(format), file)


@app.command()
def html(
    out: Annotated[Path, typer.Argument(help="The page to write.")] = Path("graph.html"),
    kb: Kb = DEFAULT_KB,
) -> None:
    """Write one self-contained page that draws the graph by layers."""
    from pipelines.graph.html import write_page

    with _graph(kb) as graph, out.open("w", encoding="utf-8") as file:
        shown = write_page(graph, kb.resolve().name, file)
    say(f"{out}: {shown.nodes} nodes and {shown.edges} edges")


@app.command()
def sync(
    kb: Kb = DEFAULT_KB,
    back: Annotated[bool, typer.Option("--back", help="From Neo4j to the embedded store.")] = False,
    set: Set = None,
) -> None:
    """Bring Neo4j up to this knowledge base; the settings `store.neo4j_...` (or NEO4J_URI, ...) say where it is."""
    from pipelines.resources import open_neo4j
    from pipelines.store.sync import sync as bring_up

    with _graph(kb) as embedded, open_neo4j(settings_from(kb, set), kb) as neo4j:
        done = bring_up(neo4j, embedded) if back else bring_up(embedded, neo4j)
    say(f"{done.written} documents written, {done.removed} removed, {done.unchanged} unchanged")
    for failure in done.failures:
        say(f"failed: {failure.subject}: {failure.reason}", err=True)
    raise typer.Exit(8 if done.failures else 0)


@app.command()
def unresolved(kb: Kb = DEFAULT_KB, json: Json = False) -> None:
    """List what documents refer to and the knowledge base does not hold."""
    from flows.cli.printing import print_json
    from pipelines.graph.listing import unresolved as listing

    with _graph(kb) as graph:
        found = listing(graph)
    if json:
        print_json(found)
        return
    rows = [(one.wanted, one.reason, one.kind, one.uri, str(one.page or "")) for one in found]
    _print_rows(("wanted", "why not found", "kind", "referred to in", "page"), rows)


@app.command()
def merges(kb: Kb = DEFAULT_KB, json: Json = False) -> None:
    """List the entities that were merged, and by which rule; `graph.keep_apart` undoes a merge."""
    from flows.cli.printing import print_json
    from pipelines.graph.listing import merges as listing

    with _graph(kb) as graph:
        found = listing(graph)
    if json:
        print_json(found)
    else:
        _print_rows(("entity", "also called"), [(one.name, one.merged) for one in found])


@app.command()
def queries(
    name: Annotated[str, typer.Argument(help="One query; all without it.")] = "",
    kb: Kb = DEFAULT_KB,
    value: Annotated[list[str] | None, typer.Option("--value", metavar="NAME=VALUE", help="A parameter.")] = None,
) -> None:
    """Print the saved queries for Neo4j Browser, their parameters set: to what the graph holds where none is given."""
    from pipelines.graph.examples import examples
    from pipelines.resources import exists
    from pipelines.store.neo4j import queries as saved

    values: dict[str, str] = {}
    if exists(kb):
        with _graph(kb) as graph:
            values = examples(graph)
    values |= dict(pair.partition("=")[::2] for pair in value or [])
    chosen = [saved.query(name)] if name else list(saved.queries().values())
    say("\n\n".join(one.for_browser(kb.resolve().name, **values) for one in chosen))


def _print_rows(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from flows.cli.console import TextTable, console

    table = TextTable(*columns)
    for row in rows:
        table.row(*row)
    console().print(table)


@contextmanager
def _graph(kb: Path) -> Iterator[GraphStore]:
    from pipelines.store.embedded import EmbeddedStore

    with closing(EmbeddedStore.open(places_at(kb).database, create=False)) as store:
        yield store.graph
