from __future__ import annotations

import pytest

from pipelines.core.knowledge import TagPair
from pipelines.retrieve.index import Index
from pipelines.retrieve.query import analyze_query, coverage, expansion
from pipelines.retrieve.question_words import CorpusWords
from tests.retrieve.small_graph import number


def test_names_and_titles_in_a_question_are_recognized(index: Index) -> None:
    query = analyze_query("Who founded alpha works, and where is Torvik?", index)
    assert {index.entity_names[entity] for entity in query.entities} == {"Alpha Works", "Torvik"}
    assert {index.titles[document] for document in query.titles} == {"Alpha Works", "Torvik"}
    assert all(0 < weight <= 1 for weight in query.titles.values())


def test_coverage_is_zero_where_a_term_is_missing(index: Index) -> None:
    query = analyze_query("lighthouse rain unheard", index)
    covered = coverage(query, index)
    assert covered.shape == (3, 5)
    assert (covered[0] > 0).nonzero()[0].tolist() == [number(index, "c")]
    assert (covered[1] > 0).nonzero()[0].tolist() == [number(index, "e")]
    assert not covered[2].any()
    assert query.weights[2] == query.weights.max()


def test_terms_added_by_a_tag_pair_are_weighted_by_it(index: Index) -> None:
    query = analyze_query("light tower", index, (TagPair("light tower", "Lighthouse", 0.5),))
    plain = analyze_query("light tower lighthouse", index)
    assert query.terms == plain.terms
    assert query.weights[2] == pytest.approx(plain.weights[2] * 0.5)


def test_a_tag_already_in_the_question_adds_no_terms(index: Index) -> None:
    corpus = CorpusWords(index)
    assert expansion((TagPair("pumps", "pump", 1.0),), corpus) == ()
    added = expansion((TagPair("big car", "truck", 0.8), TagPair("lorry", "truck", 0.6)), corpus)
    assert [(word.term, weight) for word, weight in added] == [("truck", 0.8)]
