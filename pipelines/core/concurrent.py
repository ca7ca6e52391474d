"""Running coroutines: many concurrently with a limit and ordered results, or one from synchronous code."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

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
    """Run a coroutine and return its result; if this thread has a running event loop, in another thread."""
    if not _loop_runs():
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(copy_context().run, lambda: asyncio.run(work())).result()


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
