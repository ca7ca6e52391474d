"""Tests of ingesting the example documents with recorded replies of a real model.

`make recordings` records new replies after a change of prompts, parsing or chunking.
"""

import shutil
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.ingest.report import Report
from pipelines.llm.testing.fakes import RecordedAnswers
from pipelines.llm.testing.loopback import Behaviour, LoopbackServer
from pipelines.llm.testing.loopback_wire import Fault, FaultRates
from pipelines.settings import Settings
from tests.conftest import EXAMPLES
from tests.ingest.knowledge import exported, graph_of, vectors_of

RECORDINGS = Path(__file__).parent.parent / "recordings" / "examples.jsonl"
NOT_RECORDED = ("scans/*", "photos/*")
"""Pictures, because OCR results may differ slightly between machines."""


def settings_for(server: LoopbackServer) -> Settings:
    llm = {"base_url": server.url, "api_key": "none", "model": "m", "max_wait": 0.01}
    return Settings.model_validate(
        {"llm": llm, "ingest": {"exclude": NOT_RECORDED, "documents_at_once": 2}, "graph": {"judged_pairs": 0}},
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    kb = tmp_path_factory.mktemp("recorded") / "kb"
    answers = RecordedAnswers(RECORDINGS)
    with LoopbackServer(answers) as server:
        report = build(EXAMPLES, kb, settings_for(server))
    assert answers.misses == [], "`make recordings` records the model's replies anew"
    return kb, report


def nodes(kb: Path, kind: NodeKind) -> list[Node]:
    return [node for node in graph_of(kb)[0] if node.kind is kind]


def test_every_chunk_is_distilled_by_the_model(built: tuple[Path, Report]) -> None:
    _, report = built
    assert report.unfinished == 0
    assert report.documents["indexed"] == 19
    assert report.usage["distil"]["failed"] == 0


def test_at_least_95_percent_of_replies_are_usable_without_a_retry(built: tuple[Path, Report]) -> None:
    recordings = RecordedAnswers(RECORDINGS).recordings
    asked_again = sum("\nassistant: " in one.asked for one in recordings)
    assert asked_again <= 0.05 * len(recordings)


def test_every_call_but_the_first_of_a_document_has_the_forward_summary(built: tuple[Path, Report]) -> None:
    kb, _ = built
    chunks = nodes(kb, NodeKind.CHUNK)
    told_before = {str(chunk.properties.get("forward_summary", "")) for chunk in chunks} - {""}
    asked = [one.asked for one in RecordedAnswers(RECORDINGS).recordings if one.role in ("split", "summarize")]
    carrying = [one for one in asked if any(" ".join(told.split()) in " ".join(one.split()) for told in told_before)]
    assert len(asked) - len(carrying) <= len(nodes(kb, NodeKind.DOCUMENT))
    assert all(str(chunk.properties["summary"]) for chunk in chunks)


def test_relations_and_questions_of_the_model_are_in_the_graph(built: tuple[Path, Report]) -> None:
    kb, _ = built
    edges = graph_of(kb)[1]
    related = [edge for edge in edges if edge.kind is EdgeKind.RELATED]
    assert related
    assert "model" in {edge.properties["origin"] for edge in related}
    questions = [node for node in nodes(kb, NodeKind.ATOM) if str(node.properties["text"]).endswith(("?", "？"))]
    assert len(questions) >= len(nodes(kb, NodeKind.CHUNK))


def test_no_entity_is_missing_from_the_text(built: tuple[Path, Report]) -> None:
    kb, report = built
    assert report.dropped
    chunks = [str(node.properties["text"]) for node in nodes(kb, NodeKind.CHUNK)]
    titles = [str(node.properties["title"]) for node in nodes(kb, NodeKind.DOCUMENT)]
    texts = " ".join(" ".join([*chunks, *titles]).lower().split())
    for entity in nodes(kb, NodeKind.ENTITY):
        names = (str(entity.properties["name"]), *entity.properties.get("aliases", ()))  # type: ignore[misc]
        assert any(name.lower() in texts for name in names), names


def test_thirty_percent_faulty_calls_give_the_same_knowledge_base(built: tuple[Path, Report], tmp_path: Path) -> None:
    sound, _ = built
    (tmp_path / "kb").mkdir()
    shutil.copytree(sound / "artifacts" / "parse", tmp_path / "kb" / "artifacts" / "parse")
    with LoopbackServer(RecordedAnswers(RECORDINGS), Behaviour(FaultRates.evenly(0.3, seed=3))) as faulty:
        report = build(EXAMPLES, tmp_path / "kb", settings_for(faulty))
        assert len({fault for fault in faulty.faults if fault is not Fault.NONE}) >= 3
    assert report.unfinished == 0
    assert exported(tmp_path / "kb") == exported(sound)
    assert vectors_of(tmp_path / "kb") == vectors_of(sound)
