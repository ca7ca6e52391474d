"""The openai library's exceptions as ours: one table, the most specific class first in line wins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import openai

from pipelines.core.errors import CallFailed, CallTimedOut, RateLimited, SettingsError, StrataError

TABLE: dict[type[Exception], type[StrataError]] = {
    openai.RateLimitError: RateLimited,
    openai.APITimeoutError: CallTimedOut,
    openai.APIConnectionError: CallTimedOut,
    openai.InternalServerError: CallTimedOut,
    openai.ConflictError: CallTimedOut,
    openai.APIResponseValidationError: CallTimedOut,
    openai.OAuthError: CallFailed,
    openai.AuthenticationError: CallFailed,
    openai.PermissionDeniedError: CallFailed,
    openai.NotFoundError: CallFailed,
    openai.BadRequestError: CallFailed,
    openai.UnprocessableEntityError: CallFailed,
    openai.APIStatusError: CallFailed,
    openai.APIError: CallFailed,
    openai.ContentFilterFinishReasonError: CallFailed,
    openai.LengthFinishReasonError: CallFailed,
    openai.InvalidWebhookSignatureError: CallFailed,
    openai.WebSocketConnectionClosedError: CallTimedOut,
    openai.WebSocketQueueFullError: CallFailed,
    openai.OpenAIError: CallFailed,
}
"""A broken body (`APIResponseValidationError`) is a fault on the way: asking again helps."""

_HINTS: dict[type[Exception], str] = {
    openai.AuthenticationError: "check OPENAI_API_KEY",
    openai.PermissionDeniedError: "check what the key may do",
    openai.NotFoundError: "check [llm] model and base_url",
    openai.APIConnectionError: "check [llm] base_url, and that the endpoint runs",
}
NO_KEY = "none"
"""Local endpoints want no key, the client insists on one."""

_REDIRECTED = "nothing was sent there; if it is right, name it as base_url"
_OUT_OF_MONEY = "insufficient_quota"
_REQUEST_TIMEOUT, _UNAVAILABLE = 408, 503


@contextmanager
def translated(keep: type[Exception] | tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Raise what the openai library raises inside as one of ours, the cause chained; `keep` passes as it is."""
    try:
        yield
    except keep:
        raise
    except (openai.OpenAIError, openai.InvalidWebhookSignatureError) as error:
        raise translate(error) from error
    except ValueError as error:  # a body that is no JSON, in a reply that says it is
        raise CallTimedOut(f"the endpoint's reply is broken: {error}") from error


@contextmanager
def constructing() -> Iterator[None]:
    """Raise what a client's constructor raises, which is about its key or URL, as `SettingsError`."""
    try:
        yield
    except openai.OpenAIError as error:
        raise SettingsError("the endpoint needs a key", hint="set OPENAI_API_KEY") from error


def translate(error: Exception) -> StrataError:
    """Return our error for one of the openai library's; what the table lacks is terminal."""
    ours = next((TABLE[cls] for cls in type(error).__mro__ if cls in TABLE), CallFailed)
    hint = next((_HINTS[cls] for cls in type(error).__mro__ if cls in _HINTS), "")
    message = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, openai.APIStatusError):
        if error.response.is_redirect:
            return CallFailed(f"the endpoint redirects to {error.response.headers['location']!r}", hint=_REDIRECTED)
        wait = retry_after(error)
        busy = error.status_code == _UNAVAILABLE and wait is not None
        if (ours is RateLimited and error.code != _OUT_OF_MONEY) or busy:
            return RateLimited(message, retry_after=wait)
        if error.code == _OUT_OF_MONEY:
            return CallFailed(message, hint="the account has no money left")
        if error.status_code == _REQUEST_TIMEOUT:
            return CallTimedOut(message)
    return ours(message, hint=hint) if ours is not RateLimited else RateLimited(message)


def retry_after(error: openai.APIStatusError) -> float | None:
    """Return the seconds that the endpoint asks to wait, from `retry-after-ms` or `Retry-After` in either form."""
    headers = error.response.headers
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * scale)
        except (KeyError, ValueError):
            continue
    try:
        until = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, (until - datetime.now(UTC)).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None
