"""Routes that read: each request sees a knowledge base as it was at one moment, while an ingest writes it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from fastapi.routing import APIRoute

from pipelines.core.errors import ArtifactUnreadable
from serve.services import Services


def reading_route(services: Services) -> type[APIRoute]:
    """Return the class of routes that read the knowledge base `kb` in the thread that they are given.

    Where an ingest has meanwhile removed what the moment's catalog names, the request is answered as of now.
    """

    def reading(endpoint: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(endpoint)
        def read(**named: Any) -> Any:
            stores = services.base(named["kb"]).knowledge.stores
            try:
                with stores.embedded.snapshot():
                    return endpoint(**named)
            except ArtifactUnreadable:
                with stores.embedded.snapshot():
                    return endpoint(**named)

        return read

    class ReadingRoute(APIRoute):
        def __init__(self, path: str, endpoint: Callable[..., Any], **told: Any) -> None:
            super().__init__(path, reading(endpoint), **told)

    return ReadingRoute
