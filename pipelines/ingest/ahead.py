"""Workers that make documents, and what passes between them and the event loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock

from pipelines.core.work.job import Job, JobContext, JobListener, JobResult
from pipelines.core.work.pool import WorkerPool
from pipelines.ingest.asking import answer
from pipelines.ingest.stages import compile_document
from pipelines.ingest.task import Task
from pipelines.llm.chat import Chat
from pipelines.llm.embedder import Embedder

Hear = Callable[[bytes], None]


class Correspondence(JobListener):
    """Passes on what a job tells and asks to an event loop; it is kept until there is one."""

    def __init__(self, chat: Chat | None, embedder: Embedder) -> None:
        self._chat = chat
        self._embedder = embedder
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: list[Callable[[], None]] = []
        self._replying: set[asyncio.Future[None]] = set()
        self._hear: Hear = _deaf

    def open(self, hear: Hear) -> None:
        """Pass on to the running loop from now on, what has been kept first."""
        with self._lock:
            self._loop, self._hear = asyncio.get_running_loop(), hear
            waiting, self._waiting = self._waiting, []
            for one in waiting:
                self._loop.call_soon(one)

    def told(self, note: bytes) -> None:
        self._soon(lambda: self._hear(note))

    def asked(self, question: bytes, answer: Callable[[bytes], None]) -> None:
        self._soon(lambda: self._begin(question, answer))

    def _soon(self, call: Callable[[], None]) -> None:
        with self._lock:
            if self._loop is None:
                self._waiting.append(call)
                return
        with contextlib.suppress(RuntimeError):  # the loop is closed: the run has ended, and the job is ended with it
            self._loop.call_soon_threadsafe(call)

    def _begin(self, question: bytes, send: Callable[[bytes], None]) -> None:
        task = asyncio.ensure_future(self._reply(question, send))
        self._replying.add(task)
        task.add_done_callback(self._replying.discard)

    async def _reply(self, question: bytes, send: Callable[[bytes], None]) -> None:
        # Sent from a thread: a worker may be deep in something and not read for a while.
        await asyncio.to_thread(send, await answer(question, self._chat, self._embedder))


def _deaf(note: bytes) -> None:
    """Hear nothing."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A job at work, and who hears of it."""

    future: Future[JobResult]
    correspondence: Correspondence

    async def ended(self, hear: Hear) -> JobResult:
        """Return how the job ended; `hear` is given its notes, in their order and before that.

        Raises what `hear` raises, once the job has ended.
        """
        faults: list[Exception] = []

        def heard(note: bytes) -> None:
            try:
                hear(note)
            except Exception as error:
                faults.append(error)

        self.correspondence.open(heard)
        ended = await asyncio.wrap_future(self.future)
        if faults:
            raise faults[0]
        return ended


class Workers:
    """Those who make documents: `pool` what takes the processor, `speakers` what waits for a model most of the time."""

    def __init__(self, pool: WorkerPool, speakers: WorkerPool, chat: Chat | None, embedder: Embedder) -> None:
        self._pool = pool
        self._speakers = speakers
        self._chat = chat
        self._embedder = embedder
        self._ahead: dict[str, tuple[Task, Begun]] = {}

    def begin(self, task: Task) -> None:
        """Start on a document that will be asked for soon."""
        self._ahead[task.source.document_id] = (task, self._begin(compile_document, task))

    async def compile(self, task: Task, hear: Hear) -> JobResult:
        """Return how making a document ended, begun or new."""
        return await self._do(compile_document, task, hear)

    async def do(self, function: Callable[[JobContext, Task], bytes], task: Task, hear: Hear = _deaf) -> JobResult:
        """Return how another job over a document ended."""
        return await self._do(function, task, hear)

    async def _do(self, function: Callable[[JobContext, Task], bytes], task: Task, hear: Hear) -> JobResult:
        ahead = self._ahead.pop(task.source.document_id, None)
        if ahead is not None:
            begun, job = ahead
            ended = await job.ended(hear)
            if begun == task and function is compile_document:
                return ended
        return await self._begin(function, task).ended(hear)

    def _begin(self, function: Callable[[JobContext, Task], bytes], task: Task) -> Begun:
        correspondence = Correspondence(self._chat, self._embedder)
        speaks = task.means.model is not None and task.parsed
        pool = self._speakers if speaks else self._pool
        return Begun(pool.submit(Job(function, (task,)), _as_it_is, correspondence), correspondence)


def _as_it_is(ended: JobResult) -> JobResult:
    return ended
