"""`strata graph`: export, pages, Neo4j, neighbourhoods and paths, unresolved references and merges."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, Set, settings_from, store_at
from flows.cli.stdio import plain_output, say
from pipelines.core.graph import GraphFormat

if TYPE_CHECKING:
    from pipelines.store.explore import PathStep
    from pipelines.store.graph import GraphStore

app = typer.Typer(help="Export, view and query the graph, and copy it to Neo4j.", no_args_is_help=True)


Out = Annotated[Path | None, typer.Option("--out", "-o", help="The file to write; without it, standard output.")]


@app.command()
def export(
    kb: Kb = DEFAULT_KB,
    format: Annotated[GraphFormat, typer.Option("--format", "-f", help="The export format.")] = GraphFormat.JSONL,
    out: Out = None,
) -> None:
    """Export the graph in a stable order: equal graphs give equal files."""
    from pipelines.store.export import export as write

    with _graph(kb) as graph:
        if out is None:
            write(graph, format, plain_output())
        else:
            with out.open("w", encoding="utf-8", newline="\n") as file:
                write(graph, format, file)


@app.command()
def html(
    out: Annotated[Path, typer.Argument(help="The page to write.")] = Path("graph.html"),
    kb: Kb = DEFAULT_KB,
) -> None:
    """Write one self-contained page that draws the graph by layers."""
    from pipelines.graph.views import write_page

    with _graph(kb) as graph, out.open("w", encoding="utf-8") as file:
        shown = write_page(graph, kb.resolve().name, file)
    say(f"{out}: {shown.nodes} nodes and {shown.edges} edges")


@app.command()
def sync(
    kb: Kb = DEFAULT_KB,
    back: Annotated[bool, typer.Option("--back", help="Copy from Neo4j to the embedded store instead.")] = False,
    set: Set = None,
) -> None:
    """Copy this knowledge base's graph to Neo4j, at the address in `store.neo4j_...` (or NEO4J_URI, ...).

    Also copies it to a graph store of your own (`store.graph = "module:Class"`).
    """
    from pipelines.resources import open_graph
    from pipelines.store.graph import sync as bring_up

    settings, failed = settings_from(kb, set), False
    for name in settings.store.graph_copies or ("neo4j",):
        with _graph(kb) as embedded, open_graph(name, settings, kb) as copy:
            done = bring_up(copy, embedded) if back else bring_up(embedded, copy)
        counts = f"{done.written} parts written, {done.removed} removed, {done.unchanged} unchanged"
        say(f"{counts}: one for each document, and one for what they share")
        for failure in done.failures:
            say(f"failed: {failure.subject}: {failure.reason}", err=True)
        failed |= bool(done.failures)
    raise typer.Exit(8 if failed else 0)


@app.command()
def unresolved(kb: Kb = DEFAULT_KB, json: Json = False) -> None:
    """List references to documents that are not in the knowledge base."""
    from flows.cli.printing import print_rows
    from pipelines.graph.views import unresolved as listing

    with _graph(kb) as graph:
        found = listing(graph)
    rows = [(one.wanted, one.reason, one.kind, one.uri, str(one.page or "")) for one in found]
    print_rows(("target", "reason", "kind", "referenced in", "page"), rows, found, json)


@app.command()
def merges(kb: Kb = DEFAULT_KB, json: Json = False) -> None:
    """List the merged entities and the rule of each merge; `graph.keep_apart` undoes a merge."""
    from flows.cli.printing import print_rows
    from pipelines.graph.views import merges as listing

    with _graph(kb) as graph:
        found = listing(graph)
    print_rows(("entity", "also called"), [(one.name, one.merged) for one in found], found, json)


@app.command()
def around(
    node: Annotated[str, typer.Argument(help="The id of a node, or its name, title or URI.")],
    hops: Annotated[int, typer.Option("--hops", min=1, help="Maximum distance in edges.")] = 1,
    kb: Kb = DEFAULT_KB,
    json: Json = False,
) -> None:
    """List the neighbourhood of a node, nearest first."""
    from flows.cli.printing import print_rows
    from pipelines.store.explore import find_node, neighbourhood, node_name

    with _graph(kb) as graph:
        found = neighbourhood(graph, find_node(graph, node).id, hops)
    rows = [
        (str(one.hops), one.edge.kind.value if one.edge else "", one.node.kind.value, node_name(one.node), one.node.id)
        for one in found
    ]
    print_rows(("hops", "edge", "kind", "name", "id"), rows, found, json)


@app.command()
def path(
    start: Annotated[str, typer.Argument(help="The id of a node, or its name, title or URI.")],
    end: Annotated[str, typer.Argument(help="The id, name, title or URI of the other node.")],
    hops: Annotated[int, typer.Option("--hops", min=1, help="Maximum length of the path in edges.")] = 6,
    kb: Kb = DEFAULT_KB,
    json: Json = False,
) -> None:
    """Show a shortest path between two nodes, ignoring the direction of edges; exit code 4 if there is none."""
    from flows.cli.printing import print_rows
    from pipelines.core.errors import NotFound
    from pipelines.store.explore import find_node, node_name, shortest_path

    with _graph(kb) as graph:
        first, last = find_node(graph, start), find_node(graph, end)
        steps = shortest_path(graph, first.id, last.id, hops)
    if steps is None:
        raise NotFound(f"no path of at most {hops} edges between {start} and {end}", ids=(first.id, last.id))
    rows = [("", first.kind.value, node_name(first), first.id)]
    rows += [(_arrow(step), step.node.kind.value, node_name(step.node), step.node.id) for step in steps]
    print_rows(("edge", "kind", "name", "id"), rows, steps, json)


@app.command()
def queries(
    name: Annotated[str, typer.Argument(help="One query; without a name, all.")] = "",
    kb: Kb = DEFAULT_KB,
    value: Annotated[list[str] | None, typer.Option("--value", metavar="NAME=VALUE", help="A parameter.")] = None,
) -> None:
    """Print the saved queries for Neo4j Browser; missing parameters are filled with examples from the graph."""
    from pipelines.graph.views import examples
    from pipelines.store.folder import KnowledgeBaseFolder
    from pipelines.store.neo4j.browser import saved_queries, saved_query

    values: dict[str, str] = {}
    if KnowledgeBaseFolder(kb).exists:
        with _graph(kb) as graph:
            values = examples(graph)
    values |= dict(pair.partition("=")[::2] for pair in value or [])
    chosen = [saved_query(name)] if name else list(saved_queries().values())
    say("\n\n".join(one.for_browser(kb.resolve().name, **values) for one in chosen))


@app.command()
def browse(
    kb: Kb = DEFAULT_KB,
    query: Annotated[str, typer.Option("--query", help="The saved query that is filled in.")] = "references",
    open_it: Annotated[bool, typer.Option("--open/--no-open", help="Open it in a web browser.")] = True,
    port: Annotated[int, typer.Option("--port", help="The port of the page; 0 selects a free one.")] = 0,
    set: Set = None,
) -> None:
    """Open the graph in Neo4j Browser, with Strata's style and saved queries; Control+C stops it.

    The knowledge base must be in that Neo4j: `store.neo4j_uri` at the ingest, or `strata graph sync`.
    """
    import webbrowser

    from pipelines.core.errors import SettingsError
    from pipelines.graph.views import examples
    from pipelines.store.neo4j.browser import BrowserServer, browser_link, favorites, saved_queries, saved_query

    store = settings_from(kb, set).store
    if not store.neo4j_uri:
        hint = "`make up` starts one, `make browse` opens it; or set NEO4J_URI"
        raise SettingsError("no Neo4j is configured", hint=hint)
    with _graph(kb) as graph:
        values = examples(graph)
    name = kb.resolve().name
    with BrowserServer(store.browser, favorites(list(saved_queries().values()), name, values), port) as server:
        cypher = saved_query(query).inlined(name, **values)
        has_password = bool(store.neo4j_password.get_secret_value())
        address = browser_link(server.page, store.neo4j_uri, store.neo4j_user, cypher, has_password)
        say(address)
        if has_password:
            say(f"log in as {store.neo4j_user}; `make env` prints the password that `make up` has set", err=True)
        say("saved queries are under the star at the left; Control+C to stop", err=True)
        if open_it:
            webbrowser.open(address)
        server.serve_forever()


def _arrow(step: PathStep) -> str:
    kind = step.edge.kind.value
    return f"-{kind}->" if step.forward else f"<-{kind}-"


@contextmanager
def _graph(kb: Path) -> Iterator[GraphStore]:
    with store_at(kb) as store:
        yield store.graph
