"""Requests to one host of the web, which lead to no other one and to no private address that was not named."""

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
"""By which name robots.txt speaks to Strata."""
SECONDS = 30.0
_REDIRECTS = 5
_MOVED = (301, 302, 303, 307, 308)
_PIECE = 1 << 16
_SAFE = "/%:=&?~#+!$,;'@()*[]"  # what is quoted already stays


class PageReply:
    """A reply, to be read once; a context manager that ends its connection. `validator` is empty for none."""

    def __init__(self, connection: http.client.HTTPConnection, reply: http.client.HTTPResponse) -> None:
        self._connection = connection
        self._reply = reply
        self.status = reply.status
        tag, date = reply.getheader("ETag"), reply.getheader("Last-Modified")
        self.validator = f"etag {tag}" if tag else f"date {date}" if date else ""

    def read(self, most: int) -> bytes:
        """Return the body, cut at so many bytes."""
        return self._reply.read(most)

    def copy(self, into: BinaryIO) -> None:
        shutil.copyfileobj(cast("BinaryIO", self._reply), into, _PIECE)
        if self._reply.length:  # the connection ended before the page did
            raise SourceUnreachable("the page broke off")

    def __enter__(self) -> PageReply:
        return self

    def __exit__(self, *_: object) -> None:
        self._reply.close()  # it holds the socket open, whatever becomes of the connection
        self._connection.close()


class SiteReader:
    """Reads addresses of the host of `start`. `private` are hosts that may have a private address.

    An address that a user writes as such ("http://10.0.0.5/", "localhost") is named by that. Which machine a name
    leads to is looked at for each connection, and that machine is connected to: a name cannot be rebound in between.
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
        """Whether an address is one of this host, by the scheme of the start or a safer one."""
        try:
            parts = urlsplit(address)
            ours = parts.netloc.lower() == self._origin[1].lower() and not parts.username
        except ValueError:
            return False
        return ours and parts.scheme in ("https", self._origin[0])

    def get(self, address: str, known: str = "") -> PageReply:
        """Return the reply at an address, redirects within the site followed.

        `known` is the `validator` of the copy that there is: the reply to what has not changed is 304. Raises
        `SourceUnreachable`, and `SourceError` for an address that may not be read.
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
    """Connects to the first address of its host that answers, once that is checked."""

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
    """The same by TLS, with the host's name and its certificate."""

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
