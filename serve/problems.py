"""What a request is told that is not answered, and the queue in which it may wait.

Errors are problem details (RFC 9457): the library's sentence and hint, a status, and never a traceback.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus

import anyio
from pydantic import TypeAdapter

from pipelines.core.errors import (
    BudgetExceeded,
    LanguageError,
    MissingExtra,
    NotFound,
    SettingsError,
    SourceError,
    StoreError,
    StoreLocked,
    StoreUnavailable,
    StrataError,
    TooLarge,
)
from serve.access import NotAllowed
from serve.jobs import JobRunning


class Busy(StrataError):
    """As many questions wait for their turn as may."""

    retryable = True


MEDIA_TYPE = "application/problem+json"
_STATUSES: tuple[tuple[type[StrataError], HTTPStatus], ...] = (
    (NotAllowed, HTTPStatus.FORBIDDEN),
    (JobRunning, HTTPStatus.CONFLICT),
    (TooLarge, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (Busy, HTTPStatus.SERVICE_UNAVAILABLE),
    (NotFound, HTTPStatus.NOT_FOUND),
    (SettingsError, HTTPStatus.BAD_REQUEST),
    (SourceError, HTTPStatus.BAD_REQUEST),
    (MissingExtra, HTTPStatus.NOT_IMPLEMENTED),
    (StoreLocked, HTTPStatus.SERVICE_UNAVAILABLE),
    (StoreUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (BudgetExceeded, HTTPStatus.TOO_MANY_REQUESTS),
    (LanguageError, HTTPStatus.BAD_GATEWAY),
    (StoreError, HTTPStatus.INTERNAL_SERVER_ERROR),
)
"""The status of an error: that of the first class that it is of."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong. `retryable` says whether asking again can help, `hint` what else can be done."""

    status: int
    title: str
    detail: str
    hint: str = ""
    retryable: bool = False
    type: str = "about:blank"


_TOLD: dict[str, object] = {
    "description": "what went wrong",
    "content": {MEDIA_TYPE: {"schema": TypeAdapter(Problem).json_schema()}},
}
RESPONSES: dict[int | str, dict[str, object]] = {"4XX": _TOLD, "5XX": _TOLD}
"""How every route may fail, for the description of the API."""


def problem_of(error: StrataError | None) -> Problem:
    """Return an error as a problem; None for one that nobody raised on purpose, of which nothing is told."""
    if error is None:
        return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "something went wrong in the server; its log has more")
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    return Problem(status.value, status.phrase, error.message, error.hint, error.retryable)


def problem(status: int, detail: str, hint: str = "") -> Problem:
    """Return a problem of this status."""
    return Problem(status, HTTPStatus(status).phrase, detail, hint)


class RequestQueue:
    """Lets in `at_once` at a time; up to `waiting` more wait in the order in which they came."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._at_once, self._most = at_once, at_once + waiting
        self._here = 0
        self._semaphore: anyio.Semaphore | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold a turn inside. Raises `Busy` at once where too many wait."""
        if self._here >= self._most:
            raise Busy("too many questions wait for an answer", hint="ask again in a while")
        if self._semaphore is None:
            self._semaphore = anyio.Semaphore(self._at_once)
        self._here += 1
        try:
            async with self._semaphore:
                yield
        finally:
            self._here -= 1
