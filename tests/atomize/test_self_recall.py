from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.atomize import recall_index
from pipelines.atomize.self_recall import (
    DEPTH,
    ChunkRank,
    DocumentRecords,
    SearchRecords,
    SelfRecall,
    rank,
    self_recall,
)
from pipelines.llm.embedder import HashingEmbedder
from pipelines.store.vector import EmbeddedRecords, Record, RecordKind

SUBJECTS = ["pump", "valve", "boiler", "crane", "motor", "filter", "gearbox", "turbine", "furnace", "mixer"]
CHUNKS = [f"The {subject} number {n} stands in hall {n}." for n, subject in enumerate(SUBJECTS)]


def searched(kind: RecordKind, texts: list[str], chunks: list[str]) -> SearchRecords:
    records = tuple(
        Record(f"{kind}:{n}" if kind is RecordKind.ATOM else chunk, kind, f"document:{chunk}", text, chunk)
        for n, (text, chunk) in enumerate(zip(texts, chunks, strict=True))
    )
    return SearchRecords.of(EmbeddedRecords(records, HashingEmbedder().embed(texts)))


def atoms_of(texts: list[str], chunks: list[str]) -> SearchRecords:
    return searched(RecordKind.ATOM, texts, chunks)


def chunks_of(texts: list[str]) -> SearchRecords:
    return searched(RecordKind.CHUNK, texts, [f"chunk:{n}" for n in range(len(texts))])


def recalled(atoms: SearchRecords, chunks: SearchRecords) -> SelfRecall:
    parts = {"all": DocumentRecords(atoms, chunks)}
    return self_recall(parts, rank(parts))


def test_an_atom_that_recalls_its_chunk_passes_and_an_unrelated_one_is_quarantined() -> None:
    atoms = atoms_of(["Where does the pump stand?", "Where does the mixer stand?"], ["chunk:0"] * 2)
    found = recalled(atoms, chunks_of([CHUNKS[0], *CHUNKS[9:] * DEPTH]))
    assert found.passed == ("atom:0",)
    assert found.quarantined == ("atom:1",)
    assert found.share == 0.5


def test_an_unspecific_atom_is_quarantined_if_other_chunks_rank_higher() -> None:
    texts = [*(f"hall hall {n}" for n in range(8)), "A pump in the hall of the old brick building by the river."]
    assert recalled(atoms_of(["In which hall?"], ["chunk:8"]), chunks_of(texts)).quarantined == ("atom:0",)


def test_duplicates_of_the_chunk_do_not_push_it_out_of_the_ranking() -> None:
    atoms = atoms_of(["Where does the pump stand?"], ["chunk:11"])
    assert recalled(atoms, chunks_of(CHUNKS + [CHUNKS[0]] * 9)).quarantined == ()


def test_without_atoms_the_recalled_share_is_one() -> None:
    none = SearchRecords.of(EmbeddedRecords((), np.zeros((0, 256), dtype=np.float32)))
    assert recalled(none, chunks_of(CHUNKS)).share == 1


def test_chunks_are_ranked_by_the_sum_of_cosine_and_share_of_terms() -> None:
    texts = ["pump seal", "pump seal leak", "pump", "valve"]
    parts = {"all": DocumentRecords(atoms_of(["pump leak"], ["chunk:2"]), chunks_of(texts))}
    (found,) = rank(parts)["all"]
    vectors, (asked,) = HashingEmbedder().embed(texts), HashingEmbedder().embed(["pump leak"])
    shares = (0.5, 1.0, 0.5, 0.0)
    scores = [float(vector @ asked) + share for vector, share in zip(vectors, shares, strict=True)]
    assert found.own / 4000**2 == pytest.approx(scores[2], abs=0.01)
    assert {place for _, place in found.above} == {n for n, score in enumerate(scores) if score > scores[2]}


def document(number: int, subjects: list[int]) -> DocumentRecords:
    """A document with one chunk per subject, each with one matching atom and one atom about another subject."""
    names = [f"chunk:{number}:{n}" for n in range(len(subjects))]
    texts = [f"The {SUBJECTS[n]} of line {number % 3} stands in hall {n}." for n in subjects]
    asked = [f"Where does the {SUBJECTS[(n + k) % 10]} stand?" for n in subjects for k in (0, 1)]
    return DocumentRecords(
        atoms_of(asked, [name for name in names for _ in range(2)]), searched(RecordKind.CHUNK, texts, names)
    )


DOCUMENTS = st.dictionaries(
    st.integers(0, 30), st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=14
)


@settings(max_examples=60, deadline=None)
@given(st.lists(DOCUMENTS, min_size=2, max_size=4))
def test_incremental_self_recall_equals_a_full_recomputation(
    folders: list[dict[int, list[int]]],
) -> None:
    held: dict[str, tuple[ChunkRank, ...]] = {}
    for folder in folders:
        parts = {f"{number} {subjects}": document(number, subjects) for number, subjects in sorted(folder.items())}
        held = rank(parts, held)
        assert self_recall(parts, held) == self_recall(parts, rank(parts))


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, st.sampled_from(["", "bolt", "the hall of line 1", "pump valve boiler crane motor"]))
def test_ranks_from_the_index_equal_ranks_from_exhaustive_comparison(folder: dict[int, list[int]], more: str) -> None:
    parts = {f"{number} {subjects}": document(number, subjects) for number, subjects in sorted(folder.items())}
    names = [id for part in parts.values() for id in part.chunks.ids]
    strays = atoms_of([more] * len(names), names)
    rest = [part.chunks for part in parts.values()]
    chunks = SearchRecords(
        tuple(names),
        tuple(names),
        np.concatenate([one.vectors for one in rest]),
        tuple(terms for one in rest for terms in one.terms),
    )
    parts["strays"] = DocumentRecords(strays, chunks)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(recall_index, "_FEW_PAIRS", 0)
        patched.setattr(recall_index, "_FEW_CHUNKS", 0)
        found = rank(parts)
    assert found == rank(parts)


def test_a_failed_atom_is_ranked_again_once_too_few_chunks_above_it_are_left() -> None:
    nothing = SearchRecords.of(EmbeddedRecords((), np.zeros((0, 256), dtype=np.float32)))
    parts = {"own": DocumentRecords(atoms_of(["mixer"], ["chunk:0"]), chunks_of(["pump"]))}
    parts |= {f"{n}": DocumentRecords(nothing, chunks_of([f"mixer {n}"])) for n in range(30)}
    before = rank(parts)
    (found,) = before["own"]
    assert found.truncated
    gone = {key for key, _ in found.above[:-2]}
    left = {key: part for key, part in parts.items() if key not in gone}
    assert len(left) - 1 > 2
    after = rank(left, before)["own"][0]
    assert len(after.above) == len(left) - 1
    assert not after.passed
