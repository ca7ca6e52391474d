"""Tests of reading a web site: robots.txt, sitemaps, limits and redirects."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.core.errors import SourceError, SourceUnreachable
from pipelines.ingest.report import silent
from pipelines.ingest.sources.locations import open_source
from pipelines.ingest.sources.mirror import Origin, update_copies
from pipelines.ingest.sources.site import SiteSource
from pipelines.ingest.sources.site_reader import SiteReader
from pipelines.sections import IngestSettings
from tests.ingest.sources.places import SitePlace


@pytest.fixture
def site() -> Iterator[SitePlace]:
    place = SitePlace()
    yield place
    place.close()


def update(location: str, root: Path, **settings: Any) -> Origin:
    chosen = IngestSettings.model_validate({"site_pause_s": 0, **settings})
    with open_source(location, chosen) as source:
        return update_copies(source, location, root, chosen, silent)


def copies(root: Path) -> set[str]:
    return {path.relative_to(root / "files").as_posix() for path in (root / "files").rglob("*") if path.is_file()}


def test_pages_disallowed_by_robots_txt_are_reported_and_not_requested(site: SitePlace, tmp_path: Path) -> None:
    site.put("a.html", "<p>one")
    site.put("internal/b.html", "<p>two")
    site.robots = "User-agent: *\nDisallow: /internal/\nCrawl-delay: 0.01\n"
    origin = update(site.location, tmp_path)
    assert copies(tmp_path) == {"a.html"}
    assert [(one.uri, one.reason) for one in origin.left_out] == [
        ("internal/b.html", "robots.txt keeps robots from it")
    ]
    assert "/internal/b.html" not in {path for path, _ in site.asked}
    assert site.asked[0][0] == "/robots.txt"


def test_a_site_that_disallows_robots_is_not_read(site: SitePlace, tmp_path: Path) -> None:
    site.put("a.html", "<p>one")
    site.robots = "User-agent: strata\nCrawl-delay: 3600\n"
    with pytest.raises(SourceError, match="asks for 3600 s between two pages"):
        update(site.location, tmp_path)
    site.robots = "User-agent: strata\nDisallow: /\n"
    assert [one.uri for one in update(site.location, tmp_path).left_out] == ["a.html"]


def test_only_changed_pages_are_fetched_again(site: SitePlace, tmp_path: Path) -> None:
    site.put("a.html", "<p>one")
    site.put("b.html", "<p>two")
    site.changed["/b.html"] = "2026-03-01"
    update(site.location, tmp_path)
    site.asked.clear()
    update(site.location, tmp_path)
    assert ("/a.html", 304) in site.asked
    assert "/b.html" not in {path for path, _ in site.asked}
    site.changed["/b.html"] = "2026-03-02"
    site.put("b.html", "<p>three")
    update(site.location, tmp_path)
    assert (tmp_path / "files" / "b.html").read_text() == "<p>three"


def test_pages_beyond_the_limit_are_reported(site: SitePlace, tmp_path: Path) -> None:
    for number in range(5):
        site.put(f"{number}.html", "<p>one")
    origin = update(site.location, tmp_path, site_pages=3)
    assert copies(tmp_path) == {"0.html", "1.html", "2.html"}
    assert {one.reason for one in origin.left_out} == {"the site has more than 3 pages (ingest.site_pages)"}
    assert len(origin.left_out) == 2


def test_a_sitemap_index_is_followed_and_may_be_compressed(site: SitePlace, tmp_path: Path) -> None:
    site.put("a", "<p>one")
    site.put("docs/", "<p>two")
    site.put("b?c=d", "<p>three")
    inner = f"http://{site.host}/part.xml.gz"
    site.pages["/part.xml.gz"] = gzip.compress(site.sitemap())
    site.pages["/index.xml"] = f"<sitemapindex><sitemap><loc>{inner}</loc></sitemap></sitemapindex>".encode()
    site.robots = f"Sitemap: http://{site.host}/index.xml\n"
    update(site.location, tmp_path)
    assert copies(tmp_path) == {"a.html", "docs/index.html", "b.htmlc=d"}


def test_pages_of_another_site_are_not_read(site: SitePlace, tmp_path: Path) -> None:
    other = SitePlace()
    other.put("stolen.html", "<p>stolen")
    site.put("a.html", "<p>one")
    site.put("b.html", "<p>two")
    site.moved["/b.html"] = f"http://{other.host}/stolen.html"
    listed = "".join(f"<url><loc>{address}</loc></url>" for address in (
        f"http://{site.host}/a.html", f"http://{site.host}/b.html", f"http://{other.host}/stolen.html",
        "file:///etc/passwd", f"http://{site.host}@{other.host}/stolen.html", "http://[::1",
    ))  # fmt: skip
    site.pages["/map.xml"] = f"<urlset>{listed}</urlset>".encode()
    origin = update(site.location + "map.xml", tmp_path)
    assert copies(tmp_path) == {"a.html"}
    assert [one.reason.partition(":")[0] for one in origin.left_out] == ["cannot be fetched"]
    assert "it leads to another site" in origin.left_out[0].reason
    assert other.asked == []
    other.close()


def test_a_sitemap_with_pages_of_other_sites_only_names_them(site: SitePlace, tmp_path: Path) -> None:
    listed = "".join(f"<url><loc>{one}</loc></url>" for one in ("http://[::1", "https://www.example.org/a.html"))
    site.pages["/sitemap.xml"] = f"<urlset>{listed}</urlset>".encode()
    with pytest.raises(SourceError, match=r"only pages of other sites: https://www\.example\.org/"):
        update(site.location, tmp_path)


def test_a_broken_or_missing_sitemap_changes_nothing(site: SitePlace, tmp_path: Path) -> None:
    site.put("a.html", "<p>one")
    update(site.location, tmp_path)
    site.pages["/sitemap.xml"] = b"<urlset><url>"
    with pytest.raises(SourceUnreachable, match="is no sitemap"):
        update(site.location, tmp_path)
    with pytest.raises(SourceUnreachable, match="cannot be read: 404"):
        update(site.location + "none.xml", tmp_path)
    assert copies(tmp_path) == {"a.html"}


def test_a_name_that_resolves_to_a_private_address_is_refused_unless_allowed(
    site: SitePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.put("a.html", "<p>one")
    port = site.host.partition(":")[2]
    found = socket.getaddrinfo

    def resolved(host: str, *rest: Any, **more: Any) -> Any:
        return found("127.0.0.1" if host == "intranet.example" else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    address = f"http://intranet.example:{port}/"
    with pytest.raises(SourceError, match=r"has the private address 127\.0\.0\.1") as refused:
        list(SiteSource(address, IngestSettings(site_pause_s=0)).list())
    assert "private_hosts" in refused.value.hint
    assert site.asked == []
    with SiteReader(address, ("intranet.example",)).get(address + "a.html") as page:
        assert page.status == 200
