"""The routes below /api that change something, for admins only: ingest jobs, uploads, feedback and corrections.

An upload is written atomically below the folder of the documents.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import anyio
from fastapi import APIRouter, Request
from fastapi import Path as PathParameter
from fastapi.responses import StreamingResponse

from pipelines.core.errors import NotFound, SourceError, TooLarge
from pipelines.core.ids import part_name, path_of
from pipelines.ingest.feedback import Feedback
from pipelines.ingest.verdicts import Verdict
from serve import corrections
from serve.api import Count, Id, Kb, Offset
from serve.asking import event
from serve.corrections import FeedbackRequest, VerdictRequest
from serve.jobs import IngestJob, JobState, JobView
from serve.services import Services
from serve.views import ListPart, list_part

_PAUSE_S = 0.2
"""Minimum seconds between two events of a job: a folder of small files causes hundreds per second."""
Uri = Annotated[str, PathParameter(max_length=2000, description="path below the folder of the documents")]


@dataclass(frozen=True, slots=True)
class Uploaded:
    """An uploaded file; the next ingest reads it."""

    uri: str
    size: int
    replaced: bool


def changes_router(services: Services) -> APIRouter:
    """Return the routes; each raises `NotAllowed` unless the caller is an admin and the server allows changes."""
    router = APIRouter(prefix="/api/kb/{kb}", tags=["changes"])
    _add_ingest(router, services)
    _add_feedback(router, services)
    _add_verdicts(router, services)

    @router.put("/files/{path:path}", status_code=201)
    async def put_file(kb: Kb, path: Uri, request: Request) -> Uploaded:
        """Upload a file, as the request body, for the next ingest; an existing file is replaced."""
        target = services.changing(kb)
        place = place_for(target.folder, path)
        replaced = place.exists()
        most = min(target.base.settings.ingest.max_file_mb, services.limits.upload_mb)
        return Uploaded(path, await write(place, request.stream(), most), replaced)

    return router


def _add_ingest(router: APIRouter, services: Services) -> None:
    @router.post("/ingest", status_code=202)
    def start_ingest(kb: Kb) -> JobView:
        """Start an ingest of the folder; `ingest/events` reports its progress."""
        target = services.changing(kb)
        place = target.base.knowledge.stores.folder.root
        return target.jobs.start(kb, target.folder, place, target.by).view

    @router.get("/ingest")
    def get_ingest(kb: Kb) -> JobView:
        """Get the running ingest, or the last one that this server started."""
        return _job(services, kb).view

    @router.delete("/ingest")
    def stop_ingest(kb: Kb) -> JobView:
        """Interrupt the ingest: finished work is kept, and the next one continues."""
        job = _job(services, kb)
        job.stop()
        return job.view

    @router.get("/ingest/events", response_class=StreamingResponse)
    async def follow_ingest(kb: Kb) -> StreamingResponse:
        """Follow the ingest as server-sent events `job`, until it has ended."""
        events = _events(_job(services, kb))
        return StreamingResponse(events, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


def _add_feedback(router: APIRouter, services: Services) -> None:
    @router.post("/feedback", status_code=201)
    def give_feedback(kb: Kb, said: FeedbackRequest) -> Feedback:
        """Rate an answer as right or wrong; from the next ingest on, the question of a right one finds its sources."""
        target = services.changing(kb)
        return corrections.give_feedback(target.base, said, target.by)

    @router.get("/feedback")
    def list_feedback(kb: Kb, offset: Offset = 0, limit: Count = 50) -> ListPart[Feedback]:
        """List the feedback on answers, the latest first."""
        return list_part(corrections.all_feedback(services.changing(kb).base), offset, limit)

    @router.delete("/feedback/{id}")
    def withdraw_feedback(kb: Kb, id: Id) -> Feedback:
        """Withdraw feedback; the next ingest undoes its effect."""
        return corrections.withdraw_feedback(services.changing(kb).base, id)


def _add_verdicts(router: APIRouter, services: Services) -> None:
    @router.post("/verdicts", status_code=201)
    def say_verdict(kb: Kb, said: VerdictRequest) -> Verdict:
        """Merge, separate or split entities, rename a tag, mark an atom as wrong; the next ingest applies it."""
        target = services.changing(kb)
        return corrections.give_verdict(target.base, said, target.by)

    @router.get("/verdicts")
    def list_verdicts(kb: Kb, offset: Offset = 0, limit: Count = 50) -> ListPart[Verdict]:
        """List the corrections of the graph, the latest first."""
        return list_part(corrections.all_verdicts(services.changing(kb).base), offset, limit)

    @router.delete("/verdicts/{id}")
    def undo_verdict(kb: Kb, id: Id) -> Verdict:
        """Withdraw a correction; the next ingest undoes it."""
        return corrections.withdraw_verdict(services.changing(kb).base, id)


def _job(services: Services, kb: str) -> IngestJob:
    job = services.changing(kb).jobs.last(kb)
    if job is None:
        raise NotFound("this server has started no ingest", hint="POST ingest starts one; GET runs lists past ones")
    return job


async def _events(job: IngestJob) -> AsyncIterator[bytes]:
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def listener(view: JobView) -> None:
        loop.call_soon_threadsafe(changed.set)

    job.listen(listener)
    try:
        while True:
            await changed.wait()
            changed.clear()
            view = job.view
            yield event("job", view)
            if view.state is not JobState.RUNNING:
                return
            await asyncio.sleep(_PAUSE_S)
    finally:
        job.leave(listener)


_MEBIBYTE = 1 << 20
LEFT_FREE = 1 << 30
"""Bytes of disk space that uploads leave free, so that the knowledge base can still be written."""


def place_for(folder: Path, uri: str) -> Path:
    """Return the path of a file by its URI. Raises `SourceError` for a hidden, invalid or outside path."""
    if not uri or part_name(uri) != uri or any(part.startswith(".") for part in uri.split("/")):
        raise SourceError("this file name is not allowed", ids=(uri,), hint="use a plain path without hidden parts")
    place = folder / path_of(uri)
    if not _nearest_there(place.parent).resolve().is_relative_to(folder.resolve()):
        raise SourceError("this name leads out of the folder", ids=(uri,))
    if place.is_dir():
        raise SourceError("there is a folder with this name", ids=(uri,))
    return place


async def write(place: Path, body: AsyncIterator[bytes], largest_mb: int) -> int:
    """Write a request body to `place` atomically, replacing an existing file, and return its size in bytes.

    Raises `TooLarge`, and `SourceError` if the file cannot be written.
    """
    beside = place.with_name(f".strata-{secrets.token_hex(8)}")
    size = 0
    try:
        await anyio.Path(place.parent).mkdir(parents=True, exist_ok=True)
        async with await anyio.open_file(beside, "xb") as file:
            async for part in body:
                size += len(part)
                if size > largest_mb * _MEBIBYTE:
                    raise TooLarge(f"more than {largest_mb} MiB were sent")
                await file.write(part)
        _refuse_full(place)
        os.replace(beside, place)
    except OSError as error:
        raise SourceError(f"the file cannot be written: {error.strerror}", ids=(place.name,)) from error
    finally:
        await anyio.Path(beside).unlink(missing_ok=True)
    return size


def _refuse_full(place: Path) -> None:
    state = os.statvfs(place.parent) if hasattr(os, "statvfs") else None
    if state is not None and state.f_bavail * state.f_frsize < LEFT_FREE:
        raise SourceError("the disk is nearly full: uploads are disabled")


def _nearest_there(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path
