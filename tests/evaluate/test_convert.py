from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluate.questions import convert_benchmark, read_passages, read_questions, write
from pipelines.core.errors import SourceError

HOTPOT = {
    "_id": "5a8b",
    "question": "Which is older?",
    "answer": "yes",
    "type": "comparison",
    "level": "hard",
    "supporting_facts": [["One", 0], ["Two", 1], ["One", 1]],
    "context": [["One", ["One is a town.", " It is old."]], ["Other", ["Else."]], ["Two", ["Two is new."]]],
}
MUSIQUE = {
    "id": "2hop__1_2",
    "question": "Who?",
    "answer": "Ann",
    "answer_aliases": ["Anna", "Ann"],
    "answerable": True,
    "question_decomposition": [{"id": 1}, {"id": 2}],
    "paragraphs": [
        {"idx": 0, "title": "A", "paragraph_text": "Text of A.", "is_supporting": True},
        {"idx": 1, "title": "B", "paragraph_text": "Text of B.", "is_supporting": False},
    ],
}


def test_hotpotqa_is_converted_to_passages_and_gold_passages(tmp_path: Path) -> None:
    path = tmp_path / "hotpot_dev.json"
    path.write_text(json.dumps([HOTPOT, {**HOTPOT, "_id": "2"}]))
    converted = convert_benchmark("hotpotqa", path)
    by_title = {passage.title: passage for passage in converted.passages}
    assert list(by_title) == ["One", "Other", "Two"]
    assert by_title["One"].text == "One is a town. It is old."
    question = converted.questions[0]
    assert (question.id, question.answers, question.type) == ("5a8b", ("yes",), "comparison")
    assert question.gold_passages == (by_title["One"].id, by_title["Two"].id)


def test_pairs_may_be_given_as_two_lists(tmp_path: Path) -> None:
    columns = {
        **HOTPOT,
        "context": {"title": ["One", "Two"], "sentences": [["One is a town."], ["Two is new."]]},
        "supporting_facts": {"title": ["Two"], "sent_id": [0]},
    }
    path = tmp_path / "lines.jsonl"
    path.write_text(json.dumps(columns))
    converted = convert_benchmark("2wikimultihopqa", path)
    assert converted.questions[0].gold_passages == (converted.passages[1].id,)


def test_musique_is_converted_with_aliases_and_hops(tmp_path: Path) -> None:
    path = tmp_path / "musique.jsonl"
    path.write_text(json.dumps(MUSIQUE) + "\n" + json.dumps({**MUSIQUE, "id": "x", "answerable": False}))
    converted = convert_benchmark("musique", path)
    first, second = converted.questions
    assert (first.answers, first.hops, first.answerable) == (("Ann", "Anna"), 2, True)
    assert first.gold_passages == (converted.passages[0].id,)
    assert not second.answerable
    assert len(converted.passages) == 2


def test_blendqa_is_converted_without_passages(tmp_path: Path) -> None:
    path = tmp_path / "kg-web_132.jsonl"
    path.write_text('{"index": 7, "question": "Why?", "answers": ["because", "so"]}\n')
    converted = convert_benchmark("blendqa", path)
    assert converted.passages == ()
    question = converted.questions[0]
    assert (question.id, question.type, question.answers) == ("kg-web-7", "kg-web", ("because", "so"))


def test_converted_files_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "musique.jsonl"
    path.write_text(json.dumps(MUSIQUE))
    converted = convert_benchmark("musique", path)
    write(converted, tmp_path / "out")
    assert read_questions(tmp_path / "out" / "questions.jsonl") == converted.questions
    assert read_passages(tmp_path / "out" / "corpus.jsonl") == converted.passages


@pytest.mark.parametrize("text", ['{"question": "q"}', "not json", "[1, 2]"])
def test_a_file_of_another_format_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(SourceError):
        convert_benchmark("hotpotqa", path)


def test_an_unknown_format_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as raised:
        convert_benchmark("squad", tmp_path)
    assert "musique" in raised.value.hint
