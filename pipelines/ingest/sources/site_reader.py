"""HTTP requests to a single host, which never reach another host, or a private address that is not allowed."""

from __future__ import annotations

import http.client
import ipaddress
import shutil
import socket
import ssl
from collections.abc import Callable
from typing import BinaryIO, cast
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from pipelines.core.errors import SourceError, SourceUnreachable

AGENT = "strata"
"""The name of Strata in robots.txt."""
SECONDS = 30.0
_REDIRECTS = 5
_MOVED = (301, 302, 303, 307, 308)
_PIECE = 1 << 16
_SAFE = "/%:=&?~#+!$,;'@()*[]"  # with "%", so that what is quoted already is not quoted again


class PageReply:
    """An HTTP response that can be read once; a context manager that closes its connection.

    `validator` is its ETag or modification date, empty if it has neither.
    """

    def __init__(self, connection: http.client.HTTPConnection, reply: http.client.HTTPResponse) -> None:
        self._connection = connection
        self._reply = reply
        self.status = reply.status
        tag, date = reply.getheader("ETag"), reply.getheader("Last-Modified")
        self.validator = f"etag {tag}" if tag else f"date {date}" if date else ""

    def read(self, most: int) -> bytes:
        """Return at most `most` bytes of the body."""
        return self._reply.read(most)

    def copy(self, into: BinaryIO) -> None:
        shutil.copyfileobj(cast("BinaryIO", self._reply), into, _PIECE)
        if self._reply.length:  # the connection was closed before the end of the page
            raise SourceUnreachable("the page broke off")

    def __enter__(self) -> PageReply:
        return self

    def __exit__(self, *_: object) -> None:
        self._reply.close()  # it has a reference to the socket, which keeps it open
        self._connection.close()


class SiteReader:
    """Reads pages of the host of `start`; `private` are hosts that may have a private address.

    An IP address or "localhost" in `start` is allowed to be private. Each connection is made to the IP address that was
    checked, so that the name cannot be rebound in between (DNS rebinding).
    """

    def __init__(self, start: str, private: tuple[str, ...] = ()) -> None:
        parts = urlsplit(start)
        self._origin = (parts.scheme, parts.netloc)
        self.host = (parts.hostname or "").lower()
        if not self.host or parts.username:
            raise SourceError(f"no address of a site: {start}", hint="https://host/ or https://host/sitemap.xml")
        self._may_be_private = self.host in private or self.host == "localhost" or _is_address(self.host)

    def at(self, path: str) -> str:
        return urlunsplit((*self._origin, path, "", ""))

    def is_of_site(self, address: str) -> bool:
        """Return whether an address is on this host, with the scheme of `start` or with https."""
        try:
            parts = urlsplit(address)
            ours = parts.netloc.lower() == self._origin[1].lower() and not parts.username
        except ValueError:
            return False
        return ours and parts.scheme in ("https", self._origin[0])

    def get(self, address: str, known: str = "") -> PageReply:
        """Return the response at an address, after redirects within the site.

        `known` is the `validator` of the local copy: the status is 304 if the page has not changed. Raises
        `SourceUnreachable`, and `SourceError` for an address that must not be read.
        """
        for _ in range(_REDIRECTS):
            page = self._get(address, known)
            if page.status not in _MOVED:
                return page
            with page:
                target = urljoin(address, page._reply.getheader("Location") or "")
            if not self.is_of_site(target):
                raise SourceError(f"it leads to another site: {target}")
            address = target
        raise SourceUnreachable("it leads in a circle")

    def _get(self, address: str, known: str) -> PageReply:
        parts = urlsplit(address)
        secure = parts.scheme == "https"
        connection = (_Secure if secure else _Plain)(self.host, parts.port, self._check)
        kind, _, value = known.partition(" ")
        headers = {"User-Agent": f"{AGENT} (a document reader)", "Accept-Encoding": "identity", "Connection": "close"}
        if value:
            headers["If-None-Match" if kind == "etag" else "If-Modified-Since"] = value
        target = quote(urlunsplit(("", "", parts.path or "/", parts.query, "")), safe=_SAFE)
        try:
            connection.request("GET", target, headers=headers)
            return PageReply(connection, connection.getresponse())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise SourceUnreachable(f"{address} cannot be reached: {error}") from error
        except BaseException:
            connection.close()
            raise

    def _check(self, address: str) -> None:
        ip = ipaddress.ip_address(address.partition("%")[0])
        if not ip.is_global and not self._may_be_private:
            raise SourceError(
                f"{self.host} has the private address {ip}", hint=f'ingest.private_hosts = ["{self.host}"] allows it'
            )


class _Plain(http.client.HTTPConnection):
    """Connects to the first IP address of its host that answers, after checking the address."""

    def __init__(self, host: str, port: int | None, check: Callable[[str], None]) -> None:
        super().__init__(host, port, timeout=SECONDS)
        self._check = check

    def connect(self) -> None:
        last: OSError = OSError("it has no address")
        for _, _, _, _, address in socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM):
            self._check(str(address[0]))
            try:
                self.sock = socket.create_connection((str(address[0]), self.port), self.timeout)
            except OSError as error:
                last = error
            else:
                return
        raise last


class _Secure(_Plain):
    """The same with TLS, verifying the certificate for the name of the host."""

    default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        super().connect()
        self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
