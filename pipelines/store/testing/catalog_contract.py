"""The contract of catalogs and artifact stores: inherit and define the fixture `catalog` or `artifacts`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from pipelines.core.outcome import Status
from pipelines.store.artifact import ArtifactStore
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
KEY = "ab" * 32
OTHER = "cd" * 32


class CatalogContract:
    """Requires the fixture `catalog`, an empty catalog."""

    def test_a_new_catalog_is_empty(self, catalog: Catalog) -> None:
        assert catalog.entries() == ()
        assert catalog.fact("model") is None

    def test_entries_are_returned_in_order_of_uri(self, catalog: Catalog) -> None:
        catalog.record(FULL)
        catalog.record(PLAIN)
        assert catalog.entries() == (PLAIN, FULL)

    def test_an_entry_replaces_the_one_with_its_uri(self, catalog: Catalog) -> None:
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

    def test_a_transaction_sees_its_own_writes(self, catalog: Catalog) -> None:
        with catalog.transaction():
            catalog.record(PLAIN)
            assert catalog.entries() == (PLAIN,)

    def test_only_the_failed_inner_transaction_is_rolled_back(self, catalog: Catalog) -> None:
        def fail() -> None:
            with catalog.transaction():
                catalog.record(FULL)
                raise RuntimeError

        with catalog.transaction():
            catalog.record(PLAIN)
            with pytest.raises(RuntimeError):
                fail()
        assert catalog.entries() == (PLAIN,)


class ArtifactStoreContract:
    """Requires the fixture `artifacts`, an empty artifact store."""

    def test_a_missing_artifact_is_none(self, artifacts: ArtifactStore) -> None:
        assert artifacts.get("parse", KEY) is None
        assert list(artifacts.keys("parse")) == []

    def test_bytes_are_returned_unchanged(self, artifacts: ArtifactStore) -> None:
        for number, data in enumerate((b"", b"text" * 1000, bytes(range(256)), "泵".encode())):
            artifacts.put("parse", f"{KEY}{number}", data)
            assert artifacts.get("parse", f"{KEY}{number}") == data

    def test_an_artifact_never_changes(self, artifacts: ArtifactStore) -> None:
        artifacts.put("parse", KEY, b"first")
        artifacts.put("parse", KEY, b"second")
        assert artifacts.get("parse", KEY) == b"first"

    def test_stages_are_separate(self, artifacts: ArtifactStore) -> None:
        artifacts.put("parse", KEY, b"parsed")
        assert artifacts.get("chunk", KEY) is None

    def test_keys_are_sorted(self, artifacts: ArtifactStore) -> None:
        for key in (OTHER, KEY, "abaa"):
            artifacts.put("parse", key, b"x")
        assert list(artifacts.keys("parse")) == ["abaa", KEY, OTHER]

    def test_removing_may_be_repeated(self, artifacts: ArtifactStore) -> None:
        artifacts.put("parse", KEY, b"x")
        artifacts.remove("parse", KEY)
        artifacts.remove("parse", KEY)
        assert artifacts.get("parse", KEY) is None
        assert list(artifacts.keys("parse")) == []

    def test_concurrent_writers_of_a_key_leave_one_complete_artifact(self, artifacts: ArtifactStore) -> None:
        contents = [bytes([number]) * 100_000 for number in range(8)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda data: artifacts.put("parse", KEY, data), contents))
        assert artifacts.get("parse", KEY) in contents
        assert list(artifacts.keys("parse")) == [KEY]

    def test_a_sweep_keeps_wanted_artifacts(self, artifacts: ArtifactStore) -> None:
        for stage, key in (("parse", KEY), ("parse", OTHER), ("chunk", KEY)):
            artifacts.put(stage, key, b"x")
        assert artifacts.stages() == ("chunk", "parse")
        assert artifacts.sweep(lambda stage, key: (stage, key) == ("parse", OTHER)) == 2
        assert [artifacts.get(*one) for one in (("parse", KEY), ("parse", OTHER), ("chunk", KEY))] == [None, b"x", None]
