"""The services shared by routes and tools, and the class of read-only routes.

A read-only route sees a consistent snapshot of a knowledge base while an ingest writes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastapi.routing import APIRoute

from pipelines.core.errors import ArtifactUnreadable
from pipelines.parse.image import drawable
from pipelines.parse.office.printed import PRINTABLE
from serve import documents
from serve.access import NotAllowed, Role, current, require_admin
from serve.asking import Asking
from serve.jobs import Jobs, JobState
from serve.library import Library, OpenBase
from serve.pictures import PagePictures
from serve.printed import PrintedPages
from serve.settings import RequestLimits
from serve.views import DocumentView


@dataclass(frozen=True, slots=True)
class ChangeTarget:
    """A knowledge base to be changed, and the name of the caller."""

    base: OpenBase
    jobs: Jobs
    by: str

    @property
    def folder(self) -> Path:
        """The folder of its documents. Raises `NotAllowed` if the server does not know it."""
        if self.base.folder is None:
            raise NotAllowed("the server does not know the folder of the documents", hint="set it by --folder")
        return self.base.folder


@dataclass(frozen=True, slots=True)
class Services:
    """A server's knowledge bases, and the services for drawing pages, answering questions and, optionally, ingests."""

    library: Library
    pictures: PagePictures
    printed: PrintedPages
    asking: Asking
    limits: RequestLimits
    jobs: Jobs | None = None

    def base(self, name: str) -> OpenBase:
        """Return a knowledge base by name, restricted to what the caller may see. Raises `NotFound`, `NotAllowed`."""
        return self.library.named(name, current().scope)

    def bases(self) -> tuple[OpenBase, ...]:
        """Return all knowledge bases, restricted to what the caller may see. Raises `NotAllowed`."""
        return tuple(map(self.base, self.library.names()))

    def changing(self, name: str) -> ChangeTarget:
        """Return a knowledge base to be changed. Raises `NotFound`, and `NotAllowed` if changes are not allowed."""
        access, base = require_admin(), self.base(name)
        if self.jobs is None:
            raise NotAllowed("this server is read-only", hint="start it by `strata serve --allow-changes`")
        return ChangeTarget(base, self.jobs, access.name)

    def may_change(self, name: str) -> bool:
        """Whether the caller may change a knowledge base. Raises `NotFound`."""
        self.base(name)
        return self.jobs is not None and current().role is Role.ADMIN

    def is_ingesting(self, name: str) -> bool:
        """Whether an ingest that this server started is running."""
        job = self.jobs.last(name) if self.jobs is not None else None
        return job is not None and job.view.state is JobState.RUNNING

    def document(self, base: OpenBase, id: str, limit: int) -> DocumentView:
        """Return a document with up to `limit` items of each list. Raises `NotFound`."""
        entry = base.entry(id)
        pages = self.pictures.pages(base, id, entry, base.document(entry))
        view = documents.document_view(base, id, pages, limit)
        if drawable(entry.media_type) or entry.media_type not in PRINTABLE:
            return view
        reason = self.printed.missing(base, entry)
        return replace(view, printed="" if reason else f"documents/{id}/printed", not_printed=reason)


def reading_route(services: Services) -> type[APIRoute]:
    """Return the class of routes that read the knowledge base `kb` in a snapshot.

    If an ingest has removed an artifact that the snapshot refers to, the request is repeated with a new snapshot.
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
