from __future__ import annotations

import numpy as np

from pipelines.atomize.lexical import Bm25
from pipelines.atomize.recall import self_recall
from pipelines.llm.hashing import HashingEmbedder
from pipelines.store.vector import Embedded, Record, RecordKind

SUBJECTS = ["pump", "valve", "boiler", "crane", "motor", "filter", "gearbox", "turbine", "furnace", "mixer"]
CHUNKS = [f"The {subject} number {n} stands in hall {n}." for n, subject in enumerate(SUBJECTS)]


def embedded(kind: RecordKind, texts: list[str], chunks: list[str]) -> Embedded:
    records = tuple(
        Record(f"{kind}:{n}", kind, f"document:{chunk}", text, chunk)
        for n, (text, chunk) in enumerate(zip(texts, chunks, strict=True))
    )
    return Embedded(records, HashingEmbedder().embed(texts))


def chunks_of(texts: list[str]) -> Embedded:
    return embedded(RecordKind.CHUNK, texts, [f"chunk:{n}" for n in range(len(texts))])


def test_an_atom_of_its_chunk_passes_and_one_about_nothing_in_it_does_not() -> None:
    atoms = embedded(RecordKind.ATOM, ["Where does the pump stand?", "Where does the mixer stand?"], ["chunk:0"] * 2)
    found = self_recall(atoms, chunks_of(CHUNKS), depth=1)
    assert found.passed == ("atom:0",)
    assert found.quarantined == ("atom:1",)
    assert found.shares == {"document:chunk:0": 0.5}
    assert found.share == 0.5


def test_an_atom_that_fits_every_chunk_is_quarantined_where_others_fit_better() -> None:
    texts = [*(f"hall hall {n}" for n in range(8)), "A pump in the hall of the old brick building by the river."]
    atoms = embedded(RecordKind.ATOM, ["In which hall?"], ["chunk:8"])
    assert self_recall(atoms, chunks_of(texts)).quarantined == ("atom:0",)


def test_a_copy_of_the_chunk_does_not_shut_it_out() -> None:
    atoms = embedded(RecordKind.ATOM, ["Where does the pump stand?"], ["chunk:11"])
    assert self_recall(atoms, chunks_of(CHUNKS + [CHUNKS[0]] * 9)).quarantined == ()


def test_no_atoms_recall_everything() -> None:
    none = Embedded((), np.zeros((0, 256), dtype=np.float32))
    assert self_recall(none, chunks_of(CHUNKS)).share == 1


def test_the_best_text_has_the_best_score() -> None:
    index = Bm25(CHUNKS)
    assert index.scores("the boiler").shape == (len(CHUNKS),)
    assert [int(index.scores(query).argmax()) for query in ("the boiler", "turbine hall")] == [2, 7]


def test_no_texts_have_no_scores() -> None:
    assert Bm25([]).scores("boiler").shape == (0,)


def test_atoms_do_not_change_one_another_s_ranks() -> None:
    atoms = embedded(
        RecordKind.ATOM, [f"Where is the {one}?" for one in SUBJECTS], [f"chunk:{(n * 3) % 10}" for n in range(10)]
    )
    whole = self_recall(atoms, chunks_of(CHUNKS), depth=2)
    assert len(whole.passed) + len(whole.quarantined) == 10
    single = [
        self_recall(Embedded((record,), atoms.vectors[n : n + 1]), chunks_of(CHUNKS), depth=2)
        for n, record in enumerate(atoms.records)
    ]
    assert whole.passed == tuple(name for one in single for name in one.passed)
