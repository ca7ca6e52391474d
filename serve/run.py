"""The server as a process. The only module that imports `uvicorn`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import uvicorn

from serve.app import create_app
from serve.services import Services
from serve.settings import ServeSettings


def run(settings: ServeSettings, services: Services, ready: Callable[[str], None]) -> None:
    """Serve until interrupted.

    No request is logged: a question may be in its address, and no key may ever be. Raises `SettingsError`; where the
    port is taken, uvicorn says so and ends the process with 1.

    Args:
        settings: the server's settings; of port 0 the system chooses a free one.
        services: what the routes answer from.
        ready: is told the server's address once it can be asked.
    """
    config = uvicorn.Config(
        create_app(settings, services),
        host=settings.host,
        port=settings.port,
        access_log=False,
        server_header=False,
        log_level="warning",
        timeout_graceful_shutdown=5,
    )
    with config.bind_socket() as listening:
        listening.listen(config.backlog)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{host}:{listening.getsockname()[1]}/")
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])
