"""Asynchronous work: many pieces at once, bounded in number and with their order kept; or waited for by other code."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


async def gather(work: Callable[[In], Awaitable[Out]], inputs: Iterable[In], limit: int) -> list[Out]:
    """Return `work` of each input, in the order of the inputs, at most `limit` at a time.

    The first error ends the rest and is raised as it is.
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
    """Return what a coroutine returns, run to its end: in a thread of its own where this one has a running loop."""
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
