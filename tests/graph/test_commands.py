"""Tests of the commands `strata graph ...` on a real knowledge base."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli.graph import app
from pipelines.core.document import ReferenceKind
from pipelines.core.errors import KnowledgeBaseNotFound, NotFound, SettingsError
from pipelines.core.graph import NodeKind
from pipelines.graph.document_graph import build_graph
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.folder import KnowledgeBaseFolder
from tests.graph.made import linked, made
from tests.graph.test_link import ONE, TWO

RUN = CliRunner()
NOTE = made("n.md", "A note", "See DS-9999 there.", [(ReferenceKind.MENTION, "DS-9999", "See DS-9999")])


@pytest.fixture
def kb(tmp_path: Path) -> str:
    documents = (ONE, TWO, NOTE)
    store = EmbeddedStore.open(KnowledgeBaseFolder(tmp_path).database)
    for one in documents:
        store.graph.write(build_graph(*one))
    store.graph.write(linked(*documents).subgraph)
    store.close()
    return str(tmp_path)


def output(*args: str) -> str:
    result = RUN.invoke(app, args, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_export_writes_the_same_to_the_terminal_and_to_a_file(kb: str, tmp_path: Path) -> None:
    printed = output("export", "--kb", kb)
    output("export", "--kb", kb, "--out", str(tmp_path / "g.jsonl"))
    assert (tmp_path / "g.jsonl").read_text("utf-8") == printed
    assert json.loads(printed.splitlines()[0])["type"] == "node"
    assert output("export", "--kb", kb, "--format", "graphml").startswith("<?xml")


def test_html_writes_a_page(kb: str, tmp_path: Path) -> None:
    assert "nodes and" in output("html", str(tmp_path / "g.html"), "--kb", kb)
    assert (tmp_path / "g.html").read_text("utf-8").startswith("<!doctype html>")


def test_unresolved_lists_missing_targets_with_their_evidence(kb: str) -> None:
    (found,) = json.loads(output("unresolved", "--kb", kb, "--json"))
    assert (found["wanted"], found["uri"], found["evidence"]) == ("DS-9999", "n.md", "See DS-9999")
    assert "DS-9999" in output("unresolved", "--kb", kb)


def test_merges_lists_names_with_their_rule(kb: str) -> None:
    (found,) = json.loads(output("merges", "--kb", kb, "--json"))
    assert "same name" in found["merged"]


def test_around_lists_the_neighbourhood_of_a_node(kb: str) -> None:
    printed = output("around", "a note", "--kb", kb)
    assert "HAS_CHUNK" in printed
    found = json.loads(output("around", "n.md", "--hops", "2", "--kb", kb, "--json"))
    assert found[0]["node"]["properties"]["uri"] == "n.md"
    assert {one["hops"] for one in found} == {0, 1}


def test_path_lists_the_steps_between_two_nodes(kb: str) -> None:
    steps = json.loads(output("path", ONE[0].source.uri, TWO[0].source.uri, "--kb", kb, "--json"))
    assert steps[-1]["node"]["properties"]["uri"] == TWO[0].source.uri
    assert steps[-1]["node"]["id"] in output("path", ONE[0].source.uri, TWO[0].source.uri, "--kb", kb)
    with pytest.raises(NotFound, match="no path of at most 1 edges"):
        output("path", "n.md", TWO[0].source.uri, "--hops", "1", "--kb", kb)


def test_queries_prints_a_query_with_its_parameters(kb: str) -> None:
    assert ':param tag => "seal";' in output("queries", "tag", "--kb", kb, "--value", "tag=seal")
    with pytest.raises(NotFound):
        output("queries", "nothing")


def test_queries_are_filled_with_values_of_the_graph(kb: str) -> None:
    printed = output("queries", "--kb", kb)
    told = dict(re.findall(r':param (\w+) => "?(.*?)"?;', printed))
    with closing(EmbeddedStore.open(KnowledgeBaseFolder(Path(kb)).database)) as store:
        chunks = [node.properties for node in store.graph.nodes([NodeKind.CHUNK])]
        named = {node.properties["name"] for node in store.graph.nodes([NodeKind.TAG, NodeKind.ENTITY])}
    assert any(chunk["uri"] == told["uri"] and told["quote"] in str(chunk["text"]) for chunk in chunks)
    assert {told["tag"], told["entity"]} <= named


def test_a_missing_knowledge_base_or_server_is_an_error(
    kb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEO4J_URI", raising=False)
    with pytest.raises(KnowledgeBaseNotFound):
        output("export", "--kb", str(tmp_path / "none"))
    with pytest.raises(SettingsError):
        output("sync", "--kb", kb)
