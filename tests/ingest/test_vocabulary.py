"""Tests of the tag classes of a corpus: induced once, kept when documents are added, and stored with their tags."""

from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.graph import EdgeKind, NodeKind
from pipelines.ingest.vocabulary import vocabulary
from pipelines.llm.embedder import HashingEmbedder
from pipelines.llm.testing.fakes import answer_by_schema
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.llm.testing.loopback_wire import Call
from pipelines.settings import Settings
from tests.ingest.knowledge import FEW, graph_of, write_folder
from tests.ingest.made_cards import card_with


def settings_for(server: LoopbackServer, **sections: object) -> Settings:
    llm = {"base_url": server.url, "api_key": "none", "model": "m", "max_wait": 0.01, "tries": 1}
    return Settings.model_validate({"llm": llm, "ingest": FEW, **sections})


def answer(call: Call) -> str:
    """Classes if the prompt asks for classes, and tags of each class if it asks for tags."""
    asked = call.turns[-1].content
    if "Key terms" in asked:
        return '{"classes": [{"name": "component", "description": "pump, bearing"}]}'
    if "tags:" in asked:
        return '{"tags": {"component": ["pump", "oil"]}, "facts": [], "questions": []}'
    return answer_by_schema(call)


def classes_of(kb: Path) -> dict[str, set[str]]:
    """The tags of each class in the graph."""
    nodes, edges = graph_of(kb)
    names = {node.id: str(node.properties["name"]) for node in nodes if node.kind in (NodeKind.TAG, NodeKind.TAG_CLASS)}
    found: dict[str, set[str]] = {}
    for edge in edges:
        if edge.kind is EdgeKind.IN_CLASS:
            found.setdefault(names[edge.target], set()).add(names[edge.source])
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "folder")


def test_the_model_is_asked_for_tags_by_the_induced_classes(folder: Path, tmp_path: Path) -> None:
    with LoopbackServer(answer) as server:
        report = build(folder, tmp_path / "kb", settings_for(server))
        asked = [call.turns[-1].content for call in server.calls]
    assert sum("Key terms" in words for words in asked) == 1
    distilled = [words for words in asked if "tags:" in words]
    assert distilled
    assert all("component, term)" in words for words in distilled)
    assert report.stages["parse"].done == 3
    assert report.stages["parse"].reused == 0
    assert classes_of(tmp_path / "kb")["component"] == {"pump", "oil"}


def test_an_added_document_changes_neither_classes_nor_other_documents(folder: Path, tmp_path: Path) -> None:
    with LoopbackServer(answer) as server:
        build(folder, tmp_path / "kb", settings_for(server))
        (folder / "more.md").write_text("# Compressor\n\nThe compressor has a valve and a filter.\n")
        before = len(server.calls)
        report = build(folder, tmp_path / "kb", settings_for(server))
        asked = [call.turns[-1].content for call in server.calls[before:]]
    assert report.changes["unchanged"] == 3
    assert asked
    assert all("compressor has a valve" in words for words in asked)


def test_classes_that_could_not_be_induced_are_induced_by_the_next_build(folder: Path, tmp_path: Path) -> None:
    with LoopbackServer(answer) as server:
        settings = settings_for(server)
    assert build(folder, tmp_path / "kb", settings).unfinished > 0
    with LoopbackServer(answer) as server:
        report = build(folder, tmp_path / "kb", settings_for(server))
    assert report.unfinished == 0
    assert "component" in classes_of(tmp_path / "kb")


def test_classes_named_in_the_settings_are_not_induced(folder: Path, tmp_path: Path) -> None:
    with LoopbackServer(answer) as server:
        build(folder, tmp_path / "kb", settings_for(server, atomize={"tag_classes": ["component", "fluid"]}))
        asked = [call.turns[-1].content for call in server.calls]
    assert not any("Key terms" in words for words in asked)
    distilled = [words for words in asked if "tags:" in words]
    assert distilled
    assert all("(component, fluid)" in words for words in distilled)


def test_without_a_model_tags_are_classified_by_their_form(folder: Path, tmp_path: Path) -> None:
    build(folder, tmp_path / "kb")
    assert {"DS-2041", "P-101A"} <= classes_of(tmp_path / "kb")["identifier"]


def test_spellings_of_one_term_are_merged_into_one_tag(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.md").write_text(
        "# Works\n\nThe relief-valve is worn, and the feed pump stopped at night because of it.\n"
    )
    (tmp_path / "folder" / "b.md").write_text("# Report\n\nThe pump tripped as relief valves were open.\n")
    build(tmp_path / "folder", tmp_path / "kb")
    nodes, edges = graph_of(tmp_path / "kb")
    merged = [node for node in nodes if node.kind is NodeKind.TAG and node.properties.get("aliases")]
    assert [(node.properties["name"], node.properties["aliases"]) for node in merged] == [
        ("relief valves", ("relief-valve",))
    ]
    bearers = {edge.source for edge in edges if edge.kind is EdgeKind.HAS_TAG and edge.target == merged[0].id}
    assert len(bearers) == merged[0].properties["documents"] == 2


def test_a_name_and_its_abbreviation_are_one_tag() -> None:
    names = ("net positive suction head", "NPSH")
    found = vocabulary([card_with("one", names, short=names)], (), HashingEmbedder())
    assert len({tag.id for tag in found.profiles[0].tags}) == 1
    assert len(found.merged) == 1
