"""Many pieces of asynchronous work at once, in bounded number and with their order kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TypeVar

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
