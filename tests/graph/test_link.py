from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core import codec
from pipelines.core.graph import CORPUS_OWNER, EdgeKind, NodeKind
from pipelines.core.knowledge import Entity, Tag
from pipelines.graph.document_graph import build_graph, redirect
from pipelines.graph.document_names import numbers_of, revision_of, revision_order, without_revision
from pipelines.graph.document_profile import DocumentProfile, document_profile
from pipelines.graph.link import link
from pipelines.graph.mentions import ChunkText, NameMatcher, cache_key
from pipelines.store.artifact import FileArtifacts
from tests.graph.made import linked, made, profiles, texts

SIEMENS = [Entity(Entity.make_id(name), name, "company") for name in ("Siemens AG", "Siemens")]
ONE = made("a.md", "DS-1000 Motor", "Siemens AG made it. Siemens AG again.", entities=SIEMENS[:1], tags=["made"])
TWO = made(
    "b.md", "Incident at the pump", "Siemens came, see DS-1000. It was made so.", entities=SIEMENS[1:], tags=["made"]
)


def test_linked_nodes_and_edges_are_owned_by_the_corpus() -> None:
    found = linked(ONE, TWO)
    assert {item.owner for item in (*found.subgraph.nodes, *found.subgraph.edges)} == {CORPUS_OWNER}


def test_all_edges_of_the_whole_graph_have_existing_ends() -> None:
    found = linked(ONE, TWO)
    parts = [redirect(build_graph(*one), found.merged) for one in (ONE, TWO)] + [found.subgraph]
    ids = {node.id for part in parts for node in part.nodes}
    assert all({edge.source, edge.target} <= ids for part in parts for edge in part.edges)


def test_merged_entities_become_one_node_that_lists_its_merges() -> None:
    found = linked(ONE, TWO)
    (node,) = [node for node in found.subgraph.nodes if node.kind is NodeKind.ENTITY]
    assert node.properties["documents"] == 2
    assert node.properties["merges"] == ("Siemens AG (same name, 1.00)",) or node.properties["merges"] == (
        "Siemens (same name, 1.00)",
    )
    assert [entity.id for entity in found.entities] == [node.id]


def test_a_tag_shared_by_documents_is_one_node() -> None:
    found = linked(ONE, TWO)
    (tag,) = [node for node in found.subgraph.nodes if node.kind is NodeKind.TAG]
    assert (tag.properties["documents"], tag.properties["chunks"]) == (2, 2)
    assert [one.id for one in found.tags] == [Tag.make_id("made")]


def test_linking_does_not_depend_on_the_order_of_the_profiles() -> None:
    assert link(reversed(profiles(ONE, TWO)), texts(ONE, TWO)) == link(profiles(ONE, TWO), texts(ONE, TWO))


def test_document_profiles_survive_encoding_and_decoding() -> None:
    one = document_profile(*TWO)
    assert codec.decode(codec.encode(one), DocumentProfile) == one


def test_texts_are_not_searched_again_for_the_same_set_of_names(tmp_path: Path) -> None:
    cache = FileArtifacts(tmp_path)
    first = texts(ONE, TWO)
    found = link(profiles(ONE, TWO), first, cache=cache)
    again = texts(ONE, TWO)
    assert link(profiles(ONE, TWO), again, cache=cache) == found
    assert (sorted(first.asked), again.asked) == (sorted([ONE[0].id, TWO[0].id]), [])


def test_texts_are_searched_again_after_a_name_was_added(tmp_path: Path) -> None:
    cache = FileArtifacts(tmp_path)
    link(profiles(ONE, TWO), texts(ONE, TWO), cache=cache)
    third = made("c.md", "MM-0007 Manual of the motor", "See DS-1000.")
    asked = texts(ONE, TWO, third)
    found = link(profiles(ONE, TWO, third), asked, cache=cache)
    assert len(asked.asked) == 3
    assert found == linked(ONE, TWO, third)
    assert list(cache.keys("mentions")) == sorted(cache_key(one[0].id) for one in (ONE, TWO, third))


def test_an_empty_corpus_links_nothing() -> None:
    found = link([], texts())
    assert found.subgraph.nodes == found.subgraph.edges == ()


def test_number_and_revision_of_a_document_are_extracted() -> None:
    assert numbers_of("DS-2041 Pump Rev. C", "x.pdf", "", {}) == ("DS-2041",)
    assert numbers_of("PT-300 安装说明", "a.md", "编号：SZ-INS-05", {}) == ("SZ-INS-05",)
    assert numbers_of("Report", "IR-2024-031_noise.md", "", {}) == ("IR-2024-031",)
    assert numbers_of("Meeting 2024", "report-2024.pdf", "", {}) == ()
    assert numbers_of("Pump", "a.xml", "", {"identifier": "pump-A-29-00A-520A-A"}) == ("PUMP-A-29-00A-520A-A",)
    assert numbers_of("Pump", "a.epub", "", {"identifier": "978-3-16-148410-0"}) == ()
    assert numbers_of("Pump", "a.epub", "", {"identifier": "abcdef01-1234-4abc-8def-0123456789ab"}) == ()
    assert revision_of("DS-2041 Rev. C", "x.pdf", "", {}) == "C"
    assert revision_of("Pump", "pump_v1.10.pdf", "", {}) == "1.10"
    assert revision_of("Pump", "p.pdf", "It was DS-2041 revision B then.", {}) == ""
    assert sorted(["1.10", "1.9", "1.2"], key=revision_order) == ["1.2", "1.9", "1.10"]


@pytest.mark.parametrize(
    ("title", "revision", "without"),
    [
        ("Manuel, révision B", "B", "Manuel"),
        ("Руководство, версия 2.1", "2.1", "Руководство"),
        ("Handbuch 3. Auflage", "3", "Handbuch"),
        ("Manual (2ª edición)", "2", "Manual"),
        ("手册 第3版", "3", "手册"),
        ("Reverse osmosis 4", "", "Reverse osmosis 4"),
        ("Katalog Ausgabe 2024", "", "Katalog Ausgabe 2024"),
        ("Guide, édition du 12.03.2024", "", "Guide, édition du 12.03.2024"),
        ("Firmware version 1.2.3.4", "1.2.3.4", "Firmware"),
        ("Standortverzeichnis 5", "", "Standortverzeichnis 5"),
    ],
)
def test_a_revision_is_recognized_in_any_language(title: str, revision: str, without: str) -> None:
    assert revision_of(title, "x.pdf", "", {}) == revision
    assert without_revision(title) == without


@pytest.mark.parametrize(
    ("head", "numbers"),
    [
        ("Dokumentennummer: WI-4711-2", ("WI-4711-2",)),
        ("N° de document : PR-100-22", ("PR-100-22",)),
        ("Номер документа: ГОСТ-1234", ("ГОСТ-1234",)),
        ("文件编号：QW-2021-03", ("QW-2021-03",)),
        ("no. 12-34", ()),
    ],
)
def test_a_document_number_is_recognized_by_its_label_in_any_language(head: str, numbers: tuple[str, ...]) -> None:
    assert numbers_of("", "x.pdf", head, {}) == numbers


words = st.sampled_from(["pump", "seal", "DS-2041", "wear ring", "泵站手册", "ring"])


@given(st.lists(words, max_size=6), st.lists(words, max_size=12))
def test_the_matcher_finds_whole_and_longest_names_at_exact_spans(names: list[str], text: list[str]) -> None:
    passage = ChunkText("chunk:1", 100, " ".join(text))
    found = NameMatcher(name.casefold() for name in names).find([passage])
    for hit in found:
        assert passage.text[hit.start - 100 : hit.end - 100] == hit.surface
        assert hit.surface.casefold() == hit.name
    assert {hit.name for hit in found} >= {name.casefold() for name in names if name in text and name != "ring"}
    assert all(one.end <= two.start for one, two in pairwise(found))


def test_a_reference_edge_names_the_chunk_that_contains_it() -> None:
    found = linked(ONE, TWO)
    (edge,) = [edge for edge in found.subgraph.edges if edge.kind is EdgeKind.REFERENCES]
    assert edge.properties["chunk"] == TWO[1].chunks[0].id
