from __future__ import annotations

from pipelines.lang.bm25 import Bm25

SUBJECTS = ["pump", "valve", "boiler", "crane", "motor", "filter", "gearbox", "turbine", "furnace", "mixer"]
CHUNKS = [f"The {subject} number {n} stands in hall {n}." for n, subject in enumerate(SUBJECTS)]


def test_the_best_matching_text_has_the_highest_score() -> None:
    index = Bm25(CHUNKS)
    assert index.scores("the boiler").shape == (len(CHUNKS),)
    assert [int(index.scores(query).argmax()) for query in ("the boiler", "turbine hall")] == [2, 7]


def test_without_texts_there_are_no_scores() -> None:
    assert Bm25([]).scores("boiler").shape == (0,)
