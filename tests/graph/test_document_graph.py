from __future__ import annotations

from dataclasses import replace

from pipelines.core.document import Block, BlockKind, Chunk, Document, Figure, Reference, ReferenceKind, Section, Source
from pipelines.core.graph import Edge, EdgeKind, Layer, Node, NodeKind, Subgraph
from pipelines.core.knowledge import Atom, AtomKind, ChunkTag, Distillate, Entity, Field, Mention, Relation, Row
from pipelines.core.provenance import Box, Provenance, Span
from pipelines.core.table import Cell, Table
from pipelines.graph.document_graph import build_graph, redirect
from pipelines.graph.node_properties import box_of, box_text, short

TEXT = "Pump manual\nThe seal leaks.\nTable 1\nPart | No\nSeal | 7\n"
ID = "document:1"


def at(start: int, end: int, page: int | None = 1) -> Provenance:
    return Provenance(ID, Span(start, end), page, boxes=(Box(1, 0.1, 0.2, 0.3, 0.4),))


TABLE = Table("table:1", 2, 2, (Cell(0, 0, "Part"), Cell(0, 1, "No"), Cell(1, 0, "Seal"), Cell(1, 1, "7")), "Table 1")
FIGURE = Figure("figure:1", "ab" * 32, "image/png", ocr_text="P")
DOCUMENT = Document(
    ID,
    Source("m/pump.pdf", "application/pdf", 9, "cd" * 32),
    "Pump manual",
    TEXT,
    (
        Block("block:1", BlockKind.HEADING, "Pump manual", at(0, 11)),
        Block("block:2", BlockKind.PARAGRAPH, "The seal leaks.", at(12, 27)),
        Block("block:3", BlockKind.CAPTION, "Table 1", at(28, 35), caption_of="table:1"),
        Block("block:4", BlockKind.TABLE, TEXT[36:55], at(36, 55), table=TABLE),
        Block("block:5", BlockKind.FIGURE, "", at(56, 56, 2), figure=FIGURE),
    ),
    (
        Section("section:0", "", 0, Span(0, 56)),
        Section("section:1", "Pump manual", 1, Span(0, 56), "section:0", "1", ("Pump manual",), 1),
    ),
)
CHUNKS = (
    Chunk("chunk:1", ID, "section:1", 0, TEXT[12:27], at(12, 27), ("Pump manual",), summary="A leak."),
    Chunk("chunk:2", ID, "section:1", 1, TEXT[28:55], at(28, 55), ("Pump manual",)),
)
DISTILLATE = Distillate(
    ID,
    CHUNKS,
    (Atom("atom:1", "chunk:1", AtomKind.QUESTION, "What leaks?", at(12, 27)),),
    (ChunkTag("chunk:1", "tag:seal", "seal", 0.5),),
    (Entity("entity:seal", "seal"), Entity("entity:pump", "Pump")),
    (Mention("chunk:1", "entity:seal", "seal", at(16, 20)),),
    (Relation("relation:1", "chunk:1", "entity:pump", "has part", "entity:seal", at(12, 27)),),
    (Row("row:1", "chunk:2", "table:1", (Field("Part", "Seal"), Field("No", "7", "number")), at(46, 54)),),
)
GRAPH = build_graph(DOCUMENT, DISTILLATE)


def ends(kind: EdgeKind) -> list[tuple[str, str]]:
    return [(edge.source, edge.target) for edge in GRAPH.edges if edge.kind is kind]


def node(id: str) -> Node:
    return next(node for node in GRAPH.nodes if node.id == id)


def test_the_graph_has_the_nodes_of_each_layer() -> None:
    kinds = [(node.id, node.kind, node.layer) for node in GRAPH.nodes]
    assert kinds == [
        (ID, NodeKind.DOCUMENT, Layer.RESOURCE),
        ("section:1", NodeKind.SECTION, Layer.CORPUS),
        ("chunk:1", NodeKind.CHUNK, Layer.CORPUS),
        ("chunk:2", NodeKind.CHUNK, Layer.CORPUS),
        ("table:1", NodeKind.TABLE, Layer.CORPUS),
        ("figure:1", NodeKind.FIGURE, Layer.CORPUS),
        ("atom:1", NodeKind.ATOM, Layer.KNOWLEDGE),
        ("row:1", NodeKind.ROW, Layer.KNOWLEDGE),
    ]


def test_nodes_and_edges_are_owned_by_the_document() -> None:
    assert {item.owner for item in (*GRAPH.nodes, *GRAPH.edges)} == {ID} == {GRAPH.owner}


def test_every_node_is_reachable_from_the_document() -> None:
    reached, rim = {ID}, {ID}
    while rim:
        rim = {edge.target for edge in GRAPH.edges if edge.source in rim} - reached
        reached |= rim
    assert {node.id for node in GRAPH.nodes} <= reached


def test_edges_lead_from_document_to_section_to_chunk() -> None:
    assert ends(EdgeKind.HAS_SECTION) == [(ID, "section:1")]
    assert ends(EdgeKind.HAS_CHUNK) == [("section:1", "chunk:1"), ("section:1", "chunk:2")]
    assert ends(EdgeKind.NEXT) == [("chunk:1", "chunk:2")]


def test_tables_are_linked_from_chunks_and_figures_without_text_from_sections() -> None:
    assert ends(EdgeKind.HAS_TABLE) == [("chunk:2", "table:1")]
    assert ends(EdgeKind.HAS_FIGURE) == [("section:1", "figure:1")]
    assert ends(EdgeKind.CAPTION_OF) == [("chunk:2", "table:1")]


def test_knowledge_nodes_are_linked_from_their_chunk() -> None:
    assert ends(EdgeKind.HAS_ATOM) == [("chunk:1", "atom:1")]
    assert ends(EdgeKind.HAS_TAG) == [("chunk:1", "tag:seal")]
    assert ends(EdgeKind.MENTIONS) == [("chunk:1", "entity:seal")]
    assert ends(EdgeKind.HAS_ROW) == [("chunk:2", "row:1"), ("table:1", "row:1")]
    assert ends(EdgeKind.RELATED) == [("entity:pump", "entity:seal")]


def test_edges_have_their_evidence_as_properties() -> None:
    told = {edge.kind: edge.properties for edge in GRAPH.edges}
    assert told[EdgeKind.RELATED]["evidence"] == "The seal leaks."
    assert told[EdgeKind.RELATED]["type"] == "has part"
    assert TEXT[int(str(told[EdgeKind.MENTIONS]["start"])) : int(str(told[EdgeKind.MENTIONS]["end"]))] == "seal"
    assert told[EdgeKind.HAS_TAG]["weight"] == 0.5


def test_a_chunk_node_has_all_properties_needed_for_a_citation() -> None:
    told = node("chunk:1").properties
    assert told["text"] == TEXT[int(str(told["start"])) : int(str(told["end"]))]
    assert (told["uri"], told["page"], told["heading_path"]) == ("m/pump.pdf", 1, ("Pump manual",))
    assert [box_of(str(box)) for box in told["boxes"]] == [Box(1, 0.1, 0.2, 0.3, 0.4)]  # type: ignore[union-attr]


def test_a_row_node_has_columns_values_and_types() -> None:
    told = node("row:1").properties
    assert told["text"] == "Part: Seal; No: 7"
    assert (told["columns"], told["values"], told["types"]) == (("Part", "No"), ("Seal", "7"), ("text", "number"))


def test_node_names_are_short_and_on_one_line() -> None:
    assert all(len(str(node.properties["name"])) <= 60 for node in GRAPH.nodes)
    assert short("a\n b" + "c" * 99) == "a b" + "c" * 56 + "…"


def test_boxes_survive_conversion_to_text() -> None:
    box = Box(3, 0.125, 0.5, 0.75, 1.0)
    assert box_of(box_text(box)) == box


def test_redirect_moves_edges_to_the_merged_entity() -> None:
    moved = redirect(GRAPH, {"entity:seal": "entity:shaft seal"})
    assert [edge.target for edge in moved.edges if edge.kind is EdgeKind.MENTIONS] == ["entity:shaft seal"]
    assert moved.nodes == GRAPH.nodes


def test_redirect_drops_a_relation_between_merged_entities() -> None:
    one = Subgraph(ID, (), (Edge("entity:a", EdgeKind.RELATED, "entity:b", ID),))
    assert redirect(one, {"entity:a": "entity:b"}).edges == ()


def test_a_cross_reference_to_a_table_is_resolved_by_its_caption_label() -> None:
    def told(target: str) -> Reference:
        return Reference(ReferenceKind.CROSS_REFERENCE, target, f"see {target}", at(16, 20))

    referring = replace(DOCUMENT, references=(told("table 1"), told("table 11"), told("section 1")))
    edges = [edge for edge in build_graph(referring, DISTILLATE).edges if edge.kind is EdgeKind.REFERENCES]
    assert [(edge.source, edge.target) for edge in edges] == [("chunk:1", "table:1")]
    assert edges[0].properties["evidence"] == "see table 1"


def test_section_and_document_nodes_have_their_summaries() -> None:
    told = replace(DISTILLATE, summaries={"section:1": "Seals leak.", ID: "A pump with a leak."})
    nodes = {node.id: node for node in build_graph(DOCUMENT, told).nodes}
    assert nodes["section:1"].properties["summary"] == "Seals leak."
    assert nodes[ID].properties["summary"] == "A pump with a leak."
    assert all("summary" not in node.properties for node in build_graph(DOCUMENT, DISTILLATE).nodes if node.id == ID)
