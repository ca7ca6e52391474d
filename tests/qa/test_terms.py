"""The documents' words for what a question speaks of: told by a model, searched for beside the question's own."""

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
LAY = "How do I make dark what the small piece of plastic asks me each time?"
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
    """A model that gives these pairs, and of all passages the first one as its answer."""

    def __init__(self, pairs: object) -> None:
        self.pairs, self.shown = pairs, ""

    def __call__(self, request: Request) -> str:
        if request.role == "terms":
            self.shown = request.messages[-1].content
            return json.dumps({"pairs": self.pairs})
        if request.role == "propose":
            return json.dumps({"sufficient": True, "questions": []})
        return json.dumps({"claims": [], "found": False, "answer": ""})


def found(kb: Path, pairs: object, question: str = LAY, strategy: str = "pike-graph", **more: object) -> list[str]:
    """The files in the order in which the answer's passages were found."""
    with KnowledgeBase.open(kb, load(None, dict(more), QaSettings).settings, FunctionChat(Model(pairs))) as knowledge:
        return [hit.uri for hit in knowledge.ask(question, strategy=strategy).found]


def first(kb: Path, pairs: object, question: str) -> str:
    """The file that is found first with the words that a model gives."""
    with KnowledgeBase.open(kb, chat=FunctionChat(Model(pairs))) as knowledge:
        model = knowledge.model_calls()
        assert model is not None
        terms = asyncio.run(question_terms(question, knowledge.confined(), model))
        return knowledge.confined().with_terms(terms).retrieve(question, 1)[0].uri


def test_the_documents_words_find_what_the_questions_own_do_not(kb: Path) -> None:
    assert (first(kb, [], LAY), first(kb, PAIRS, LAY)) == ("lamp.md", "modem.md")
    assert found(kb, [], strategy="naive-hr")[:1] != ["modem.md"]
    assert found(kb, PAIRS, strategy="naive-hr")[0] == "modem.md"


def test_they_may_be_of_another_language(kb: Path) -> None:
    question = "What happens when current takes a way that is too easy?"
    pairs = [{"said": "current takes a way that is too easy", "terms": ["Kurzschluss"]}]
    assert first(kb, [], question) != "anlage.md"
    assert first(kb, pairs, question) == "anlage.md"


def test_a_pair_counts_for_the_questions_that_have_its_words(kb: Path) -> None:
    with KnowledgeBase.open(kb) as knowledge:
        plain = knowledge.confined()
        searched = plain.with_terms([TagPair("piece of plastic", "SIM card")])
        assert searched.retrieve("Where is the piece of plastic put?", 1)[0].uri == "modem.md"
        for question in ("What stands beside the phone?", "Which lamp is replaced?"):
            assert searched.retrieve(question, 3) == plain.retrieve(question, 3)


def test_the_model_is_shown_the_tags_and_languages_and_the_trace_tells_the_words(kb: Path) -> None:
    model = Model(PAIRS)
    with KnowledgeBase.open(kb, chat=FunctionChat(model)) as knowledge:
        answer = knowledge.ask(LAY)
        tags = knowledge.confined().tags_near(LAY, 40)
    assert "Modem" in tags
    assert all(tag in model.shown for tag in tags)
    assert "Languages of the documents: en, de" in model.shown
    steps = [step.text for step in answer.trace if step.kind == "term"]
    assert steps == [f"{PAIRS[0]['said']}: SIM card", f"{PAIRS[0]['said']}: PIN"]


def test_what_the_question_does_not_say_or_says_already_is_left_out(kb: Path) -> None:
    pairs = [
        {"said": "the fuse box", "terms": ["SIM card"]},
        {"said": "small piece", "terms": ["small piece", ""]},
        {"said": "", "terms": ["PIN"]},
    ]
    assert found(kb, pairs) == found(kb, [])


def test_it_is_not_asked_where_the_setting_or_the_strategy_has_no_use_for_it(kb: Path) -> None:
    assert found(kb, PAIRS, **{"qa.answer.terms": False}) == found(kb, [])
    for strategy in ("naive", "extractive"):
        chat = FunctionChat(Model(PAIRS))
        with KnowledgeBase.open(kb, chat=chat) as knowledge:
            knowledge.ask(LAY, strategy=strategy)
        assert "terms" not in [request.role for request in chat.requests]


def test_a_call_that_fails_costs_the_words_alone(kb: Path) -> None:
    assert found(kb, "no pairs at all") == found(kb, [])
