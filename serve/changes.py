"""The routes below /api that change something: an ingest as a job, files sent to it. For admins alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import StreamingResponse

from pipelines.core.errors import NotFound
from pipelines.ingest.feedback import Feedback
from pipelines.ingest.verdicts import Verdict
from serve import feedback, uploads, verdicts
from serve.api import Count, Id, Kb, Offset
from serve.asking import event
from serve.jobs import Job, JobState, JobView
from serve.services import Services
from serve.verdicts import Said
from serve.views import Part, part

_PAUSE_S = 0.2
"""Seconds between two events of a job at least: a folder of small files tells hundreds in a second."""
Uri = Annotated[str, Path(max_length=2000, description="where it goes below the folder of the documents")]


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A file that was taken; the next ingest reads it."""

    uri: str
    size: int
    replaced: bool


def changes_router(services: Services) -> APIRouter:
    """Return the routes; each raises `NotAllowed` for anybody but an admin, and where the server changes nothing."""
    router = APIRouter(prefix="/api/kb/{kb}", tags=["changes"])
    _add_ingest(router, services)
    _add_feedback(router, services)
    _add_verdicts(router, services)

    @router.put("/files/{path:path}", status_code=201)
    async def put_file(kb: Kb, path: Uri, request: Request) -> Uploaded:
        """Take a file, the body as it is, for the next ingest; one of the same path is replaced."""
        target = services.changing(kb)
        place = uploads.place_for(target.folder, path)
        replaced = place.exists()
        most = min(target.base.settings.ingest.max_file_mb, services.limits.upload_mb)
        return Uploaded(path, await uploads.write(place, request.stream(), most), replaced)

    return router


def _add_ingest(router: APIRouter, services: Services) -> None:
    @router.post("/ingest", status_code=202)
    def start_ingest(kb: Kb) -> JobView:
        """Bring the knowledge base up to its folder; what goes on is told by `ingest/events`."""
        target = services.changing(kb)
        place = target.base.knowledge.stores.folder.root
        return target.jobs.start(kb, target.folder, place, target.by).view

    @router.get("/ingest")
    def get_ingest(kb: Kb) -> JobView:
        """Tell of the ingest that goes on, or of the last one that this server started."""
        return _job(services, kb).view

    @router.delete("/ingest")
    def stop_ingest(kb: Kb) -> JobView:
        """Interrupt the ingest: what is finished is kept, and the next one goes on from there."""
        job = _job(services, kb)
        job.stop()
        return job.view

    @router.get("/ingest/events", response_class=StreamingResponse)
    async def follow_ingest(kb: Kb) -> StreamingResponse:
        """Tell of the ingest as server-sent events `job`, until it has ended."""
        told = _events(_job(services, kb))
        return StreamingResponse(told, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


def _add_feedback(router: APIRouter, services: Services) -> None:
    @router.post("/feedback", status_code=201)
    def give_feedback(kb: Kb, said: feedback.Said) -> Feedback:
        """Say that an answer is right or wrong; from the next ingest on, a right one's question finds its sources."""
        target = services.changing(kb)
        return feedback.give(target.base, said, target.by)

    @router.get("/feedback")
    def list_feedback(kb: Kb, offset: Offset = 0, limit: Count = 50) -> Part[Feedback]:
        """List what was said of answers, the latest first."""
        return part(feedback.given(services.changing(kb).base), offset, limit)

    @router.delete("/feedback/{id}")
    def withdraw_feedback(kb: Kb, id: Id) -> Feedback:
        """Take feedback back; the next ingest undoes what it did."""
        return feedback.take_back(services.changing(kb).base, id)


def _add_verdicts(router: APIRouter, services: Services) -> None:
    @router.post("/verdicts", status_code=201)
    def say_verdict(kb: Kb, said: Said) -> Verdict:
        """Merge two entities or tell them apart, rename a tag, call an atom wrong; the next ingest does it."""
        target = services.changing(kb)
        return verdicts.say(target.base, said, target.by)

    @router.get("/verdicts")
    def list_verdicts(kb: Kb, offset: Offset = 0, limit: Count = 50) -> Part[Verdict]:
        """List what was said of the graph, the latest first."""
        return part(verdicts.said(services.changing(kb).base), offset, limit)

    @router.delete("/verdicts/{id}")
    def undo_verdict(kb: Kb, id: Id) -> Verdict:
        """Take a verdict back; the next ingest undoes it."""
        return verdicts.undo(services.changing(kb).base, id)


def _job(services: Services, kb: str) -> Job:
    job = services.changing(kb).jobs.last(kb)
    if job is None:
        raise NotFound("no ingest was started here", hint="POST ingest starts one; GET runs lists those before")
    return job


async def _events(job: Job) -> AsyncIterator[bytes]:
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
