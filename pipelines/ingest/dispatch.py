"""Dispatches documents to worker processes, some ahead of time, and passes their messages to the event loop.

The stages are imported by the worker processes only: the main process just names the functions `preload` and
`compile_document`, whose imports would cost it about .4 processor seconds in each run.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from threading import Lock

from pipelines.core.work.job import Job, JobContext, JobListener, JobResult, Pool
from pipelines.ingest.report import Stage
from pipelines.ingest.task import DocumentTask, SourceItem, WorkerSetup
from pipelines.llm.chat import Chat
from pipelines.llm.embedder import Embedder

OnNote = Callable[[bytes], None]
"""The callback for a note of a job, which is a packed `StageEvent`."""
DocumentJob = Callable[[JobContext, DocumentTask], bytes]


def preload() -> None:
    """Import ahead of time what documents may need, in the process that forks the workers."""
    import pipelines.ingest.stages  # noqa: F401
    from pipelines.parse.parse import preload as preload_parsers
    from pipelines.store.artifact import compressed

    preload_parsers()
    compressed(b"")


def compile_document(job: JobContext, task: DocumentTask) -> bytes:
    """Compile a document and return a packed `Compiled`: the function of a job (`pipelines.ingest.stages`)."""
    from pipelines.ingest.stages import compiled_document

    return compiled_document(job, task)


class LoopListener(JobListener):
    """Passes the notes and questions of a job to an event loop; they are queued until `open` is called."""

    def __init__(self, chat: Chat | None, embedder: Embedder) -> None:
        self._chat = chat
        self._embedder = embedder
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._queued: list[Callable[[], None]] = []
        self._replies: set[asyncio.Future[None]] = set()
        self._on_note: OnNote = _ignore

    def open(self, on_note: OnNote) -> None:
        """Pass the queued and all further messages to the running event loop."""
        with self._lock:
            self._loop, self._on_note = asyncio.get_running_loop(), on_note
            queued, self._queued = self._queued, []
            for call in queued:
                self._loop.call_soon(call)

    def told(self, note: bytes) -> None:
        self._call_soon(lambda: self._on_note(note))

    def asked(self, question: bytes, answer: Callable[[bytes], None]) -> None:
        self._call_soon(lambda: self._start_reply(question, answer))

    def _call_soon(self, call: Callable[[], None]) -> None:
        with self._lock:
            if self._loop is None:
                self._queued.append(call)
                return
        with contextlib.suppress(RuntimeError):  # the loop is closed: the run and its jobs have ended
            self._loop.call_soon_threadsafe(call)

    def _start_reply(self, question: bytes, send: Callable[[bytes], None]) -> None:
        task = asyncio.ensure_future(self._reply(question, send))
        self._replies.add(task)
        task.add_done_callback(self._replies.discard)

    async def _reply(self, question: bytes, send: Callable[[bytes], None]) -> None:
        from pipelines.ingest.worker_requests import answer

        # In a thread, because sending blocks while the worker computes and does not read.
        await asyncio.to_thread(send, await answer(question, self._chat, self._embedder))


def _ignore(note: bytes) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class StartedJob:
    """A running or queued job, with the listener of its messages."""

    future: Future[JobResult]
    listener: LoopListener

    async def ended(self, on_note: OnNote) -> JobResult:
        """Wait for the job and return its result; `on_note` is called with each of its notes, in order.

        The first error that `on_note` raises is raised after the job has ended.
        """
        errors: list[Exception] = []

        def call(note: bytes) -> None:
            try:
                on_note(note)
            except Exception as error:
                errors.append(error)

        self.listener.open(call)
        ended = await asyncio.wrap_future(self.future)
        if errors:
            raise errors[0]
        return ended


class Dispatcher:
    """Sends the documents of a run to worker processes, the first ones ahead of time.

    `setup` is used for all documents dispatched from now on. `pool` has the processes for computation, `model_pool`
    those for work that mostly waits for a model. `chat` and `embedder` answer the questions of workers.
    """

    def __init__(self, setup: WorkerSetup, pool: Pool, model_pool: Pool, chat: Chat | None, embedder: Embedder) -> None:
        self.setup = setup
        self._pool = pool
        self._model_pool = model_pool
        self._chat = chat
        self._embedder = embedder
        self._prefetched: dict[str, tuple[DocumentJob, DocumentTask, StartedJob]] = {}

    def task(self, item: SourceItem, upto: Stage = Stage.PARSE) -> DocumentTask:
        """Return the first task of an item, with an absolute path."""
        placed = replace(item, path=item.path.absolute()) if item.path else item
        return DocumentTask(placed, self.setup, upto)

    def prefetch(self, item: SourceItem, upto: Stage) -> None:
        """Start compiling a document ahead of time; `compile` then waits for this job."""
        task = self.task(item, upto)
        self._prefetched[task.source.document_id] = (compile_document, task, self._start(compile_document, task))

    async def compile(self, task: DocumentTask, on_note: OnNote) -> JobResult:
        """Compile a document, unless that was started ahead of time, and return the result of the job."""
        return await self.run(compile_document, task, on_note)

    async def run(self, function: DocumentJob, task: DocumentTask, on_note: OnNote = _ignore) -> JobResult:
        """Run a job on a document and return its result; a job started ahead of time is waited for first."""
        started = self._prefetched.pop(task.source.document_id, None)
        if started is not None:
            *prefetched, job = started
            ended = await job.ended(on_note)
            if prefetched == [function, task]:
                return ended
        return await self._start(function, task).ended(on_note)

    def submit_all(
        self, function: Callable[..., bytes], calls: Sequence[tuple[object, ...]]
    ) -> list[Future[JobResult]]:
        """Run `function` in worker processes, once with each of these arguments. It must not ask its parent."""
        return [self._pool.submit(Job(function, arguments, ages=False), _unchanged) for arguments in calls]

    def rest(self) -> None:
        """Release the idle processes: no documents follow for a while."""
        self._pool.rest()
        self._model_pool.rest()

    def _start(self, function: DocumentJob, task: DocumentTask) -> StartedJob:
        listener = LoopListener(self._chat, self._embedder)
        asks = task.setup.model is not None and task.after is not None
        pool = self._model_pool if asks else self._pool
        return StartedJob(pool.submit(Job(function, (task,), task.after is None), _unchanged, listener), listener)


def _unchanged(ended: JobResult) -> JobResult:
    return ended
