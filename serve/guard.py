"""Middleware of every request: checks of host, key and body size, and security headers of every reply."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from types import MappingProxyType
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pipelines.core.codec import encode
from serve.access import Access, KeyRing, Role, acting
from serve.language import preferred, speaking
from serve.problems import MEDIA_TYPE, Problem, problem
from serve.settings import ServeSettings, is_loopback_host

OPEN_PATHS = ("/static/", "/login", "/language")
"""Paths served without a key: style, scripts, the login page, and the choice of the language."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""No inline scripts and no other hosts: document text that becomes markup executes nothing and loads nothing."""
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """Passes on allowed requests; others get a problem reply, or a redirect to the login page."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, keys: KeyRing) -> None:
        self._app, self._settings, self._keys = app, settings, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # of what is answered, the server sends the headers alone
            scope = {**scope, "method": "GET"}
        send, headers, path = _with_headers(send), Headers(scope=scope), str(scope["path"])
        access = self._keys.access(headers)
        most = self._most(str(scope["method"]), path, access)
        refused = self._refused(headers, most) or (None if path.startswith(OPEN_PATHS) or access else _unknown(path))
        if refused is not None:
            await refused(scope, receive, send)
            return
        with speaking(preferred(headers)), acting(access) if access else nullcontext():
            await self._app(scope, _Bounded(receive, most), send)

    def _most(self, method: str, path: str, access: Access | None) -> int:
        """Return the maximum body size of a request in bytes; uploads of admins have a separate limit."""
        limits = self._settings.limits
        sends = self._settings.changes and method == "PUT" and path.startswith("/api/kb/") and "/files/" in path
        return limits.upload_mb << 20 if sends and access and access.role is Role.ADMIN else limits.body_bytes

    def _refused(self, headers: Headers, most: int) -> Response | None:
        if not self._host_fits(headers.get("host", "")):
            return reply(problem(421, "this server does not serve that host name"))
        if _is_cross_site(headers):
            return reply(problem(403, "cross-site requests are not allowed"))
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > most:
            return reply(problem(413, f"more than {most} bytes were sent"))
        return None

    def _host_fits(self, host: str) -> bool:
        """Whether the host name is allowed: a server on loopback accepts loopback names only, against DNS rebinding."""
        if not is_loopback_host(self._settings.host):
            return True
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return is_loopback_host(name)


def _unknown(path: str) -> Response:
    if path.startswith(("/api", "/mcp")):
        return reply(problem(401, "the key is missing or wrong", "send it as `Authorization: Bearer KEY`"))
    return RedirectResponse("/login", 303)


def reply(told: Problem, headers: Mapping[str, str] = MappingProxyType({})) -> Response:
    """Return a problem as a reply, with these and the usual headers of its status."""
    usual = {"www-authenticate": "Bearer"} if told.status == 401 else {}
    usual |= {"retry-after": "5"} if told.status == 503 else {}
    return Response(encode(told), told.status, {**headers, **usual}, MEDIA_TYPE)


class _Bounded:
    """Limits the size of a body, also of one without a declared length."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._left = receive, most

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413, "the request body is too large")
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


def _is_cross_site(headers: Headers) -> bool:
    """Whether a browser marks a request as caused by a page of another site, except by following a link."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate"
    origin = headers.get("origin")  # sent by browsers without Sec-Fetch headers
    return origin is not None and urlsplit(origin).netloc != headers.get("host")
