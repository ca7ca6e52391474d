"""Tests of dividing documents into batches of stages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from flows.batch_stages import MOST, MOST_BYTES, batches
from pipelines.core.document import Source
from pipelines.ingest.task import SourceItem


def item(uri: str, size: int = 1000) -> SourceItem:
    return SourceItem(Source(uri, "", size, "d"))


@given(st.lists(st.tuples(st.sampled_from([".md", ".png", ".PDF"]), st.integers(0, 2 * MOST_BYTES)), max_size=200))
def test_batches_contain_each_document_once_and_are_bounded(files: list[tuple[str, int]]) -> None:
    items = [item(f"{number}{suffix}", size) for number, (suffix, size) in enumerate(files)]
    found = list(batches(items))
    assert sorted(one.source.uri for batch in found for one in batch.items) == sorted(one.source.uri for one in items)
    for batch in found:
        assert 1 <= len(batch.items) <= MOST
        assert len(batch.items) == 1 or sum(one.source.size for one in batch.items) <= MOST_BYTES


def test_a_few_documents_are_separate_batches_labelled_by_name() -> None:
    assert [batch.label for batch in batches([item("a.md"), item("b.md")])] == ["a.md", "b.md"]


def test_many_small_documents_share_batches() -> None:
    found = list(batches([item(f"{number}.md") for number in range(400)]))
    assert [len(batch.items) for batch in found] == [50] * 8
    assert found[0].label == "0.md and 49 more"


def test_pictures_have_their_own_batches() -> None:
    found = list(batches([item("a.md"), item("b.PNG"), item("c.md")]))
    assert [(batch.label, batch.pictures) for batch in found] == [("a.md", False), ("c.md", False), ("b.PNG", True)]
