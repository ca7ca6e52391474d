from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.metrics import (
    Overlap,
    all_gold_at,
    answer_cited,
    document_recall,
    exact_match,
    first_document,
    mean,
    normalize_answer,
    overlap,
    page_recall,
    percent,
    recall_at,
)
from evaluate.questions import GoldSource
from pipelines.core.provenance import Span
from qa.answer import Citation, Found


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The  Cat's Hat!", "cats hat"),
        ("a an the", ""),
        ("An apple, a day", "apple day"),
        ("U.S.A.", "usa"),
        ("theatre", "theatre"),
        ("Łódź", "łódź"),
    ],
)
def test_answers_are_normalized_as_in_squad(text: str, normal: str) -> None:
    assert normalize_answer(text) == normal


def test_exact_match_uses_the_best_label() -> None:
    assert exact_match("the Dodgers", ["LAD", "Dodgers"]) == 1
    assert exact_match("Dodgers of Los Angeles", ["LAD", "Dodgers"]) == 0
    assert exact_match("anything", []) == 0


@pytest.mark.parametrize(
    ("answer", "labels", "expected"),
    [
        ("Los Angeles Dodgers", ["Dodgers"], Overlap(0.5, 1 / 3, 1.0)),
        ("red red blue", ["red blue blue"], Overlap(2 / 3, 2 / 3, 2 / 3)),
        ("green", ["red"], Overlap()),
        ("", ["red"], Overlap()),
        ("x", [], Overlap()),
        ("Dodgers team", ["LAD", "team Dodgers"], Overlap(1.0, 1.0, 1.0)),
    ],
)
def test_overlap_counts_shared_words(answer: str, labels: list[str], expected: Overlap) -> None:
    found = overlap(answer, labels)
    assert (found.f1, found.precision, found.recall) == pytest.approx(
        (expected.f1, expected.precision, expected.recall)
    )


@pytest.mark.parametrize("answer", ["yes it is", "no way", "noanswer at all"])
def test_yes_and_no_only_match_as_whole_answers(answer: str) -> None:
    assert overlap(answer, [answer.split(maxsplit=1)[0]]) == Overlap()
    assert overlap("Yes.", ["yes"]).f1 == 1


def test_recall_is_the_share_of_gold_passages_within_the_rank() -> None:
    ranked = ["a", "b", "c", "d"]
    assert recall_at(ranked, ["a", "d"], 2) == 0.5
    assert recall_at(ranked, ["a", "d"], 4) == 1.0
    assert recall_at(ranked, ["x"], 4) == 0.0
    assert recall_at(ranked, [], 2) == 1.0
    assert all_gold_at(ranked, ["a", "b"], 2) == 1.0
    assert all_gold_at(ranked, ["a", "d"], 2) == 0.0


def test_a_repeated_gold_passage_counts_once() -> None:
    assert recall_at(["a"], ["a", "a"], 5) == 1.0


@given(
    ranked=st.lists(st.text("abcdef", min_size=1, max_size=1), unique=True),
    gold=st.sets(st.text("abcdefg", min_size=1, max_size=1)),
)
def test_recall_does_not_decrease_with_the_rank(ranked: list[str], gold: set[str]) -> None:
    recalls = [recall_at(ranked, gold, k) for k in range(len(ranked) + 1)]
    assert recalls == sorted(recalls)
    for k, recall in enumerate(recalls):
        assert all_gold_at(ranked, gold, k) == float(recall == 1.0)


def test_the_mean_of_an_empty_list_is_zero() -> None:
    assert mean([]) == 0.0
    assert percent([1.0, 0.0, 0.5]) == 50.0


def test_gold_sources_are_matched_by_file_and_page() -> None:
    found = [
        Found("1", "a/one.pdf", (3, 4), 1.0, "3"),
        Found("2", "b.xlsx", (1,), 1.0, "Prices"),
        Found("3", "c.md", (), 1.0),
    ]
    gold = [GoldSource("one.pdf", 4), GoldSource("b.xlsx", "Prices"), GoldSource("c.md"), GoldSource("d")]
    assert first_document(found, gold) == 1.0
    assert document_recall(found, gold, 5) == 0.75
    assert page_recall(found, gold, 5) == 0.75
    assert page_recall(found, gold, 1) == 0.25
    assert page_recall(found, [GoldSource("one.pdf", 5)], 5) == 0.0
    assert first_document([], gold) == 0.0


@pytest.mark.parametrize(
    ("quote", "labels", "gold", "expected"),
    [
        ("The pump weighs 68 kg.", ["68 kg"], "", 1),
        ("The pump weighs 168 kg.", ["68 kg"], "", 0),
        ("上海工厂生产水泵。", ["水 泵"], "", 1),
        ("It weighs more. The PUMP weighs\n68 kg, dry.", [], "The pump weighs 68 kg", 1),
        ("The pump weighs 68 kg", ["sixty-eight"], "The pump weighs 68 kg when it is dry.", 1),
        ("The pump", ["sixty-eight"], "The pump weighs 68 kg when it is dry.", 0),
        ("Nothing.", [], "", 0),
    ],
)
def test_a_citation_with_the_answer_or_most_of_the_gold_quote_counts(
    quote: str, labels: list[str], gold: str, expected: int
) -> None:
    cited = Citation(1, "d", "manuals/pump.pdf", "Pump", quote, "c", Span(0, len(quote)))
    assert answer_cited([cited], labels, [GoldSource("pump.pdf", 1, gold)]) == expected
    assert answer_cited([cited], labels, [GoldSource("other.pdf", 1, gold)]) == 0
