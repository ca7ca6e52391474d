"""`strata serve` and `strata mcp`: knowledge bases in the browser, over HTTP, and for agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import DEFAULT_KB
from flows.cli.stdio import say

Bases = Annotated[
    list[Path] | None, typer.Option("--kb", envvar="STRATA_KB", help="A knowledge base; may be repeated.")
]
Folders = Annotated[
    list[Path] | None,
    typer.Option("--folder", help="The folder of its documents, for drawing their pages; one per --kb."),
]


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)
    app.command("mcp")(mcp)


def serve(
    kb: Bases = None,
    folder: Folders = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; other than loopback requires a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on.")] = 8420,
    key_file: Annotated[
        Path | None,
        typer.Option(
            "--key-file", help="A file whose first line is the key, or a .toml file of keys with roles and folders."
        ),
    ] = None,
    asks: Annotated[int, typer.Option(min=1, max=64, help="How many questions are answered at a time.")] = 1,
    allow_changes: Annotated[
        bool, typer.Option("--allow-changes", help="Let admins upload files to --folder and ingest them.")
    ] = False,
) -> None:
    """Serve knowledge bases: an explorer in the browser, and an HTTP API below /api.

    The server is accessible from this machine only, unless --host and --key-file are given, and read-only without
    --allow-changes.
    """
    from serve.access import read_keys
    from serve.app import open_services, run
    from serve.settings import RequestLimits, ServeSettings

    settings = ServeSettings(
        tuple(kb or (DEFAULT_KB,)),
        tuple(folder or ()),
        host,
        port,
        read_keys(key_file),
        allow_changes,
        RequestLimits(asks=asks),
    )
    settings.check()
    with open_services(settings) as services:
        run(settings, services, lambda address: say(f"{address} (Control+C to stop)", err=True))


def mcp(
    kb: Bases = None,
    asks: Annotated[int, typer.Option(min=1, max=64, help="How many questions are answered at a time.")] = 1,
) -> None:
    """Serve knowledge bases to an agent over standard input and output (Model Context Protocol; extra `mcp`).

    Tools: search, ask, read_section, list_documents, neighbours. Knowledge bases are read-only.
    """
    from serve.app import open_services
    from serve.mcp_server import run_stdio
    from serve.settings import RequestLimits, ServeSettings

    with open_services(ServeSettings(tuple(kb or (DEFAULT_KB,)), limits=RequestLimits(asks=asks))) as services:
        run_stdio(services)
