"""What every request passes: its host, its key, the size of its body; and the headers that every reply has."""

from __future__ import annotations

import hmac
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from secrets import token_bytes
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pipelines.core.codec import encode
from serve.problems import MEDIA_TYPE, Problem, problem
from serve.settings import ServeSettings, is_loopback_host

COOKIE = "strata_session"
OPEN_PATHS = ("/static/", "/login")
"""What is served without a key: the style, the scripts, and the page that asks for the key."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing inline, nothing from elsewhere: text of a document that came to be markup runs nothing and reaches nobody."""
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class KeyCheck:
    """Knows the server's key. A browser that gave it has a cookie instead, which is worth nothing to another server."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._secret = token_bytes(32)

    @property
    def needed(self) -> bool:
        return bool(self._key)

    def is_key(self, given: str) -> bool:
        """Whether this is the key; takes as long wherever it differs."""
        return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self._key)

    def session(self) -> str:
        """Return what the cookie of a browser holds that gave the key."""
        return hmac.new(self._secret, self._key, sha256).hexdigest()

    def admits(self, headers: Headers) -> bool:
        """Whether a request has the key, as `Authorization: Bearer KEY` or `X-API-Key: KEY`, or the cookie."""
        if not self.needed:
            return True
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        given = bearer.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        return self.is_key(given) if given else hmac.compare_digest(_cookie(headers).encode(), self.session().encode())


class Guard:
    """Lets through what may pass; the rest gets a problem reply, or a page where a browser asked for one."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, keys: KeyCheck) -> None:
        self._app, self._settings, self._keys = app, settings, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _with_headers(send)
        if (refused := self._refused(scope)) is not None:
            await refused(scope, receive, send)
            return
        await self._app(scope, _Bounded(receive, self._settings.limits.body_bytes), send)

    def _refused(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), str(scope["path"])
        if not self._host_fits(headers.get("host", "")):
            return reply(problem(421, "this server does not answer under that name"))
        if _from_elsewhere(headers):
            return reply(problem(403, "a page of another site may not ask this server"))
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > self._settings.limits.body_bytes:
            return reply(problem(413, f"more than {self._settings.limits.body_bytes} bytes were sent"))
        if path.startswith(OPEN_PATHS) or self._keys.admits(headers):
            return None
        if path.startswith(("/api", "/mcp")):
            return reply(problem(401, "the key is missing or wrong", "send it as `Authorization: Bearer KEY`"))
        return RedirectResponse("/login", 303)

    def _host_fits(self, host: str) -> bool:
        """A server on loopback answers under names of loopback alone: another may be a stranger's that was rebound."""
        if not is_loopback_host(self._settings.host):
            return True
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return is_loopback_host(name)


def reply(told: Problem) -> Response:
    """Return a problem as a reply."""
    headers = {"www-authenticate": "Bearer"} if told.status == 401 else {}
    headers |= {"retry-after": "5"} if told.status == 503 else {}
    return Response(encode(told), told.status, headers, MEDIA_TYPE)


class _Bounded:
    """Receives a body as far as it is allowed; one without a length, too."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._left = receive, most

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413, "more bytes were sent than are allowed")
        return message


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending


def _from_elsewhere(headers: Headers) -> bool:
    """Whether a browser says that another site's page is behind a request, other than by a link that was followed."""
    site = headers.get("sec-fetch-site", "none")
    return site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate"


def _cookie(headers: Headers) -> str:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    return jar[COOKIE].value if COOKIE in jar else ""
