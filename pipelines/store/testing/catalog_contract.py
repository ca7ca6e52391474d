"""What every catalog must do; a test subclasses this and gives the fixture `catalog`."""

from __future__ import annotations

import pytest

from pipelines.core.outcome import Status
from pipelines.store.catalog import Catalog, Entry

FULL = Entry(
    uri="手册/manual.pdf",
    digest="ab" * 32,
    size=12,
    status=Status.PARTIAL,
    document="document:1",
    reason="page 3 has no text",
    media_type="application/pdf",
    title="手册",
    modified_ns=1_700_000_000_123_456_789,
    parent="mail.eml",
    artifacts={"parse": "p", "chunk": "c"},
    counts={"pages": 3},
    notes=("one", "two"),
)
PLAIN = Entry("a.txt", "cd" * 32, 0, Status.EMPTY)


class CatalogContract:
    """Asks for the fixture `catalog`: an empty one."""

    def test_a_new_catalog_is_empty(self, catalog: Catalog) -> None:
        assert catalog.entries() == ()
        assert catalog.fact("model") is None

    def test_entries_come_back_whole_in_order_of_uri(self, catalog: Catalog) -> None:
        catalog.record(FULL)
        catalog.record(PLAIN)
        assert catalog.entries() == (PLAIN, FULL)

    def test_an_entry_takes_the_place_of_the_one_with_its_uri(self, catalog: Catalog) -> None:
        catalog.record(Entry(FULL.uri, "", 1, Status.FAILED))
        catalog.record(FULL)
        assert catalog.entries() == (FULL,)

    def test_removing_is_final_and_may_be_repeated(self, catalog: Catalog) -> None:
        catalog.record(PLAIN)
        catalog.remove(PLAIN.uri)
        catalog.remove(PLAIN.uri)
        assert catalog.entries() == ()

    def test_a_fact_is_what_was_last_set(self, catalog: Catalog) -> None:
        catalog.set_fact("model", "one")
        catalog.set_fact("model", "二")
        assert catalog.fact("model") == "二"

    def test_a_transaction_that_fails_leaves_nothing(self, catalog: Catalog) -> None:
        def fail() -> None:
            with catalog.transaction():
                catalog.record(PLAIN)
                catalog.set_fact("model", "one")
                raise RuntimeError

        with pytest.raises(RuntimeError):
            fail()
        assert catalog.entries() == ()
        assert catalog.fact("model") is None

    def test_what_a_transaction_wrote_is_seen_inside_it(self, catalog: Catalog) -> None:
        with catalog.transaction():
            catalog.record(PLAIN)
            assert catalog.entries() == (PLAIN,)

    def test_a_failure_caught_inside_takes_back_only_the_inner_part(self, catalog: Catalog) -> None:
        def fail() -> None:
            with catalog.transaction():
                catalog.record(FULL)
                raise RuntimeError

        with catalog.transaction():
            catalog.record(PLAIN)
            with pytest.raises(RuntimeError):
                fail()
        assert catalog.entries() == (PLAIN,)
