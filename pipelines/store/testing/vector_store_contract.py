"""The contract of vector stores: inherit and define the fixture `store`, of dimension 4."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.core.errors import StoreMismatch
from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms
from pipelines.store.vector import EmbeddedRecords, Filter, Record, RecordKind, Revisable, Termed, VectorStore

A, B = "document:a", "document:b"
KINDS = [RecordKind.CHUNK, RecordKind.ATOM]


def vector(*numbers: float) -> Vectors:
    row = np.array(numbers, dtype=np.float32)
    return row / np.linalg.norm(row)


def chunk(id: str, text: str, owner: str = A, **fields: object) -> Record:
    return Record(id, RecordKind.CHUNK, owner, text, id, **fields)  # type: ignore[arg-type]


def embedded(*pairs: tuple[Record, Vectors]) -> EmbeddedRecords:
    if not pairs:
        return EmbeddedRecords()
    return EmbeddedRecords(tuple(record for record, _ in pairs), np.stack([row for _, row in pairs]))


def wanted(text: str) -> dict[str, float]:
    return dict.fromkeys(terms(text), 1.0)


def held(store: VectorStore, kinds: tuple[RecordKind, ...] = (), owners: list[str] | None = None) -> list[Record]:
    return [record for batch in store.records(kinds, owners) for record in batch.records]


PUMP = (chunk("chunk:1", "The pump runs at 1450 rpm", uri="manuals/pump.pdf", page=3), vector(1, 0, 0, 0))
VALVE = (chunk("chunk:2", "The valve closes the pump line", uri="manuals/valve.pdf", page=4), vector(1, 1, 0, 0))
SEAL = (chunk("chunk:3", "机械密封件磨损", B, uri="reports/seal.docx", page=3), vector(0, 0, 1, 0))


_FINE = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]


class VectorStoreContract:
    """Requires the fixture `store`, an empty vector store of dimension 4."""

    @pytest.fixture
    def filled(self, store: VectorStore) -> VectorStore:
        store.write([A, B], embedded(PUMP, VALVE, SEAL))
        return store

    def test_it_is_a_vector_store(self, store: VectorStore) -> None:
        assert isinstance(store, VectorStore)

    def test_a_new_store_finds_nothing(self, store: VectorStore) -> None:
        assert store.search(RecordKind.CHUNK, vector(1, 0, 0, 0), 5) == []
        assert store.match(RecordKind.CHUNK, wanted("pump"), 5) == []
        assert held(store) == []
        store.optimize()

    def test_the_nearest_by_cosine_come_first(self, filled: VectorStore) -> None:
        found = filled.search(RecordKind.CHUNK, vector(1, 0, 0, 0), 2)
        assert [one.id for one in found] == ["chunk:1", "chunk:2"]
        assert [one.score for one in found] == pytest.approx([1.0, 0.5**0.5], abs=1e-5)
        assert found[0].chunk == "chunk:1"

    def test_equal_scores_come_in_order_of_id(self, store: VectorStore) -> None:
        same = [(chunk(f"chunk:{n}", "same words"), vector(1, 2, 0, 0)) for n in (3, 1, 2)]
        store.write([A], embedded(*same))
        for found in (
            store.search(RecordKind.CHUNK, vector(1, 0, 0, 0), 3),
            store.match(RecordKind.CHUNK, wanted("words"), 3),
        ):
            assert [one.id for one in found] == ["chunk:1", "chunk:2", "chunk:3"]

    def test_a_vector_of_zeros_finds_nothing_and_is_not_found(self, store: VectorStore) -> None:
        empty = (chunk("chunk:0", "nothing"), np.zeros(4, dtype=np.float32))
        store.write([A], embedded(empty, PUMP))
        assert store.search(RecordKind.CHUNK, np.zeros(4, dtype=np.float32), 5) == []
        assert [one.id for one in store.search(RecordKind.CHUNK, vector(1, 0, 0, 0), 5)] == ["chunk:1"]

    @pytest.mark.parametrize(
        ("text", "first"),
        [("pumps", "chunk:1"), ("closing valves", "chunk:2"), ("密封", "chunk:3"), ("1450", "chunk:1")],
    )
    def test_terms_match_all_their_forms(self, filled: VectorStore, text: str, first: str) -> None:
        assert filled.match(RecordKind.CHUNK, wanted(text), 5)[0].id == first

    def test_rare_terms_weigh_more(self, filled: VectorStore) -> None:
        found = filled.match(RecordKind.CHUNK, wanted("pump valve"), 5)
        assert [one.id for one in found] == ["chunk:2", "chunk:1"]
        assert found[0].score > found[1].score > 0

    def test_terms_of_less_weight_count_less(self, filled: VectorStore) -> None:
        found = filled.match(RecordKind.CHUNK, {"valv": 0.5, "1450": 1.0}, 5)
        assert [one.id for one in found] == ["chunk:1", "chunk:2"]
        assert found[1].score < filled.match(RecordKind.CHUNK, {"valv": 1.0}, 5)[0].score

    def test_terms_are_those_of_the_language(self, store: VectorStore) -> None:
        german = chunk("chunk:4", "Die Häuser", language="de")
        store.write([A], embedded((german, vector(1, 0, 0, 0))))
        assert [one.id for one in store.match(RecordKind.CHUNK, {"haus": 1.0}, 5)] == ["chunk:4"]
        assert held(store) == [german]

    @pytest.mark.parametrize("text", ["", "  ", "the of", "unheard", "'; DROP TABLE chunk; --", '"', "(a AND", "a*"])
    def test_a_text_without_known_terms_matches_nothing(self, filled: VectorStore, text: str) -> None:
        assert filled.match(RecordKind.CHUNK, wanted(text), 5) == []

    @pytest.mark.parametrize("limit", [0, -1])
    def test_a_limit_of_zero_finds_nothing(self, filled: VectorStore, limit: int) -> None:
        assert filled.search(RecordKind.CHUNK, vector(1, 0, 0, 0), limit) == []
        assert filled.match(RecordKind.CHUNK, wanted("pump"), limit) == []

    def test_each_kind_is_searched_separately(self, store: VectorStore) -> None:
        atom = Record("atom:1", RecordKind.ATOM, A, "The pump runs", "chunk:1")
        store.write([A], embedded(PUMP, (atom, vector(1, 0, 0, 0))))
        found = store.search(RecordKind.ATOM, vector(1, 0, 0, 0), 5)
        assert [(one.id, one.chunk) for one in found] == [("atom:1", "chunk:1")]

    def test_what_is_written_is_read_in_order(self, filled: VectorStore) -> None:
        batches = list(filled.records())
        assert held(filled) == [PUMP[0], VALVE[0], SEAL[0]]
        assert np.concatenate([batch.vectors for batch in batches]) == pytest.approx(
            np.stack([PUMP[1], VALVE[1], SEAL[1]]), abs=0.001
        )

    def test_all_fields_of_a_record_are_returned(self, store: VectorStore) -> None:
        record = chunk(
            "chunk:9", "a 'quoted' \"text\"\n第", uri="a'b/c.pdf", media_type="application/pdf", page=7,
            date="2026-03-01", tags=("a, b", "泵"),
        )  # fmt: skip
        store.write([A], embedded((record, vector(1, 0, 0, 0))))
        assert held(store) == [record]

    def test_writing_twice_is_writing_once(self, filled: VectorStore) -> None:
        filled.write([A, B], embedded(PUMP, VALVE, SEAL))
        assert held(filled) == [PUMP[0], VALVE[0], SEAL[0]]

    def test_a_repeated_record_counts_once(self, store: VectorStore) -> None:
        store.write([A], embedded(PUMP, PUMP))
        assert held(store) == [PUMP[0]]

    def test_replacing_an_owner_leaves_the_others(self, filled: VectorStore) -> None:
        changed = (chunk("chunk:1", "The pump stands still"), vector(0, 1, 0, 0))
        filled.write([A], embedded(changed))
        assert held(filled) == [changed[0], SEAL[0]]
        assert filled.match(RecordKind.CHUNK, wanted("rpm"), 5) == []
        assert filled.match(RecordKind.CHUNK, wanted("still"), 5)[0].id == "chunk:1"

    def test_no_records_remove_the_owners(self, filled: VectorStore) -> None:
        filled.write([A, "document:unknown"], EmbeddedRecords())
        assert held(filled) == [SEAL[0]]
        filled.write([B], EmbeddedRecords())
        assert held(filled) == []

    def test_a_revision_changes_only_the_records_that_it_names(self, filled: VectorStore) -> None:
        if not isinstance(filled, Revisable):
            return
        assert filled.texts(RecordKind.CHUNK, A) == {one.id: one.text for one in (PUMP[0], VALVE[0])}
        renamed = (replace(VALVE[0], text="the bolt"), VALVE[1])
        filled.revise(RecordKind.CHUNK, A, [PUMP[0].id, VALVE[0].id], embedded(renamed))
        assert held(filled) == [renamed[0], SEAL[0]]
        assert filled.match(RecordKind.CHUNK, {"bolt": 1.0}, 1)[0].id == VALVE[0].id

    def test_the_terms_of_records_are_those_of_their_texts(self, filled: VectorStore) -> None:
        if not isinstance(filled, Termed):
            return
        expected = {one.id: " ".join(terms(one.text)) for one, _ in (PUMP, VALVE, SEAL)}
        assert dict(filled.terms(RecordKind.CHUNK, None)) == expected
        assert dict(filled.terms(RecordKind.CHUNK, [B])) == {SEAL[0].id: expected[SEAL[0].id]}
        assert list(filled.terms(RecordKind.CHUNK, [])) == list(filled.terms(RecordKind.ATOM, None)) == []

    def test_records_are_read_by_kind_and_owner(self, filled: VectorStore) -> None:
        assert held(filled, (RecordKind.CHUNK,), [B]) == [SEAL[0]]
        assert held(filled, (RecordKind.ATOM,)) == []
        assert held(filled, owners=[]) == []
        assert held(filled, owners=["document:unknown"]) == []

    def test_search_is_correct_before_and_after_optimizing(self, filled: VectorStore) -> None:
        before = [
            filled.search(RecordKind.CHUNK, vector(1, 1, 1, 0), 3),
            filled.match(RecordKind.CHUNK, wanted("pump"), 3),
        ]
        filled.optimize()
        after = [
            filled.search(RecordKind.CHUNK, vector(1, 1, 1, 0), 3),
            filled.match(RecordKind.CHUNK, wanted("pump"), 3),
        ]
        assert [[one.id for one in found] for found in before] == [[one.id for one in found] for found in after]

    def test_another_dimension_is_refused(self, store: VectorStore) -> None:
        with pytest.raises(StoreMismatch):
            store.write([A], EmbeddedRecords((PUMP[0],), np.ones((1, 5), dtype=np.float32)))

    @pytest.mark.parametrize(
        ("where", "ids"),
        [
            (Filter(documents=("manuals/pump.pdf",)), ["chunk:1"]),
            (Filter(documents=(B,)), ["chunk:3"]),
            (Filter(folders=("manuals",)), ["chunk:1", "chunk:2"]),
            (Filter(folders=("manuals/", "reports")), ["chunk:1", "chunk:2", "chunk:3"]),
            (Filter(folders=("manual",)), []),
            (Filter(pages=(3,)), ["chunk:1", "chunk:3"]),
            (Filter(pages=(3,), folders=("reports",)), ["chunk:3"]),
            (Filter(documents=("x' OR '1'='1",)), []),
        ],
    )
    def test_a_filter_applies_to_both_searches(self, filled: VectorStore, where: Filter, ids: list[str]) -> None:
        dense = filled.search(RecordKind.CHUNK, vector(1, 1, 1, 0), 5, where)
        assert sorted(one.id for one in dense) == ids
        lexical = filled.match(RecordKind.CHUNK, wanted("pump 密封"), 5, where)
        assert sorted(one.id for one in lexical) == ids

    @pytest.mark.parametrize(
        ("where", "ids"),
        [
            (Filter(since="2026-02-01"), ["chunk:2", "chunk:3"]),
            (Filter(until="2026-03-01"), ["chunk:1", "chunk:2"]),
            (Filter(since="2026-03-01", until="2026-03-01"), ["chunk:2"]),
            (Filter(tags=("pump",)), ["chunk:1"]),
            (Filter(tags=("pump", "it's")), ["chunk:1", "chunk:3"]),
            (Filter(media_types=("application/pdf",)), ["chunk:2"]),
        ],
    )
    def test_filters_by_date_tag_and_media_type(self, store: VectorStore, where: Filter, ids: list[str]) -> None:
        row = vector(1, 0, 0, 0)
        store.write(
            [A],
            embedded(
                (chunk("chunk:0", "no date"), row),
                (chunk("chunk:1", "text", date="2026-01-05", tags=("pump", "seal")), row),
                (chunk("chunk:2", "text", date="2026-03-01T10:00", media_type="application/pdf"), row),
                (chunk("chunk:3", "text", date="2026-04-01", tags=("it's",)), row),
            ),
        )
        assert [one.id for one in store.search(RecordKind.CHUNK, row, 5, where)] == ids

    def test_a_closed_store_can_be_closed_again(self, store: VectorStore) -> None:
        store.close()
        store.close()

    @settings(max_examples=8, deadline=None, suppress_health_check=_FINE)
    @given(data=st.data())
    def test_any_series_of_writes_leaves_the_last_of_each_owner(self, store: VectorStore, data: st.DataObject) -> None:
        store.write([A, B], EmbeddedRecords())
        last: dict[str, list[Record]] = {}
        for owner in data.draw(st.lists(st.sampled_from([A, B]), max_size=3)):
            ids = data.draw(st.lists(st.integers(0, 9), unique=True, max_size=4))
            kinds = [data.draw(st.sampled_from(KINDS)) for _ in ids]
            last[owner] = [
                Record(f"{owner}{id}", kind, owner, "text", "c") for id, kind in zip(ids, kinds, strict=True)
            ]
            store.write([owner], embedded(*((record, vector(1, 1, 1, 1)) for record in last[owner])))
        wanted = sorted((record for own in last.values() for record in own), key=lambda one: (one.kind, one.id))
        assert held(store) == wanted
