from __future__ import annotations

import asyncio

import pytest

from pipelines.core.concurrent import gather


async def test_results_come_in_the_order_of_the_inputs() -> None:
    async def late(number: int) -> int:
        await asyncio.sleep((5 - number) / 1000)
        return number * number

    assert await gather(late, range(5), 3) == [0, 1, 4, 9, 16]
    assert await gather(late, [], 3) == []


async def test_no_more_than_the_limit_run_at_a_time() -> None:
    running, most = 0, 0

    async def work(_: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    await gather(work, range(50), 7)
    assert most == 7


async def test_the_first_error_ends_the_rest() -> None:
    done: list[int] = []

    async def work(number: int) -> None:
        if number == 3:
            raise KeyError(number)
        await asyncio.sleep(0.01 if number > 3 else 0)
        done.append(number)

    with pytest.raises(KeyError):
        await gather(work, range(100), 4)
    assert len(done) < 10
