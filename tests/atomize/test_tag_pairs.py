from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipelines.atomize.tag_pairs import (
    CoOccurrencePairing,
    ModelPairing,
    Pairing,
    QaSample,
    TaggedSample,
    question_phrases,
    read_samples,
    tag_samples,
)  # fmt: skip
from pipelines.core.errors import BudgetExceeded, CallFailed, SettingsError
from pipelines.core.knowledge import TagPair
from pipelines.llm.testing.fakes import ScriptedChat

SAMPLES = [
    TaggedSample("Why does it rattle?", ("rattle",), ("cavitation", "feed pump")),
    TaggedSample("A rattle at night?", ("rattle", "night"), ("cavitation", "bearing")),
    TaggedSample("Who pays at night?", ("night",), ("payroll",)),
]


def samples_file(folder: Path, *lines: str) -> Path:
    path = folder / "samples.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_samples_are_read_line_by_line(tmp_path: Path) -> None:
    path = samples_file(
        tmp_path,
        '{"question": "Why does it rattle?", "answer": "Cavitation."}',
        "",
        '{"question": "Who pays?", "answers": ["Payroll", "They"], "id": 7}',
        '{"question": "When?"}',
    )
    assert read_samples(path) == (
        QaSample(question="Why does it rattle?", answer="Cavitation."),
        QaSample(question="Who pays?", answer="Payroll"),
        QaSample(question="When?"),
    )


@pytest.mark.parametrize("line", ["no json", "[]", "{}", '{"question": ""}', '{"question": 3}'])
def test_an_invalid_sample_is_an_error_with_its_line_number(tmp_path: Path, line: str) -> None:
    with pytest.raises(SettingsError, match="line 2"):
        read_samples(samples_file(tmp_path, '{"question": "When?"}', line))


def test_a_missing_file_of_samples_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot read"):
        read_samples(tmp_path / "none.jsonl")


def test_a_sample_gets_the_tags_of_the_chunk_that_contains_its_answer() -> None:
    chunks = {"a": "The pump rattles, the pump rattles.", "b": "Cavitation makes a pump rattle. Add water."}
    tags = {"a": ["pump"], "b": ["cavitation"]}
    (tagged,) = tag_samples([QaSample(question="Why does the pump rattle?", answer="cavitation")], chunks, tags)
    assert tagged.tags == ("cavitation",)
    assert tagged.terms == question_phrases("Why does the pump rattle?")
    assert tag_samples([QaSample(question="Why?")], {}, {}) == []


async def test_a_term_and_a_tag_that_co_occur_twice_become_a_pair() -> None:
    pairs = await CoOccurrencePairing().pair(SAMPLES)
    assert [(pair.query_term, pair.corpus_tag) for pair in pairs] == [("rattle", "cavitation")]
    assert 0 < pairs[0].weight <= 1


async def test_a_term_is_not_paired_with_its_own_plural() -> None:
    same = [TaggedSample("pump?", ("pump",), ("pumps", "oil"))] * 3
    assert all(pair.corpus_tag != "pumps" for pair in await CoOccurrencePairing().pair(same))


def reply(*pairs: tuple[str, str]) -> str:
    return json.dumps({"pairs": [{"term": term, "tag": tag} for term, tag in pairs]})


async def test_model_pairs_are_kept_only_if_term_and_tag_were_in_the_prompt() -> None:
    chat = ScriptedChat([reply(("rattle", "cavitation"), ("rattle", "ghosts"), ("noise", "bearing")), reply()])
    assert await ModelPairing(chat).pair(SAMPLES) == (TagPair("rattle", "cavitation", 1.0),)
    asked = chat.requests[0].messages[-1].content
    assert "<question>\nWhy does it rattle?\n</question>" in asked
    assert "cavitation; feed pump" in asked


async def test_a_failed_call_yields_no_pairs_and_an_exceeded_budget_is_raised() -> None:
    assert await ModelPairing(ScriptedChat([CallFailed("no")])).pair(SAMPLES) == ()
    with pytest.raises(BudgetExceeded):
        await ModelPairing(ScriptedChat([BudgetExceeded("enough")])).pair(SAMPLES)


@pytest.mark.parametrize("pairing", [CoOccurrencePairing(), ModelPairing(ScriptedChat([reply()]))])
async def test_no_samples_give_no_pairs(pairing: Pairing) -> None:
    assert isinstance(pairing, Pairing)
    assert await pairing.pair([]) == ()
