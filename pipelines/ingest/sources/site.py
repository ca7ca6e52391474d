"""The pages in the sitemap of a web site (sitemaps.org): `https://host/`, or the address of a sitemap."""

from __future__ import annotations

import http.client
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import BinaryIO
from urllib.parse import urlsplit, urlunsplit
from urllib.robotparser import RobotFileParser

from lxml import etree

from pipelines.core.errors import SourceError, SourceUnreachable
from pipelines.ingest.sources.site_reader import AGENT, PageReply, SiteReader
from pipelines.ingest.sources.source import Listed
from pipelines.sections import IngestSettings

LARGEST_SITEMAP = 50 << 20
"""Maximum bytes of an uncompressed sitemap (sitemaps.org); of robots.txt, 500 KiB are read (RFC 9309, 2.5)."""
_ROBOTS_BYTES = 500 << 10
_MOST_SITEMAPS = 1000
MOST_PAUSE = 60.0
"""Maximum seconds between two pages; a site that asks for more is not read."""
_REFUSED = (401, 403)
_NAMED = 3
"""Maximum named other sites."""


class SiteSource:
    """The pages of one host, read sequentially, with the longer pause of its robots.txt and the settings.

    Pages that robots.txt disallows and pages of other hosts are not read, not even if a sitemap or a redirect leads to
    them. The version of a page is its `lastmod`; without one, the server is asked whether the page has changed.
    """

    at_once = 1

    def __init__(self, location: str, settings: IngestSettings) -> None:
        self._start = location
        self._settings = settings
        self._reader = SiteReader(location, settings.private_hosts)
        self._robots = RobotFileParser()
        self._pause = settings.site_pause_s
        self._last = 0.0
        self._pages: dict[str, tuple[str, str]] = {}
        self._elsewhere: set[str] = set()

    def list(self) -> Iterable[Listed]:
        self._obey_robots()
        found: dict[str, Listed] = {}
        for address, changed in self._listed_pages():
            if not self._is_of_site(address) or (name := _name(address)) in found:
                continue
            reason = self._reason(address)
            found[name] = Listed(name, changed, left_out=reason)
            if not reason:
                self._pages[name] = address, changed
        if not found and self._elsewhere:
            others = ", ".join(sorted(self._elsewhere)[:_NAMED])
            raise SourceError(
                f"the sitemaps of {self._reader.host} list only pages of other sites: {others}",
                hint="give the address of one of them",
            )
        return found.values()

    def _is_of_site(self, address: str) -> bool:
        """Whether a page or sitemap is of the site; others are kept for the error that it lists none of its own."""
        if self._reader.is_of_site(address):
            return True
        with suppress(ValueError):  # an address that is none
            parts = urlsplit(address)
            self._elsewhere.add(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/")
        return False

    def _reason(self, address: str) -> str:
        if not self._robots.can_fetch(AGENT, address):
            return "robots.txt keeps robots from it"
        most = self._settings.site_pages
        return f"the site has more than {most} pages (ingest.site_pages)" if len(self._pages) >= most else ""

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        address, changed = self._pages[name]
        with self._get(address, "" if changed else known) as page:
            if page.status == http.client.NOT_MODIFIED:
                return known
            if page.status in (http.client.NOT_FOUND, http.client.GONE):
                raise FileNotFoundError(address)
            if page.status != http.client.OK:
                raise SourceUnreachable(f"the server answers {page.status}")
            page.copy(into)
            return changed or page.validator

    def close(self) -> None:
        """Do nothing: each connection is closed after its page."""

    def _obey_robots(self) -> None:
        """Read robots.txt; all is allowed if it is missing, nothing if it is refused or unreachable (RFC 9309)."""
        with self._get(self._reader.at("/robots.txt")) as page:
            if page.status in _REFUSED:
                raise SourceError(f"{self._reader.host} refuses robots.txt, and with it robots")
            if page.status >= 500:
                raise SourceUnreachable(f"robots.txt of {self._reader.host} is out of reach: {page.status}")
            text = page.read(_ROBOTS_BYTES).decode("utf-8", "replace") if page.status == http.client.OK else ""
        self._robots.parse(text.splitlines())
        delay, rate = self._robots.crawl_delay(AGENT), self._robots.request_rate(AGENT)
        asked = [float(delay or 0), rate.seconds / rate.requests if rate and rate.requests else 0.0]
        self._pause = max(self._pause, *asked)
        if self._pause > MOST_PAUSE:
            raise SourceError(f"{self._reader.host} asks for {self._pause:.0f} s between two pages")

    def _listed_pages(self) -> Iterator[tuple[str, str]]:
        """Yield the address and `lastmod` of the pages in all sitemaps, including those of a sitemap index."""
        path = urlsplit(self._start).path
        named = path.endswith((".xml", ".xml.gz", ".txt"))
        waiting = [self._start] if named else self._robots.site_maps() or [self._reader.at("/sitemap.xml")]
        seen: set[str] = set()
        while waiting:
            if len(seen) == _MOST_SITEMAPS or len(self._pages) >= self._settings.site_pages:
                yield from ((address, "") for address in waiting)  # to be reported as left out
                return
            address = waiting.pop(0)
            if address in seen or not self._is_of_site(address):
                continue
            seen.add(address)
            with self._get(address) as page:
                if page.status != http.client.OK:
                    raise SourceUnreachable(f"the sitemap {address} cannot be read: {page.status}")
                data = _unpacked(page.read(LARGEST_SITEMAP + 1))
            if len(data) > LARGEST_SITEMAP:
                raise SourceError(f"the sitemap {address} is larger than 50 MiB")
            pages, inner = _entries(data, address)
            waiting += inner
            yield from pages

    def _get(self, address: str, known: str = "") -> PageReply:
        wait = self._last + self._pause - time.monotonic()
        if wait > 0 and self._last:
            time.sleep(wait)
        try:
            return self._reader.get(address, known)
        finally:
            self._last = time.monotonic()


def _name(address: str) -> str:
    """Return a page's address as a path: "a/index.html?b" for "https://x.org/a/?b"; the default suffix is .html."""
    parts = urlsplit(address)
    path = parts.path.lstrip("/")
    if not path or path.endswith("/"):
        path += "index.html"
    elif "." not in path.rpartition("/")[2]:
        path += ".html"
    return urlunsplit(("", "", path, parts.query, ""))


def _unpacked(data: bytes) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return zlib.decompressobj(wbits=31).decompress(data, LARGEST_SITEMAP + 1)
    except zlib.error as error:
        raise SourceUnreachable(f"a sitemap is no gzip file: {error}") from error


def _entries(data: bytes, address: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the pages of a sitemap with their `lastmod`, and its sitemaps; a text file has one address per line."""
    if not data.lstrip().startswith(b"<") and b"<" not in data[:100]:
        return [(line.strip(), "") for line in data.decode("utf-8-sig", "replace").splitlines() if line.strip()], []
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise SourceUnreachable(f"{address} is no sitemap: {error}") from error
    found = [(_text(entry, "loc"), _text(entry, "lastmod")) for entry in root.iterchildren(tag="{*}*")]
    found = [(place, changed) for place, changed in found if place]
    if etree.QName(root).localname == "sitemapindex":
        return [], [place for place, _ in found]
    return found, []


def _text(entry: etree._Element, name: str) -> str:
    return (entry.findtext(f"{{*}}{name}") or "").strip()
