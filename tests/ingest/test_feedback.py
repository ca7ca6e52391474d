"""Tests of feedback on answers: confirmed questions become atoms that lead to their sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluate.questions import read_questions
from flows.cli.app import main
from pipelines import build
from pipelines.core.errors import NotFound
from pipelines.core.graph import NodeKind
from pipelines.ingest.feedback import FEEDBACK
from pipelines.ingest.fsck import fsck
from pipelines.ingest.reindex import reindex
from pipelines.llm.settings import EmbedSettings
from pipelines.settings import Settings
from pipelines.store.vector import RecordKind
from qa import KnowledgeBase
from qa.settings import QaSettings
from serve.corrections import FeedbackRequest, Quoted, all_feedback, give_feedback, withdraw_feedback
from serve.library import OpenBase

MANUAL = "# Manual\n\n## Rings\n\nEPDM rings keep for 7 years in the dark.\n\n## Bolts\n\nCasing bolts take 68 Nm.\n"
OTHER = "# Letter\n\nThe office is closed on Monday.\n"
ODD = "When do the wobblies expire?"
KEEP = "EPDM rings keep for 7 years"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "manual.md").write_text(MANUAL)
    (tmp_path / "folder" / "letter.md").write_text(OTHER)
    build(tmp_path / "folder", tmp_path / "kb")
    return tmp_path


def say(place: Path, question: str = ODD, right: bool = True, expected: str = "", answer: str = KEEP) -> str:
    """Give feedback on an answer that quotes the manual, and return its id."""
    with KnowledgeBase.open(place / "kb") as knowledge:
        base = OpenBase("kb", knowledge, QaSettings())
        (entry,) = (one for one in base.entries() if one.uri == "manual.md")
        (chunk,) = (one for one in knowledge.stores.graph.nodes((NodeKind.CHUNK,), owner=entry.document)
                    if KEEP in str(one.properties["text"]))  # fmt: skip
        start = int(str(chunk.properties["start"])) + str(chunk.properties["text"]).index(KEEP)
        cited = Quoted(document=entry.document, start=start, end=start + len(KEEP))
        said = FeedbackRequest(question=question, answer=answer, right=right, expected=expected, citations=(cited,))
        return give_feedback(base, said, "boss").id


def atoms(place: Path) -> list[str]:
    """The atoms of the question in the graph, which must be those of the vectors."""
    with KnowledgeBase.open(place / "kb") as knowledge:
        stores = knowledge.stores
        nodes = [node.id for node in stores.graph.nodes((NodeKind.ATOM,)) if node.properties["text"] == ODD]
        records = [
            one.id for batch in stores.vectors.records((RecordKind.ATOM,)) for one in batch.records if one.text == ODD
        ]
    assert nodes == records
    return nodes


def first_chunk(place: Path) -> str:
    with KnowledgeBase.open(place / "kb") as knowledge:
        return knowledge.retrieve(ODD, limit=1)[0].chunk.text


def test_a_confirmed_question_leads_to_its_source_until_the_feedback_is_withdrawn(place: Path) -> None:
    id = say(place)
    assert atoms(place) == []
    done = build(place / "folder", place / "kb")
    assert done.stages["load"].done == 1  # the other document is not loaded again
    assert len(atoms(place)) == 1
    assert KEEP in first_chunk(place)
    with KnowledgeBase.open(place / "kb") as knowledge:
        assert knowledge.retrieve(ODD, limit=1)[0].atoms[0] == ODD
    assert build(place / "folder", place / "kb").stages["load"].done == 0
    assert not fsck(place / "kb", read_data=True).findings
    with KnowledgeBase.open(place / "kb") as knowledge:
        withdraw_feedback(OpenBase("kb", knowledge, QaSettings()), id)
    build(place / "folder", place / "kb")
    assert atoms(place) == []


def test_feedback_on_a_wrong_answer_adds_no_atom_and_the_latest_feedback_counts(place: Path) -> None:
    assert say(place, right=True) == say(place, right=False, expected="after 7 years")
    build(place / "folder", place / "kb")
    assert atoms(place) == []
    with KnowledgeBase.open(place / "kb") as knowledge:
        (kept,) = all_feedback(OpenBase("kb", knowledge, QaSettings()))
    assert (kept.right, kept.expected, kept.by) == (False, "after 7 years", "boss")


def test_feedback_survives_a_change_of_embedder_and_chunk_settings(place: Path) -> None:
    say(place)
    build(place / "folder", place / "kb")
    reindex(place / "kb", Settings(embed=EmbedSettings(name="wordllama", dimension=64)))
    assert len(atoms(place)) == 1
    settings = Settings.model_validate(
        {"chunk": {"min_tokens": 0, "target_tokens": 20, "max_tokens": 40}, "embed": {"dimension": 64}}
    )
    build(place / "folder", place / "kb", settings)
    assert len(atoms(place)) == 1
    assert KEEP in first_chunk(place)


def test_the_answer_of_feedback_is_erased_with_the_document_it_cites(place: Path) -> None:
    say(place, answer="They keep for 7 years in the dark.")
    build(place / "folder", place / "kb")
    (place / "folder" / "manual.md").write_text(MANUAL.replace("7 years in the dark", "9 years"))
    build(place / "folder", place / "kb")
    assert atoms(place) == []
    with KnowledgeBase.open(place / "kb") as knowledge:
        (kept,) = FEEDBACK.read(knowledge.stores.catalog)
    assert (kept.question, kept.answer, kept.places) == (ODD, "", ())
    for path in (place / "kb").rglob("*"):
        assert not path.is_file() or b"7 years in the dark" not in path.read_bytes(), path


def test_feedback_with_an_invalid_citation_is_refused(place: Path) -> None:
    with KnowledgeBase.open(place / "kb") as knowledge:
        base = OpenBase("kb", knowledge, QaSettings())
        document = base.entries()[0].document
        for cited in (Quoted(document="document:0", start=0, end=5), Quoted(document=document, start=5, end=90_000)):
            with pytest.raises(NotFound):
                give_feedback(base, FeedbackRequest(question="Why?", right=True, citations=(cited,)), "boss")
        with pytest.raises(NotFound):
            withdraw_feedback(base, "feedback:0")
        assert all_feedback(base) == ()


def test_feedback_can_be_exported_as_evaluation_questions(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    say(place, answer="7 years")
    say(place, "What torque?", right=False, expected="68 Nm")
    say(place, "Who knows?", right=False)
    monkeypatch.chdir(place)
    run(monkeypatch, "feedback", "export", "all.jsonl")
    assert "2 questions written, 1 without a known answer omitted" in capsys.readouterr().out
    one, two = read_questions(place / "all.jsonl")
    assert (one.question, one.labels, one.sources[0].file) == (ODD, ("7 years",), "manual.md")
    assert (two.question, two.labels, two.sources) == ("What torque?", ("68 Nm",), ())
    run(monkeypatch, "feedback", "export", "wrong.jsonl", "--wrong")
    assert [each.question for each in read_questions(place / "wrong.jsonl")] == ["What torque?"]
    capsys.readouterr()
    run(monkeypatch, "eval", "answers", "--questions", "all.jsonl", "--json")
    assert json.loads(capsys.readouterr().out)
    run(monkeypatch, "feedback", "--json")
    said = json.loads(capsys.readouterr().out)
    withdrawn = said[0]
    run(monkeypatch, "feedback", "withdraw", withdrawn["id"])
    assert f"withdrawn: {withdrawn['question']}" in capsys.readouterr().out
    run(monkeypatch, "feedback", "--json")
    assert json.loads(capsys.readouterr().out) == said[1:]


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["strata", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
