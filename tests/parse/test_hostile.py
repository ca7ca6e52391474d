"""Every hostile file ends with an allowed status, within its limits, and the rest of the folder is indexed."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from pipelines.core.outcome import Status
from pipelines.parse.parse import ParserPool, source_of
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, ParseSettings
from tests.parse.hostile_files import FILES, HEAVY, Hostile
from tests.parse.pieces import assert_whole

SETTINGS = ParseSettings(limits=Limits(cpu_s=8, memory_mb=1500, output_mb=20, cells=20_000))


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    with ParserPool(SETTINGS) as pool:
        yield pool


def submit(pool: ParserPool, folder: Path, name: str, data: bytes) -> Future[Parsed]:
    path = folder / name
    path.write_bytes(data)
    return pool.parse(path, source_of(path, name))


@pytest.mark.parametrize(
    "file", [pytest.param(file, id=file.name, marks=[pytest.mark.slow] if file.name in HEAVY else []) for file in FILES]
)
def test_a_hostile_file_ends_with_its_status_and_the_next_one_is_read(
    pool: ParserPool, tmp_path: Path, file: Hostile
) -> None:
    hostile = submit(pool, tmp_path, file.name, file.make())
    good = submit(pool, tmp_path, "good.txt", b"The valve is stuck.")
    parsed = hostile.result()
    assert parsed.status in file.ends, parsed.reason
    assert good.result().status is Status.INDEXED
    assert (parsed.document is not None) == parsed.status.searchable
    if parsed.document is None:
        assert parsed.reason
    else:
        assert parsed.document.text.strip()
        assert_whole(parsed.document)


def test_there_are_at_least_fifty_different_files() -> None:
    assert len({file.name for file in FILES}) == len(FILES) >= 50


def test_an_external_entity_is_not_fetched(pool: ParserPool, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("confidential")
    data = f'<!DOCTYPE z [<!ENTITY x SYSTEM "file://{secret}">]><z><p>before &x; after</p></z>'
    parsed = submit(pool, tmp_path, "a.xml", data.encode()).result()
    assert parsed.document is not None
    assert "before" in parsed.document.text
    assert "after" in parsed.document.text
    assert "confidential" not in parsed.document.text


def test_members_of_an_archive_stay_within_it(pool: ParserPool, tmp_path: Path) -> None:
    slip = next(file for file in FILES if file.name == "slip.zip")
    parsed = submit(pool, tmp_path, slip.name, slip.make()).result()
    names = [child.name for child in parsed.children]
    assert names == ["etc/passwd", "abs.txt", "C/windows/x.txt", "a/b.txt", "ok.txt", "bell%07.txt"]
    assert parsed.document is not None
    assert any("is called" in note for note in parsed.document.notes)


def test_nested_containers_end_at_the_limit(pool: ParserPool, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("deep")
    limits = SETTINGS.limits.depth
    deep = source_of(path, "a.zip!/" * (limits + 1) + "a.txt")
    assert pool.parse(path, deep).result().status is Status.TOO_LARGE
