"""Tests of query expansion: a model maps words of the question to terms of the documents."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from pipelines.core.knowledge import TagPair
from pipelines.ingest.build import build
from pipelines.llm.chat import Request
from pipelines.llm.testing.fakes import FunctionChat
from pipelines.settings import load
from qa import KnowledgeBase
from qa.model_calls import question_terms
from qa.settings import QaSettings

FILES = {
    "modem.md": "# Modem\n\nSwitch off the PIN of the SIM card before the SIM card is put into the modem.\n",
    "phone.md": "# Phone\n\nThe phone stands beside the door. A card with the numbers of all shifts hangs above it.\n",
    "lamp.md": "# Lamps\n\nA lamp that is dark is replaced at once.\n",
    "anlage.md": "# Anlage\n\nDie Sicherung der Anlage löst bei einem Kurzschluss aus und wird danach ersetzt.\n",
}
LAY_QUESTION = "How do I make dark what the small piece of plastic asks me each time?"
PAIRS = [{"said": "the small piece of plastic", "terms": ["SIM card", "PIN"]}]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    path = tmp_path_factory.mktemp("kb") / "kb"
    build(folder, path)
    return path


class Model:
    """A model that replies with these pairs, stops proposing at once, and finds no answer."""

    def __init__(self, pairs: object) -> None:
        self.pairs, self.shown = pairs, ""

    def __call__(self, request: Request) -> str:
        if request.role == "terms":
            self.shown = request.messages[-1].content
            return json.dumps({"pairs": self.pairs})
        if request.role == "propose":
            return json.dumps({"sufficient": True, "questions": []})
        return json.dumps({"claims": [], "found": False, "answer": ""})


def found(
    kb: Path, pairs: object, question: str = LAY_QUESTION, strategy: str = "pike-graph", **more: object
) -> list[str]:
    """The files of the answer's passages in the order in which they were found."""
    with KnowledgeBase.open(kb, load(None, dict(more), QaSettings).settings, FunctionChat(Model(pairs))) as knowledge:
        return [hit.uri for hit in knowledge.ask(question, strategy=strategy).found]


def first(kb: Path, pairs: object, question: str) -> str:
    """The file found first with the terms that a model gives."""
    with KnowledgeBase.open(kb, chat=FunctionChat(Model(pairs))) as knowledge:
        model = knowledge.model_calls()
        assert model is not None
        terms = asyncio.run(question_terms(question, knowledge.confined(), model))
        return knowledge.confined().with_terms(terms).retrieve(question, 1)[0].uri


def test_terms_of_the_documents_find_what_the_words_of_the_question_do_not(kb: Path) -> None:
    assert (first(kb, [], LAY_QUESTION), first(kb, PAIRS, LAY_QUESTION)) == ("lamp.md", "modem.md")
    assert found(kb, [], strategy="naive-hr")[:1] != ["modem.md"]
    assert found(kb, PAIRS, strategy="naive-hr")[0] == "modem.md"


def test_terms_may_be_in_another_language(kb: Path) -> None:
    question = "What happens when current takes a way that is too easy?"
    pairs = [{"said": "current takes a way that is too easy", "terms": ["Kurzschluss"]}]
    assert first(kb, [], question) != "anlage.md"
    assert first(kb, pairs, question) == "anlage.md"


def test_a_pair_only_affects_questions_that_contain_its_words(kb: Path) -> None:
    with KnowledgeBase.open(kb) as knowledge:
        plain = knowledge.confined()
        searched = plain.with_terms([TagPair("piece of plastic", "SIM card")])
        assert searched.retrieve("Where is the piece of plastic put?", 1)[0].uri == "modem.md"
        for question in ("What stands beside the phone?", "Which lamp is replaced?"):
            assert searched.retrieve(question, 3) == plain.retrieve(question, 3)


def test_the_prompt_lists_tags_and_languages_and_the_trace_lists_the_terms(kb: Path) -> None:
    model = Model(PAIRS)
    with KnowledgeBase.open(kb, chat=FunctionChat(model)) as knowledge:
        answer = knowledge.ask(LAY_QUESTION)
        tags = knowledge.confined().tags_near(LAY_QUESTION, 40)
    assert "Modem" in tags
    assert all(tag in model.shown for tag in tags)
    assert "Languages of the documents: en, de" in model.shown
    steps = [step.text for step in answer.trace if step.kind == "term"]
    assert steps == [f"{PAIRS[0]['said']}: SIM card", f"{PAIRS[0]['said']}: PIN"]


def test_pairs_absent_from_the_question_or_repeating_it_are_ignored(kb: Path) -> None:
    pairs = [
        {"said": "the fuse box", "terms": ["SIM card"]},
        {"said": "small piece", "terms": ["small piece", ""]},
        {"said": "", "terms": ["PIN"]},
    ]
    assert found(kb, pairs) == found(kb, [])


def test_no_terms_are_asked_for_if_the_setting_or_strategy_does_not_use_them(kb: Path) -> None:
    assert found(kb, PAIRS, **{"qa.answer.terms": False}) == found(kb, [])
    for strategy in ("naive", "extractive"):
        chat = FunctionChat(Model(PAIRS))
        with KnowledgeBase.open(kb, chat=chat) as knowledge:
            knowledge.ask(LAY_QUESTION, strategy=strategy)
        assert "terms" not in [request.role for request in chat.requests]


def test_a_failed_call_for_terms_changes_nothing_else(kb: Path) -> None:
    assert found(kb, "no pairs at all") == found(kb, [])
