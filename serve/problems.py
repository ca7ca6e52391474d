"""Error replies and the request queue.

Errors are problem details (RFC 9457): the library's message and hint, a status, and never a traceback.
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
    """Too many requests are waiting."""

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
"""HTTP statuses by error class; the first matching class applies."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem reply. `retryable` says whether a retry can help, `hint` what else can be done."""

    status: int
    title: str
    detail: str
    hint: str = ""
    retryable: bool = False
    type: str = "about:blank"


_PROBLEM: dict[str, object] = {
    "description": "description of the error",
    "content": {MEDIA_TYPE: {"schema": TypeAdapter(Problem).json_schema()}},
}
RESPONSES: dict[int | str, dict[str, object]] = {"4XX": _PROBLEM, "5XX": _PROBLEM}
"""Error responses of every route, for the description of the API."""


def problem_of(error: StrataError | None) -> Problem:
    """Return an error as a problem; None is an unexpected error, whose details are not disclosed."""
    if error is None:
        return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal server error; see the server's log")
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    return Problem(status.value, status.phrase, error.message, error.hint, error.retryable)


def problem(status: int, detail: str, hint: str = "") -> Problem:
    """Return a problem with this status."""
    return Problem(status, HTTPStatus(status).phrase, detail, hint)


class RequestQueue:
    """Admits `at_once` requests at a time; up to `waiting` more wait in order of arrival."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._at_once, self._most = at_once, at_once + waiting
        self._here = 0
        self._semaphore: anyio.Semaphore | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold a turn in the block. Raises `Busy` immediately if too many requests wait."""
        if self._here >= self._most:
            raise Busy("too many requests are waiting", hint="try again later")
        if self._semaphore is None:
            self._semaphore = anyio.Semaphore(self._at_once)
        self._here += 1
        try:
            async with self._semaphore:
                yield
        finally:
            self._here -= 1
