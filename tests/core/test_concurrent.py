from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from pipelines.core.concurrent import gather, run_to_end


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


async def test_a_coroutine_runs_to_its_end_where_a_loop_runs() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 7

    assert run_to_end(work) == 7


async def test_an_interrupt_cancels_what_runs_in_the_other_thread() -> None:
    cancelled = threading.Event()

    async def work() -> None:
        try:
            signal.pthread_kill(main, signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    main = threading.get_ident()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            run_to_end(work)
    finally:
        signal.signal(signal.SIGINT, before)
    # The interrupt may come before the thread is known to its executor, which then does not wait for its end.
    assert cancelled.wait(60)


async def test_a_coroutine_that_is_cancelled_before_it_starts_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Callable[..., object], ...]] = []
    done: list[str] = []

    async def work() -> None:
        done.append("run")

    def interrupted(threads: ThreadPoolExecutor, *call: Callable[..., object]) -> None:
        calls.append(call)
        raise KeyboardInterrupt

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_to_end(work)
    monkeypatch.undo()
    with ThreadPoolExecutor(1) as threads, pytest.raises(asyncio.CancelledError):
        threads.submit(*calls[0]).result()
    assert done == []
