from __future__ import annotations

import asyncio
import json

import pytest

from pipelines.chunk.chunk import chunk
from pipelines.chunk.settings import ChunkSettings
from pipelines.chunk.splitter import StructuralSplitter
from pipelines.chunk.summaries import ModelSummarizer, QuotingSummarizer, Summarizer, summarize_sections
from pipelines.core.document import Document
from pipelines.core.errors import BudgetExceeded, CallTimedOut
from pipelines.core.outcome import Failure
from pipelines.llm.testing.fakes import FakeAnswer, FunctionChat
from tests.chunk.build import document, heading, paragraph, table

SETTINGS = ChunkSettings(max_tokens=40, target_tokens=30, min_tokens=10, window_tokens=60, section_tokens=30)
FACTS = (
    "The feed pump moves cold water through the long pipe.",
    "The relief valve opens when the pressure is too high.",
    "The shaft seal is renewed after every second year.",
    "The ball bearing is greased with lithium soap in spring.",
)


def long_section(first: int = 0) -> str:
    return " ".join(f"{fact[:-1]} at station {first + n}." for n, fact in enumerate(FACTS * 3))


def summarized(
    made: Document, summarizer: Summarizer = QuotingSummarizer(), settings: ChunkSettings = SETTINGS
) -> tuple[dict[str, str], tuple[Failure, ...]]:
    async def work() -> tuple[dict[str, str], tuple[Failure, ...]]:
        chunks = await chunk(made, StructuralSplitter(settings), settings)
        return await summarize_sections(made, chunks, summarizer, settings)

    return asyncio.run(work())


def titles(made: Document, summaries: dict[str, str]) -> dict[str, str]:
    return {section.title: summaries[section.id] for section in made.sections if section.id in summaries}


def test_a_short_section_and_its_document_share_the_summary_of_the_chunk() -> None:
    made = document(heading("Pumps"), paragraph(FACTS[0]))
    summaries, failures = summarized(made)
    assert titles(made, summaries) == {"Pumps": FACTS[0]}
    assert summaries[made.id] == FACTS[0]
    assert failures == ()


@pytest.mark.parametrize(
    "sentence", [FACTS[0], "水泵把冷水送过长管。", "Die Pumpe fördert kaltes Wasser durch das lange Rohr."]
)
def test_a_summary_quotes_complete_sentences_and_not_bylines_or_drawing_labels(sentence: str) -> None:
    byline = paragraph("Pumps · Revision D, March 2024 · Pumps and Valves, Product Engineering")
    labels = paragraph("100\n80\nPump K80-250\nHead of the pump, m 60\n40\nPump K65-200\n20\nFlow of the pump, m³/h")
    made = document(heading("Pumps"), byline, labels, paragraph(sentence))
    assert summarized(made, settings=ChunkSettings())[0][made.id] == sentence


def test_without_a_model_summaries_are_sentences_of_the_text() -> None:
    made = document(
        heading("Pumps"), paragraph(long_section()), heading("Oil", 2), paragraph(long_section(20)), heading("Valves"),
        paragraph(FACTS[1]),
    )  # fmt: skip
    summaries, _ = summarized(made)
    assert set(titles(made, summaries)) == {"Pumps", "Oil", "Valves"}
    for summary in summaries.values():
        assert all(sentence.rstrip(".") in made.text for sentence in summary.split(". "))
    assert len(summaries[made.id]) < len(made.text) / 4
    assert summarized(made) == (summaries, ())


def test_sections_that_share_a_chunk_have_separate_summaries() -> None:
    made = document(
        heading("Terms"), paragraph(FACTS[0] * 3), heading("Pump", 2), paragraph("It pumps."), heading("Valve", 2),
        paragraph("It shuts the pipe."), heading("Parts", 2), table(["part", "size"], ["P-1", "3"]),
    )  # fmt: skip
    found = titles(made, summarized(made)[0])
    assert (found["Pump"], found["Valve"], found["Parts"]) == ("It pumps.", "It shuts the pipe.", "part | size")


def test_an_empty_document_has_no_summary() -> None:
    assert summarized(document()) == ({}, ())


def model(answer: FakeAnswer) -> tuple[FunctionChat, ModelSummarizer]:
    chat = FunctionChat(lambda _: answer)
    return chat, ModelSummarizer(chat)


def test_a_model_summarizes_each_long_section_once_from_the_bottom_up() -> None:
    made = document(
        heading("Pumps"), paragraph(long_section()), heading("Oil", 2), paragraph(long_section(20)), heading("Valves"),
        paragraph(FACTS[1]),
    )  # fmt: skip
    chat, summarizer = model(json.dumps({"summary": "Pumps, valves and seals at stations."}))
    summaries, _ = summarized(made, summarizer)
    subjects = [request.subject for request in chat.requests]
    names = {section.id: section.title for section in made.sections}
    assert [names.get(subject, "all") for subject in subjects] == ["Oil", "Pumps"]
    assert titles(made, summaries)["Oil"] == "Pumps, valves and seals at stations."
    assert "- Pumps, valves and seals at stations." in chat.requests[1].messages[-1].content
    assert titles(made, summaries)["Valves"] == FACTS[1]
    assert summaries[made.id] == f"Pumps, valves and seals at stations. {FACTS[1]}"


@pytest.mark.parametrize("reply", ["garbled", '{"summary": ""}', '{"summary": "Kestrin sells 77 pumps."}'])
def test_an_unusable_summary_is_replaced_by_quoted_sentences(reply: str) -> None:
    made = document(heading("Pumps"), paragraph(long_section()))
    chat, summarizer = model(reply)
    assert summarized(made, summarizer) == summarized(made)
    assert len(chat.requests) <= 4


def test_a_failed_summary_call_is_reported_and_replaced_by_quoted_sentences() -> None:
    made = document(heading("Pumps"), paragraph(long_section()))
    summaries, failures = summarized(made, model(CallTimedOut("no reply"))[1])
    assert summaries == summarized(made)[0]
    assert {failure.stage for failure in failures} == {"overview"}
    assert all(failure.retryable for failure in failures)


def test_an_exceeded_budget_is_raised() -> None:
    with pytest.raises(BudgetExceeded):
        summarized(document(heading("Pumps"), paragraph(long_section())), model(BudgetExceeded("enough"))[1])


def test_many_summaries_are_summarized_in_batches() -> None:
    made = document(heading("Pumps"), *(paragraph(long_section(n * 20)) for n in range(40)))
    chat, summarizer = model(json.dumps({"summary": "Pumps, valves and seals at stations."}))
    summaries, _ = summarized(made, summarizer)
    assert summaries[made.id] == "Pumps, valves and seals at stations."
    assert 1 < len(chat.requests) < 9


def test_the_summary_of_an_index_without_sentences_is_short() -> None:
    lines = [" ".join(f"symbol_{line}_{place} (C function)," for place in range(160)) for line in range(30)]
    made = document(heading("Index"), *map(paragraph, lines))
    summaries, _ = summarized(made)
    assert summaries[made.id].startswith("symbol_")
    assert max(map(len, summaries.values())) <= 700
