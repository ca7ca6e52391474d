"""The server as a process. The only module that imports `uvicorn`."""

from __future__ import annotations

import uvicorn

from serve.app import create_app, open_services
from serve.settings import ServeSettings


def run(settings: ServeSettings) -> None:
    """Serve until interrupted.

    No request is logged: a question may be in its address, and no key may ever be. Raises `SettingsError` and what
    `KnowledgeBase.open` does; where the port is taken, uvicorn says so and ends the process with 1.
    """
    settings.check()
    with open_services(settings) as services:
        app = create_app(settings, services)
        uvicorn.run(
            app,
            host=settings.host,
            port=settings.port,
            access_log=False,
            server_header=False,
            log_level="warning",
            timeout_graceful_shutdown=5,
        )
