"""The server as a process. The only module that imports `uvicorn`."""

from __future__ import annotations

import uvicorn

from serve.app import create_app
from serve.services import Services
from serve.settings import ServeSettings


def run(settings: ServeSettings, services: Services) -> None:
    """Serve until interrupted.

    No request is logged: a question may be in its address, and no key may ever be. Raises `SettingsError`; where the
    port is taken, uvicorn says so and ends the process with 1.
    """
    uvicorn.run(
        create_app(settings, services),
        host=settings.host,
        port=settings.port,
        access_log=False,
        server_header=False,
        log_level="warning",
        timeout_graceful_shutdown=5,
    )
