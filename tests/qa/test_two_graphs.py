"""Tests that the embedded graph and Neo4j give the same answers for the same knowledge base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pipelines.ingest.build import build
from pipelines.settings import load
from pipelines.store.neo4j.connection import Neo4jAddress
from qa import KnowledgeBase
from qa.answer import Answer
from qa.settings import QaSettings
from tests.qa.corpus import BRIDGE, PASSAGES

pytestmark = pytest.mark.neo4j

FILES = {
    "pumps/sheet.md": "# Data sheet DS-1\n\n## Performance\n\n| Quantity | K65 | K80 |\n|---|---|---|\n"
    "| Efficiency, % | 74 | 79 |\n| Mass, kg | 148 | 395 |\n",
    "pumps/manual.md": "# Manual MM-2\n\n## Storage\n\nEPDM rings may be stored for 7 years. See data sheet DS-1.\n",
    "office/report.txt": "Report on the leak\n\nThe seal of pump B-03 leaked because the wrong ring was fitted.\n",
    "office/bericht.md": "# Prüfbericht\n\nDie Welle der Pumpe B-03 wurde am 3. Mai 2024 geprüft. Siehe Manual MM-2.\n",
    "office/泵.md": "# 泵维护手册\n\n机械密封每运行4000小时更换一次。\n",
} | {f"wiki/{passage.title}.md": f"# {passage.title}\n\n{passage.text}\n" for passage in PASSAGES}
QUESTIONS = (
    BRIDGE,
    "What is the efficiency of the K80?",
    "Why did the seal of pump B-03 leak?",
    "How long may EPDM rings be stored, and what is the mass of the K65?",
    "Wann wurde die Welle geprüft?",
    "机械密封多久更换一次？",
    "How loud is the K80 in decibels?",
)


@pytest.fixture(scope="module")
def bases(
    tmp_path_factory: pytest.TempPathFactory, neo4j_address: Neo4jAddress
) -> Iterator[tuple[KnowledgeBase, KnowledgeBase]]:
    """One knowledge base opened twice: with its embedded graph, and with the Neo4j graph of the same ingest."""
    folder, kb = tmp_path_factory.mktemp("documents"), tmp_path_factory.mktemp("two-graphs") / "answers-twice"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    named = {
        "store.neo4j_uri": neo4j_address.uri,
        "store.neo4j_user": neo4j_address.user,
        "store.neo4j_password": neo4j_address.password,
    }
    build(folder, kb, load(None, named, QaSettings).settings)
    read = load(None, named | {"store.graph": "neo4j"}, QaSettings).settings
    with KnowledgeBase.open(kb) as embedded, KnowledgeBase.open(kb, read) as neo4j:
        yield embedded, neo4j


def _without_time(answer: Answer) -> Answer:
    """The answer without the time it took."""
    return replace(answer, seconds=0.0)


@pytest.mark.parametrize("strategy", ["extractive", "pike-graph"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_both_graphs_give_the_same_answer(
    bases: tuple[KnowledgeBase, KnowledgeBase], question: str, strategy: str
) -> None:
    embedded, neo4j = (base.ask(question, strategy=strategy) for base in bases)
    assert embedded.found
    assert _without_time(neo4j) == _without_time(embedded)


def test_both_graphs_explain_their_hits_equally(bases: tuple[KnowledgeBase, KnowledgeBase]) -> None:
    embedded, neo4j = (base.retrieve(BRIDGE, 8) for base in bases)
    assert any(share.path for hit in embedded for share in hit.shares)
    assert neo4j == embedded


def test_the_compared_answers_used_different_graphs(
    bases: tuple[KnowledgeBase, KnowledgeBase], neo4j_address: Neo4jAddress
) -> None:
    embedded, neo4j = bases
    assert embedded._stores.copy is None
    assert neo4j._stores.graph is neo4j._stores.copy
    assert next(iter(neo4j._stores.graph.nodes())) == next(iter(embedded._stores.graph.nodes()))
