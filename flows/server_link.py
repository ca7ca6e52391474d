"""Requests of a run to the Prefect server, which may be lost: the loss is detected, reported once, and not waited for.

Prefect itself retries each event for ten seconds and each request for six, at the end of the process without limit.
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
LOST = "Prefect's server was lost; the run continues without it"
ASK_SECONDS = 5.0
"""Time-out of a request, after which the server's availability is checked."""
RECONNECTIONS = 3
"""Reconnection attempts of Prefect's event client without a delay; a fourth would wait a second."""
SEND_SECONDS = 5.0
"""Time-out for sending Prefect's pending events and logs at the end of the flow."""
SERVER_TROUBLE = (httpx.HTTPError, ConcurrencySlotAcquisitionError)
"""Errors that Prefect raises if the server does not answer or answers incorrectly."""


class ServerLink:
    """The state of the connection to the server; `tell` is called once with `LOST`."""

    def __init__(self, tell: Progress) -> None:
        self._tell = tell
        self.is_lost = False

    def lose(self) -> None:
        """Record that the server does not answer, and disable Prefect's retries."""
        if not self.is_lost:
            self.is_lost = True
            get_current_settings().client.max_retries = 0
            self._tell(Event(Stage.FLOW, Phase.FAILED, detail=LOST))

    async def ask(self, call: Callable[[], Awaitable[T]]) -> T | None:
        """Return the result of a request to the server, None if it fails or the server is lost."""
        await self.check()
        if self.is_lost:
            return None
        try:
            async with asyncio.timeout(ASK_SECONDS):
                return await call()
        except (httpx.HTTPError, TimeoutError):  # the server may have rejected it, or this process was too busy
            await self.check()
        return None

    async def check(self) -> None:
        """Check whether the server answers."""
        if not self.is_lost and not await asyncio.to_thread(answers, str(PREFECT_API_URL.value())):
            self.lose()

    @asynccontextmanager
    async def holding(self, limit: str) -> AsyncIterator[None]:
        """Hold one slot of a concurrency limit on the server, while the server is available.

        There is one slot for the whole phase: a server with SQLite rejects a request for a slot while it writes, and
        Prefect's client retries two seconds later.
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
        """Let Prefect report the run in the block while the server is available; at the end, send what is pending."""
        if not emit_events_to_cloud():
            EventsWorker.set_client_override(PrefectEventsClient, reconnection_attempts=RECONNECTIONS)
        client = get_current_settings().client
        retries, printed = client.max_retries, logging.raiseExceptions
        logging.raiseExceptions = False  # otherwise Prefect prints records that it cannot send
        try:
            yield
        finally:
            _send()
            EventsWorker.set_client_override(None)
            client.max_retries, logging.raiseExceptions = retries, printed


def _send() -> None:
    """Send Prefect's pending events and logs."""
    for worker in (EventsWorker, APILogWorker):
        logging.getLogger(worker.__name__).setLevel(logging.ERROR)  # it logs the number of pending items
        worker.drain_all(timeout=SEND_SECONDS)
