from __future__ import annotations

import numpy as np
import pytest

from pipelines.retrieve.index import Index
from pipelines.retrieve.propagate import best_of, propagate
from pipelines.retrieve.query import analyze_query, coverage
from pipelines.sections import RetrieveSettings
from tests.retrieve.small_graph import TEXTS, number


def gains(index: Index, question: str, start: str, **changed: float) -> list[dict[str, float]]:
    """The score that each chunk gains per round, from a single chunk with score 1."""
    query = analyze_query(question, index)
    score = np.zeros(index.size, dtype=np.float32)
    score[number(index, start)] = 1.0
    settings = RetrieveSettings(**changed)  # type: ignore[arg-type]
    rounds = propagate(query, coverage(query, index), score, np.ones(index.size, np.float32), index, settings)
    return [
        {name: float(round_.gain[number(index, name)]) for name in TEXTS if round_.gain[number(index, name)]}
        for round_ in rounds
    ]


def test_score_propagates_along_a_shared_name_but_not_back(index: Index) -> None:
    first, second = gains(index, "Who founded Alpha Works?", "a")
    assert set(first) == {"b"}
    assert "a" not in second
    assert second["c"] > 0


def test_score_does_not_propagate_along_a_name_of_the_question(index: Index) -> None:
    assert gains(index, "What is Edda Quill to Alpha Works?", "a")[0] == {}


def test_a_chunk_that_covers_more_of_the_question_gains_more(index: Index) -> None:
    blind = gains(index, "Who founded it?", "b")[0]
    open_question = gains(index, "Who founded it? What of the lighthouse there?", "b")[0]
    assert open_question["c"] > blind["c"]
    assert open_question["d"] == pytest.approx(blind["d"])


def test_a_document_titled_with_the_name_gains_more_than_those_that_mention_it(index: Index) -> None:
    first = gains(index, "rain", "b")[0]
    assert first["c"] > first["d"] > 0
    flat = gains(index, "rain", "b", headline=0.0)[0]
    assert flat["c"] == pytest.approx(2 * flat["d"])  # d has the name only inside a longer name


def test_a_reference_propagates_to_the_chunks_of_its_document(index: Index) -> None:
    assert gains(index, "harbour", "d", references=1.0)[0]["e"] > 0
    assert "e" not in gains(index, "harbour", "d", references=0.0)[0]


def test_without_rounds_there_is_no_propagation(index: Index) -> None:
    assert gains(index, "Who founded Alpha Works?", "a", rounds=0) == []


def test_the_best_scores_come_first_and_ties_by_number() -> None:
    score = np.array([0.5, 0.0, 0.9, 0.5, 0.5], dtype=np.float32)
    assert best_of(score, 3).tolist() == [2, 0, 3]
    assert best_of(score, 10).tolist() == [2, 0, 3, 4]
    assert best_of(np.zeros(3, dtype=np.float32), 2).tolist() == []
