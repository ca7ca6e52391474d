"""The openai library's exceptions as ours: one table, the most specific class first in line wins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

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

_WORDS: dict[type[Exception], str] = {
    openai.AuthenticationError: "the endpoint refuses the key",
    openai.PermissionDeniedError: "the endpoint does not allow this to the key",
    openai.NotFoundError: "the endpoint has no such address or model",
    openai.BadRequestError: "the endpoint refuses the request",
    openai.UnprocessableEntityError: "the endpoint refuses the request",
    openai.RateLimitError: "the endpoint asks to wait",
    openai.InternalServerError: "the endpoint failed",
    openai.APITimeoutError: "the endpoint did not reply in time",
    openai.APIConnectionError: "the endpoint cannot be reached",
    openai.APIResponseValidationError: "the endpoint's reply is broken",
}
_HINTS: dict[type[Exception], str] = {
    openai.AuthenticationError: "check OPENAI_API_KEY",
    openai.PermissionDeniedError: "check what the key may do",
    openai.NotFoundError: "check [llm] model and base_url",
    openai.APITimeoutError: "[llm] timeout is how long a reply may take",
    openai.APIConnectionError: "check [llm] base_url, and that the endpoint runs",
}
_REDIRECTED = "nothing was sent there; if it is right, name it as base_url"
_NOT_OPENAI = "is base_url that of an OpenAI-compatible API? It mostly ends with /v1"
_LONGEST = 200
"""Characters of an endpoint's own words that a message has."""
NO_KEY = "none"
"""Local endpoints want no key, the client insists on one."""

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
        raise no_completion(f"the endpoint's reply is broken: {str(error)[:_LONGEST]}") from error


@contextmanager
def constructing() -> Iterator[None]:
    """Raise what a client's constructor raises, which is about its key or URL, as `SettingsError`."""
    try:
        yield
    except openai.OpenAIError as error:
        raise SettingsError("the endpoint needs a key", hint="set OPENAI_API_KEY") from error


def address(url: str) -> str | None:
    """Return a base URL as it is, None for the library's own. Raises `SettingsError` for what is no such address."""
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if url and not sound:
        raise SettingsError(f"{url} is no address of an endpoint", hint="base_url is like http://localhost:11434/v1")
    return url or None


def translate(error: Exception) -> StrataError:
    """Return our error for one of the openai library's; what the table lacks is terminal."""
    ours = next((TABLE[cls] for cls in type(error).__mro__ if cls in TABLE), CallFailed)
    hint = next((_HINTS[cls] for cls in type(error).__mro__ if cls in _HINTS), "")
    message = _message(error)
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


def _message(error: Exception) -> str:
    """What happened, with the status and the endpoint's own words where it has any worth telling."""
    words = next((_WORDS[cls] for cls in type(error).__mro__ if cls in _WORDS), "the call failed")
    status = f" (HTTP {error.status_code})" if isinstance(error, openai.APIStatusError) else ""
    told = _told(error)
    return f"{words}{status}{f': {told}' if told else ''}"


def _told(error: Exception) -> str:
    """The endpoint's own words on one line; of a page that is no JSON, nothing."""
    if isinstance(error, openai.APIStatusError):
        body = error.body
        told = body.get("message") if isinstance(body, dict) else None
        if told is None and isinstance(body, dict) and isinstance(body.get("error"), dict | str):
            told = body["error"].get("message") if isinstance(body["error"], dict) else body["error"]
        told = str(told or "")
    elif isinstance(error, openai.APITimeoutError):
        told = ""
    elif isinstance(error, openai.APIConnectionError):
        told = str(error.__cause__ or "")
    else:
        told = str(error)
    line = " ".join(told.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def no_completion(what: str) -> CallTimedOut:
    """Return the error of a reply that came and is not that of an OpenAI-compatible API."""
    return CallTimedOut(what, hint=_NOT_OPENAI)


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
