"""Translation of the openai library's exceptions into ours, by a table; the most specific class applies."""

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
"""A broken body (`APIResponseValidationError`) is a transmission error, so it is retryable."""

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
_REDIRECTED = "nothing was sent there; if it is correct, set it as base_url"
_NOT_OPENAI = "is base_url the address of an OpenAI-compatible API? It usually ends with /v1"
_LONGEST = 200
"""Maximum characters of an endpoint's own message that we quote."""
NO_KEY = "none"
"""Local endpoints need no key, but the client requires one."""

_OUT_OF_MONEY = "insufficient_quota"
_REQUEST_TIMEOUT, _UNAVAILABLE = 408, 503


@contextmanager
def translated(keep: type[Exception] | tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Raise errors of the openai library in the block as ours, with their cause; `keep` passes unchanged."""
    try:
        yield
    except keep:
        raise
    except (openai.OpenAIError, openai.InvalidWebhookSignatureError) as error:
        raise translate(error) from error
    except ValueError as error:  # a body that is not JSON, although the reply declares it
        raise no_completion(f"the endpoint's reply is broken: {str(error)[:_LONGEST]}") from error


@contextmanager
def constructing() -> Iterator[None]:
    """Raise errors of a client's constructor, which concern its key or URL, as `SettingsError`."""
    try:
        yield
    except openai.OpenAIError as error:
        raise SettingsError("the endpoint needs a key", hint="set OPENAI_API_KEY") from error


def address(url: str) -> str | None:
    """Return a base URL unchanged, None for the library's default. Raises `SettingsError` for an invalid one."""
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if url and not sound:
        raise SettingsError(f"{url} is no address of an endpoint", hint="base_url is like http://localhost:11434/v1")
    return url or None


def translate(error: Exception) -> StrataError:
    """Return our error for one of the openai library's; classes that the table lacks are not retryable."""
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
    """Return a description of the error, with the status and the endpoint's own message, if any."""
    words = next((_WORDS[cls] for cls in type(error).__mro__ if cls in _WORDS), "the call failed")
    status = f" (HTTP {error.status_code})" if isinstance(error, openai.APIStatusError) else ""
    detail = _endpoint_message(error)
    return f"{words}{status}{f': {detail}' if detail else ''}"


def _endpoint_message(error: Exception) -> str:
    """Return the endpoint's own message as one line; empty if the body is not JSON."""
    if isinstance(error, openai.APIStatusError):
        body = error.body
        message = body.get("message") if isinstance(body, dict) else None
        if message is None and isinstance(body, dict) and isinstance(body.get("error"), dict | str):
            message = body["error"].get("message") if isinstance(body["error"], dict) else body["error"]
        message = str(message or "")
    elif isinstance(error, openai.APITimeoutError):
        message = ""
    elif isinstance(error, openai.APIConnectionError):
        message = str(error.__cause__ or "")
    else:
        message = str(error)
    line = " ".join(message.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def no_completion(what: str) -> CallTimedOut:
    """Return the error for a reply that is not one of an OpenAI-compatible API."""
    return CallTimedOut(what, hint=_NOT_OPENAI)


def retry_after(error: openai.APIStatusError) -> float | None:
    """Return the seconds to wait from the header `retry-after-ms`, or `Retry-After` as seconds or as a date."""
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
