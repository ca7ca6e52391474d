"""Fixtures that parse bytes as a file of a given name, in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines.core.document import Document
from pipelines.parse.parse import parse, source_of
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import ParseSettings

ParseBytes = Callable[..., Parsed]


@pytest.fixture
def parse_bytes(tmp_path: Path) -> ParseBytes:
    """Parse bytes or text as a file called `name`."""

    def run(name: str, data: bytes | str, settings: ParseSettings | None = None) -> Parsed:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return parse(path, source_of(path, name), settings or ParseSettings())

    return run


@pytest.fixture
def document_of(parse_bytes: ParseBytes) -> Callable[..., Document]:
    """Parse bytes or text as a file called `name`, and expect a document."""

    def run(name: str, data: bytes | str, settings: ParseSettings | None = None) -> Document:
        parsed = parse_bytes(name, data, settings)
        assert parsed.document is not None, parsed.reason
        return parsed.document

    return run


@pytest.fixture(autouse=True)
def empty_ocr_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clear the cache of OCR results, so that tests are independent."""
    monkeypatch.setattr("pipelines.parse.ocr.figure_reader.RECENT", {})
