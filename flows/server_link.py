"""What a run asks of Prefect's server, which may go away meanwhile: that is noticed, told once, and not waited for.

Prefect itself tries each event for ten seconds and each request for six, at the end of the process without limit.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TypeVar

import httpx
from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError, concurrency
from prefect.events.clients import PrefectEventsClient
from prefect.events.worker import EventsWorker, emit_events_to_cloud
from prefect.logging.handlers import APILogWorker
from prefect.settings import PREFECT_API_URL, get_current_settings

from flows.prefect_address import answers
from pipelines.ingest.report import Event, Phase, Progress, Stage

T = TypeVar("T")
LOST = "Prefect's server was lost; the run goes on without it"
ASK_SECONDS = 5.0
"""After which it is found out whether a server that does not reply to a request answers at all."""
RECONNECTIONS = 3
"""Tries that Prefect makes at once to reach a server that has gone, for each event; a fourth would wait a second."""
SEND_SECONDS = 5.0
"""To send what Prefect has not yet told its server when the flow has ended."""
SERVER_TROUBLE = (httpx.HTTPError, ConcurrencySlotAcquisitionError)
"""What Prefect raises for a server that does not answer, or not as it should."""


class ServerLink:
    """Whether the server still answers; `tell` is called once with `LOST`."""

    def __init__(self, tell: Progress) -> None:
        self._tell = tell
        self.is_lost = False

    def lose(self) -> None:
        """Note that the server does not answer, and have Prefect send each request once."""
        if not self.is_lost:
            self.is_lost = True
            get_current_settings().client.max_retries = 0
            self._tell(Event(Stage.FLOW, Phase.FAILED, detail=LOST))

    async def ask(self, call: Callable[[], Awaitable[T]]) -> T | None:
        """Return what a request to the server gives, None where it gives nothing or is lost."""
        await self.check()
        if self.is_lost:
            return None
        try:
            async with asyncio.timeout(ASK_SECONDS):
                return await call()
        except (httpx.HTTPError, TimeoutError):  # it may not take this, or this process may have had no time
            await self.check()
        return None

    async def check(self) -> None:
        """Find out whether the server answers at all."""
        if not self.is_lost and not await asyncio.to_thread(answers, str(PREFECT_API_URL.value())):
            self.lose()

    @asynccontextmanager
    async def holding(self, limit: str) -> AsyncIterator[None]:
        """Hold one slot of a limit on the server, for as long as there is a server.

        One slot for a whole phase: where the server keeps its runs in SQLite, a slot that is asked for while it writes
        is refused, and Prefect's client asks again two seconds later.
        """
        slot = AsyncExitStack()
        if not self.is_lost:
            with contextlib.suppress(*SERVER_TROUBLE):
                await slot.enter_async_context(concurrency(limit))
        try:
            yield
        finally:
            await self.check()
            with contextlib.suppress(*SERVER_TROUBLE):
                await slot.aclose()

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Within the block Prefect tells of the run as long as there is a server; at its end what is left is sent."""
        if not emit_events_to_cloud():
            EventsWorker.set_client_override(PrefectEventsClient, reconnection_attempts=RECONNECTIONS)
        client = get_current_settings().client
        retries, printed = client.max_retries, logging.raiseExceptions
        logging.raiseExceptions = False  # Prefect prints what no server takes
        try:
            yield
        finally:
            _send()
            EventsWorker.set_client_override(None)
            client.max_retries, logging.raiseExceptions = retries, printed


def _send() -> None:
    """Send what Prefect has not yet told its server."""
    for worker in (EventsWorker, APILogWorker):
        logging.getLogger(worker.__name__).setLevel(logging.ERROR)  # it counts aloud what is left to send
        worker.drain_all(timeout=SEND_SECONDS)
