"""Tests of the survey strategy for questions about all documents, with a scripted model and without one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pipelines.core.errors import SettingsError
from pipelines.ingest.build import build
from pipelines.llm.testing.fakes import ScriptedChat
from pipelines.retrieve.stored_knowledge import StoredKnowledge
from pipelines.settings import load
from pipelines.store.vector import Filter
from qa.answer import Answer
from qa.knowledge_base import KnowledgeBase
from qa.model_calls import ModelCalls
from qa.settings import QaSettings
from qa.strategies.registry import STRATEGIES

ALARMS = "\n".join(f"| A{number} | Alarm {number} of the compressor | {number} bar |" for number in range(1, 41))
FILES = {
    "manual.md": f"# Compressor manual\n\nThis manual tells how the compressor is run.\n\n"
    f"## Alarms\n\n| Code | Alarm | Limit |\n| --- | --- | --- |\n{ALARMS}\n",
    "notes/pump.md": "# Pump notes\n\nThe feed pump stands in hall 2. Cavitation damages its impeller.\n",
    "notes/hall.md": "# Hall plan\n\nThe plan shows where the machines stand. Cavitation is not its subject.\n",
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoredKnowledge]:
    folder, kb = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("kb") / "kb"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    small = {"ingest.workers": 1, "chunk.min_tokens": 20, "chunk.target_tokens": 100, "chunk.max_tokens": 200}
    settings = load(None, small, QaSettings).settings
    build(folder, kb, settings)
    with KnowledgeBase.open(kb, settings) as opened:
        yield opened.confined()


async def survey(question: str, knowledge: Any, *replies: Any, **changed: int) -> tuple[Answer, ScriptedChat]:
    chat = ScriptedChat([reply if isinstance(reply, str) else json.dumps(reply) for reply in replies])
    settings = QaSettings().qa.answer.model_copy(update=changed)
    model = ModelCalls(chat) if replies else None
    return await STRATEGIES["survey"].answer(question, knowledge, model, settings), chat


async def test_a_folder_is_described_by_the_first_sentence_of_each_document(
    knowledge: StoredKnowledge,
) -> None:
    answer, _ = await survey("What is this folder about?", knowledge)
    assert answer.text.splitlines() == [
        "Compressor manual: This manual tells how the compressor is run.",
        "Hall plan: The plan shows where the machines stand.",
        "Pump notes: The feed pump stands in hall 2.",
    ]
    assert [citation.uri for citation in answer.citations] == ["manual.md", "notes/hall.md", "notes/pump.md"]
    assert answer.warnings == ()


async def test_the_extractive_strategy_delegates_questions_about_the_folder_to_a_survey(
    knowledge: StoredKnowledge,
) -> None:
    answer = await STRATEGIES["extractive"].answer(
        "What is this folder about?", knowledge, None, QaSettings().qa.answer
    )
    assert answer.strategy == "survey"
    assert len(answer.claims) == 3
    one = await STRATEGIES["extractive"].answer("Where is the feed pump?", knowledge, None, QaSettings().qa.answer)
    assert one.strategy == "extractive"


@pytest.mark.parametrize(
    "question",
    [
        "Which documents mention cavitation?",
        "In which of the files is cavitation described?",
        "Welche Dokumente behandeln Cavitation?",
        "哪些文件提到了cavitation?",
    ],
)
async def test_which_documents_questions_are_answered_with_each_document(
    knowledge: StoredKnowledge, question: str
) -> None:
    answer = await STRATEGIES["extractive"].answer(question, knowledge, None, QaSettings().qa.answer)
    assert answer.strategy == "survey"
    assert {citation.uri for citation in answer.citations} == {"notes/pump.md", "notes/hall.md"}


async def test_a_question_for_documents_needed_by_something_is_not_a_survey(knowledge: StoredKnowledge) -> None:
    question = "Which documents does the feed pump need?"
    answer = await STRATEGIES["extractive"].answer(question, knowledge, None, QaSettings().qa.answer)
    assert answer.strategy == "extractive"


@pytest.mark.parametrize(
    "question",
    ["Summarise the pump notes.", "What are the Pump notes about? Give a summary.", "Fasse die Pump notes zusammen.",
     "总结 Pump notes"],
)  # fmt: skip
async def test_a_named_document_is_summarized(knowledge: StoredKnowledge, question: str) -> None:
    answer = await STRATEGIES["extractive"].answer(question, knowledge, None, QaSettings().qa.answer)
    assert answer.strategy == "survey"
    assert {citation.uri for citation in answer.citations} == {"notes/pump.md"}
    assert "The feed pump stands in hall 2." in answer.text


@pytest.mark.parametrize("question", ["Summarize pump.md", "Résume pump.md", "What is notes/PUMP.MD about?"])
async def test_a_document_named_by_its_file_is_summarized(knowledge: StoredKnowledge, question: str) -> None:
    answer = await STRATEGIES["extractive"].answer(question, knowledge, None, QaSettings().qa.answer)
    assert answer.strategy == "survey"
    assert {citation.uri for citation in answer.citations} == {"notes/pump.md"}


async def test_a_summary_of_a_document_covers_its_sections(knowledge: StoredKnowledge) -> None:
    question = "Give me an overview of the compressor manual."
    answer = await STRATEGIES["extractive"].answer(question, knowledge, None, QaSettings().qa.answer)
    assert answer.claims[0].text.endswith("This manual tells how the compressor is run.")
    assert len(answer.claims) > 1


async def test_a_summary_of_something_other_than_a_document_is_not_a_survey(knowledge: StoredKnowledge) -> None:
    question = "Summarise what cavitation damages."
    answer = await STRATEGIES["extractive"].answer(question, knowledge, None, QaSettings().qa.answer)
    assert answer.strategy == "extractive"


async def test_documents_beyond_the_limit_of_a_survey_are_counted(knowledge: StoredKnowledge) -> None:
    answer, _ = await survey("What are these documents about?", knowledge, surveyed=2)
    assert len(answer.claims) == 2
    assert answer.warnings == ("1 more documents were not looked at.",)


async def test_a_survey_applies_its_filter(knowledge: StoredKnowledge) -> None:
    answer, _ = await survey("What is this folder about?", knowledge.within(Filter(folders=("notes",))))
    assert [citation.uri for citation in answer.citations] == ["notes/hall.md", "notes/pump.md"]


async def test_documents_about_something_are_quoted_with_what_they_say(knowledge: StoredKnowledge) -> None:
    answer, _ = await survey("Which documents treat cavitation?", knowledge)
    assert {claim.text for claim in answer.claims} == {
        "Pump notes: Cavitation damages its impeller.",
        "Hall plan: Cavitation is not its subject.",
    }


async def test_a_list_has_all_rows_of_a_table_that_spans_several_chunks(knowledge: StoredKnowledge) -> None:
    answer, _ = await survey("List all alarms", knowledge)
    assert len({citation.chunk for citation in answer.citations}) > 1
    assert [claim.text.split(";")[0] for claim in answer.claims] == [f"A{number}" for number in range(1, 41)]
    assert {citation.context for citation in answer.citations} == {"Code | Alarm | Limit"}


async def test_a_survey_about_an_unknown_term_is_refused(knowledge: StoredKnowledge) -> None:
    answer, _ = await survey("Which documents treat quinine?", knowledge)
    assert answer.abstained


NOTED = {
    "points": [
        {"text": "The pump notes say that cavitation damages the impeller.", "passage": 3},
        {"text": "The hall plan has 77 rooms.", "passage": 2},
        {"text": "Quinine helps.", "passage": 1},
    ]
}


async def test_a_model_notes_points_per_batch_and_combines_them(knowledge: StoredKnowledge) -> None:
    reply = {"answer": "Cavitation damages the impeller.", "points": [1]}
    answer, chat = await survey("Which documents treat cavitation?", knowledge, NOTED, reply)
    assert [request.role for request in chat.requests] == ["survey_note", "survey"]
    assert "[1] Compressor manual: This manual tells" in chat.requests[0].messages[-1].content
    assert "1. The pump notes say that cavitation damages the impeller." in chat.requests[1].messages[-1].content
    assert answer.short == "Cavitation damages the impeller."
    assert answer.citations[0].quote == "Cavitation damages its impeller."
    assert [reason.split(":")[0] for reason in answer.dropped] == ["no source for it"] * 2


async def test_a_small_context_is_read_in_several_batches(knowledge: StoredKnowledge) -> None:
    nothing: dict[str, Any] = {"points": []}
    replies = [NOTED, *[nothing] * 30]
    answer, chat = await survey("Which documents treat cavitation?", knowledge, *replies, context_tokens=60)
    assert [request.role for request in chat.requests].count("survey_note") > 1
    assert answer.claims


async def test_a_survey_without_points_is_refused(knowledge: StoredKnowledge) -> None:
    answer, chat = await survey("Which documents treat quinine?", knowledge, {"points": []})
    assert answer.abstained
    assert len(chat.requests) == 1


async def test_a_combined_answer_with_a_number_of_no_point_is_dropped(knowledge: StoredKnowledge) -> None:
    reply = {"answer": "There are 950 documents.", "points": [1]}
    answer, _ = await survey("Which documents treat cavitation?", knowledge, NOTED, reply)
    assert answer.short == ""
    assert answer.text == "The pump notes say that cavitation damages the impeller."


async def test_a_decomposition_delegates_a_question_about_all_documents_to_a_survey(knowledge: StoredKnowledge) -> None:
    whole = {"thinking": "", "whole": True, "sufficient": False, "questions": []}
    reply = {"answer": "Cavitation damages the impeller.", "points": [1]}
    chat = ScriptedChat([json.dumps(one) for one in (whole, NOTED, reply)])
    answer = await STRATEGIES["pike-graph"].answer(
        "Which documents treat cavitation?", knowledge, ModelCalls(chat), QaSettings().qa.answer
    )
    assert [request.role for request in chat.requests] == ["propose", "survey_note", "survey"]
    assert answer.strategy == "survey"


async def test_a_survey_is_refused_by_a_retrieval_without_document_overviews() -> None:
    with pytest.raises(SettingsError, match="cannot list its documents"):
        await survey("What is this folder about?", object())
