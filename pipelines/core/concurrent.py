"""Running coroutines: many concurrently with a limit and ordered results, or one from synchronous code."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from typing import Any, Generic, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


async def gather(work: Callable[[In], Awaitable[Out]], inputs: Iterable[In], limit: int) -> list[Out]:
    """Return the results of `work` for `inputs`, in the same order, with at most `limit` running at a time.

    The first exception cancels the others and is re-raised.
    """
    queue: Iterator[tuple[int, In]] = iter(enumerate(inputs))
    results: dict[int, Out] = {}

    async def worker() -> None:
        for index, item in queue:
            results[index] = await work(item)

    workers = [asyncio.create_task(worker()) for _ in range(limit)]
    try:
        await asyncio.gather(*workers)
    except BaseException:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        raise
    return [results[index] for index in sorted(results)]


def run_to_end(work: Callable[[], Coroutine[Any, Any, Out]]) -> Out:
    """Run a coroutine and return its result; if this thread has a running event loop, as in a notebook, in another one.

    An interrupt of this thread cancels the coroutine.
    """
    if not _loop_runs():
        return asyncio.run(work())
    apart = _Apart(work)
    with ThreadPoolExecutor(1) as threads:
        try:
            return threads.submit(copy_context().run, apart.run).result()
        except BaseException:
            apart.cancel()
            raise


class _Apart(Generic[Out]):
    """A coroutine that another thread runs, and this one can cancel at any time."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, Out]]) -> None:
        self._work = work
        self._started: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None] | None = None
        self._is_cancelled = False

    def run(self) -> Out:
        return asyncio.run(self._noted())

    async def _noted(self) -> Out:
        self._started = asyncio.get_running_loop(), asyncio.current_task()
        if self._is_cancelled:  # before it was started
            raise asyncio.CancelledError
        return await self._work()

    def cancel(self) -> None:
        """Cancel the coroutine, if it runs or will run."""
        self._is_cancelled = True
        loop, task = self._started or (None, None)
        if loop is not None and task is not None:
            with suppress(RuntimeError):  # its loop is closed: it has ended
                loop.call_soon_threadsafe(task.cancel)


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
