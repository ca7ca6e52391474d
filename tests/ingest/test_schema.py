"""Tests of `[graph.schema]`: it is shown to the model, and entities and relations are restricted to it."""

from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.llm.testing.loopback_wire import Call
from pipelines.settings import Settings, load
from tests.ingest.knowledge import FEW, graph_of, write_folder

TOML = """
[graph.schema]
entity_types = ["machine", "part"]
relation_types = ["has"]
patterns = [["machine", "has", "part"]]
"""
REPLY = """{
  "questions": [], "tags": {"machine": ["P-101A"], "part": ["oil"]}, "facts": [["P-101A", "%s", "oil"]]
}"""


def entities(kb: Path) -> list[Node]:
    return [node for node in graph_of(kb)[0] if node.kind is NodeKind.ENTITY]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "folder")


def test_the_schema_is_read_from_its_section(tmp_path: Path) -> None:
    (tmp_path / "strata.toml").write_text(TOML)
    schema = load(tmp_path).settings.graph.schema
    assert schema.kinds == ("machine", "part")
    assert schema.patterns == (("machine", "has", "part"),)


def test_replies_are_restricted_to_the_schema_and_drops_are_counted(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "strata.toml").write_text(TOML)
    asked: list[str] = []

    def answer(call: Call) -> str:
        asked.append(call.turns[-1].content)
        return REPLY % ("overheated for lack of" if "overheated" in asked[-1] else "has")

    with LoopbackServer(answer) as server:
        llm = {"base_url": server.url, "api_key": "none", "model": "m"}
        settings = load(tmp_path).settings
        asking = settings.model_copy(update={"llm": Settings(llm=llm).llm, "ingest": FEW})
        report = build(folder, tmp_path / "kb", asking)
    distilled = [words for words in asked if "facts: " in words]
    assert distilled
    assert all("(machine, part)" in words and "Only: machine has part." in words for words in distilled)
    assert {str(node.properties["type"]) for node in entities(tmp_path / "kb")} == {"machine", "part"}
    related = [edge for edge in graph_of(tmp_path / "kb")[1] if edge.kind is EdgeKind.RELATED]
    assert related
    assert {edge.properties["type"] for edge in related} == {"has"}
    assert report.dropped["relation not in the schema"] >= 1


def test_without_a_model_names_are_restricted_to_the_schema_too(folder: Path, tmp_path: Path) -> None:
    settings = Settings.model_validate({"graph": {"schema": {"entity_types": ["identifier"]}}, "ingest": FEW})
    report = build(folder, tmp_path / "kb", settings)
    assert {str(node.properties["type"]) for node in entities(tmp_path / "kb")} == {"identifier"}
    assert report.dropped["entity type not in the schema"] > 0


def test_a_changed_schema_distils_again_without_parsing(folder: Path, tmp_path: Path) -> None:
    build(folder, tmp_path / "kb")
    settings = Settings.model_validate({"graph": {"schema": {"entity_types": ["identifier"]}}, "ingest": FEW})
    stages = build(folder, tmp_path / "kb", settings).stages
    assert stages["parse"].done == stages["chunk"].done == 0
    assert stages["atomize"].done == 3
