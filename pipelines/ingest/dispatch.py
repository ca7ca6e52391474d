"""Documents dispatched to worker processes, some ahead of time, and what passes between them and the event loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from threading import Lock

from pipelines.core.work.job import Job, JobContext, JobListener, JobResult, Pool
from pipelines.ingest.report import Stage
from pipelines.ingest.stages import compile_document
from pipelines.ingest.task import DocumentTask, SourceItem, WorkerSetup
from pipelines.ingest.worker_requests import answer
from pipelines.llm.chat import Chat
from pipelines.llm.embedder import Embedder

OnNote = Callable[[bytes], None]
"""What is done about a note (a packed `StageEvent`) of a job."""
DocumentJob = Callable[[JobContext, DocumentTask], bytes]


class LoopListener(JobListener):
    """Passes the notes and questions of a job on to an event loop; they are kept until there is one."""

    def __init__(self, chat: Chat | None, embedder: Embedder) -> None:
        self._chat = chat
        self._embedder = embedder
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: list[Callable[[], None]] = []
        self._replying: set[asyncio.Future[None]] = set()
        self._on_note: OnNote = _ignore

    def open(self, on_note: OnNote) -> None:
        """Pass on to the running loop from now on, what has been kept first."""
        with self._lock:
            self._loop, self._on_note = asyncio.get_running_loop(), on_note
            waiting, self._waiting = self._waiting, []
            for one in waiting:
                self._loop.call_soon(one)

    def told(self, note: bytes) -> None:
        self._soon(lambda: self._on_note(note))

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


def _ignore(note: bytes) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class StartedJob:
    """A job that is running or waits for a process, and the listener that its notes go to."""

    future: Future[JobResult]
    listener: LoopListener

    async def ended(self, on_note: OnNote) -> JobResult:
        """Return how the job ended, after `on_note` was called with each of its notes, in their order.

        Raises what `on_note` raises, once the job has ended.
        """
        faults: list[Exception] = []

        def heard(note: bytes) -> None:
            try:
                on_note(note)
            except Exception as error:
                faults.append(error)

        self.listener.open(heard)
        ended = await asyncio.wrap_future(self.future)
        if faults:
            raise faults[0]
        return ended


class Dispatcher:
    """Sends the documents of a run to worker processes, the first of them before they are asked for.

    `setup` is what documents are compiled with from now on. `pool` has the processes for work that takes the
    processor, `model_pool` those for work that waits for a model most of the time; `chat` and `embedder` answer what
    a worker asks its parent.
    """

    def __init__(self, setup: WorkerSetup, pool: Pool, model_pool: Pool, chat: Chat | None, embedder: Embedder) -> None:
        self.setup = setup
        self._pool = pool
        self._model_pool = model_pool
        self._chat = chat
        self._embedder = embedder
        self._prefetched: dict[str, tuple[DocumentTask, StartedJob]] = {}

    def task(self, item: SourceItem, upto: Stage = Stage.PARSE) -> DocumentTask:
        """Return the first task of an item."""
        placed = replace(item, path=item.path.absolute()) if item.path else item
        return DocumentTask(placed, self.setup, upto)

    def prefetch(self, item: SourceItem, upto: Stage) -> None:
        """Start on a document that will be asked for soon; `compile` then takes up the job that runs."""
        task = self.task(item, upto)
        self._prefetched[task.source.document_id] = (task, self._start(compile_document, task))

    async def compile(self, task: DocumentTask, on_note: OnNote) -> JobResult:
        """Return how compiling a document ended, started ahead of time or now."""
        return await self.do(compile_document, task, on_note)

    async def do(self, function: DocumentJob, task: DocumentTask, on_note: OnNote = _ignore) -> JobResult:
        """Return how a job over a document ended; one that was started ahead of time is waited for first."""
        ahead = self._prefetched.pop(task.source.document_id, None)
        if ahead is not None:
            prefetched, job = ahead
            ended = await job.ended(on_note)
            if prefetched == task and function is compile_document:
                return ended
        return await self._start(function, task).ended(on_note)

    def side_by_side(
        self, function: Callable[..., bytes], calls: Sequence[tuple[object, ...]]
    ) -> list[Future[JobResult]]:
        """Have workers call a job's function, which asks nothing, with each of these arguments."""
        return [self._pool.submit(Job(function, arguments, ages=False), _as_it_is) for arguments in calls]

    def rest(self) -> None:
        """Give back the processes that wait for documents: there are no more for a while."""
        self._pool.rest()
        self._model_pool.rest()

    def _start(self, function: DocumentJob, task: DocumentTask) -> StartedJob:
        listener = LoopListener(self._chat, self._embedder)
        asks = task.setup.model is not None and task.after is not None
        pool = self._model_pool if asks else self._pool
        return StartedJob(pool.submit(Job(function, (task,), task.after is None), _as_it_is, listener), listener)


def _as_it_is(ended: JobResult) -> JobResult:
    return ended
