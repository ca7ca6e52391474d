from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evaluate.answers import AnswerResult
from evaluate.compare import compare_results, read_figures
from evaluate.questions import write_lines
from evaluate.retrieval import Ranked
from pipelines.core.errors import SourceError


def test_the_interval_of_a_clear_difference_excludes_zero() -> None:
    one = {"f1": {str(n): 0.2 + 0.01 * (n % 5) for n in range(50)}}
    two = {"f1": {id: value + 0.3 for id, value in one["f1"].items()}}
    (line,) = compare_results(one, two, 500)
    assert line.questions == 50
    assert line.difference == pytest.approx(0.3)
    assert line.low == pytest.approx(0.3)
    assert line.differs


def test_the_interval_of_random_differences_includes_zero() -> None:
    one = {"f1": {str(n): float(n % 2) for n in range(40)}}
    two = {"f1": {str(n): float(n // 2 % 2) for n in range(40)}}
    (line,) = compare_results(one, two, 500)
    assert line.low < 0 < line.high
    assert not line.differs


def test_only_questions_of_both_runs_count() -> None:
    (line,) = compare_results({"f1": {"a": 1.0, "b": 0.0}}, {"f1": {"a": 1.0, "c": 1.0}}, 200)
    assert (line.questions, line.one, line.two) == (1, 1.0, 1.0)
    assert compare_results({"f1": {"a": 1.0}}, {"em": {"a": 1.0}}, 200) == ()


def test_the_same_runs_give_the_same_intervals() -> None:
    one = {"f1": {str(n): n / 30 for n in range(30)}}
    two = {"f1": {str(n): (29 - n) / 30 for n in range(30)}}
    assert compare_results(one, two, 300) == compare_results(one, two, 300)


def test_figures_are_read_from_a_result_file(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    write_lines(path, [Ranked("q1", "graph", ("a", "b"), ("b",), 0.1), Ranked("q2", "graph", ("a",), ("c",), 0.1)])
    figures = read_figures(path)
    assert figures["graph recall@2"] == {"q1": 1.0, "q2": 0.0}
    assert figures["graph all_gold@5"] == {"q1": 1.0, "q2": 0.0}


def test_figures_of_answers_are_those_of_the_answerable_questions_except_abstention(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    base = AnswerResult("q1", "pike", "Why?", "", True, ("x",), first_document=1.0)
    unanswerable = replace(base, id="q2", answerable=False, abstained=True, first_document=0.0)
    write_lines(path, [base, unanswerable, replace(base, id="q3", error="no reply")])
    figures = read_figures(path)
    assert figures["pike first_document"] == {"q1": 1.0}
    assert figures["pike abstained"] == {"q1": 0.0, "q2": 1.0}


@pytest.mark.parametrize("text", ["{", "[1]", '{"question": "no id"}'])
def test_a_file_with_an_invalid_line_is_refused_with_its_number(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"id": "q", "strategy": "pike", "f1": 0.5}\n' + text)
    with pytest.raises(SourceError, match="line 2"):
        read_figures(path)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none\.jsonl"):
        read_figures(tmp_path / "none.jsonl")
