"""Documents that run from right to left, on the explorer's pages that run from left to right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipelines import build
from serve.settings import ServeSettings
from tests.serve.conftest import Served, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
LETTER_AND_STOP = """element => {
    const node = element.firstChild, text = node.data.trimEnd();
    const left = place => {
        const range = document.createRange();
        range.setStart(node, place); range.setEnd(node, place + 1);
        return range.getBoundingClientRect().left;
    };
    return [left(0), left(text.length - 1)];
}"""


@pytest.fixture(scope="module")
def arabic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place: Path = tmp_path_factory.mktemp("arabic")
    (place / "folder").mkdir()
    text = "قواعد المختبر\n\nيجب ارتداء النظارات الواقية. يفتح المختبر الساعة الثامنة صباحا.\n"
    (place / "folder" / "قواعد.txt").write_text(text, encoding="utf-8")
    build(place / "folder", place / "kb")
    with running(ServeSettings((place / "kb",), (place / "folder",))) as server:
        yield server


def test_a_sentence_ends_at_its_left(arabic: Served, browser: Browser) -> None:
    with arabic.client() as client:
        (line,) = client.get("/api/kb/kb/documents").json()["items"]
    page = browser.new_page()
    page.goto(f"{arabic.url}/kb/kb/documents/{line['id']}")
    first, stop = page.locator("article.chunk > p.quiet").last.evaluate(LETTER_AND_STOP)
    assert stop < first
    page.close()
