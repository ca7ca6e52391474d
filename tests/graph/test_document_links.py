from __future__ import annotations

import pytest

from pipelines.core.document import ReferenceKind
from pipelines.core.graph import EdgeKind, NodeKind
from pipelines.graph.link import Linked
from tests.graph.made import Made, linked, made

LINK, MENTION = ReferenceKind.HYPERLINK, ReferenceKind.MENTION
MANUAL = made(
    "manuals/K-series.md",
    "Maintenance Manual K-Series",
    "# 4.2 Seals\n\nReplace the seal.\n\n# 7 Safety\n\nWear gloves.",
)
SHEET = made("sheets/ds-2041.md", "DS-2041 Centrifugal pump", "# 2 Performance\n\nThe head is 40 m.")
STANDARD = made(
    "std-014.md", "STD-014 Suction piping", "# 7 Suction\n\n7.3 NPSHa shall exceed NPSHr.\n\n7.4 Strainers."
)
CHINESE = made("维护手册.md", "离心泵维护手册", "# 3 润滑\n\n每月加油。")


def edges(found: Linked, source: Made, target: Made) -> list[dict[str, object]]:
    ends = (source[0].id, target[0].id)
    kinds = [EdgeKind.REFERENCES]
    return [
        dict(edge.properties)
        for edge in found.subgraph.edges
        if (edge.source, edge.target) == ends and edge.kind in kinds
    ]


def only_edge(
    text: str, target: Made, uri: str = "notes/n.md", *references: tuple[ReferenceKind, str, str]
) -> dict[str, object]:
    note = made(uri, "A note of mine", text, references)
    (found,) = edges(linked(note, MANUAL, SHEET, STANDARD, CHINESE), note, target)
    assert text[int(str(found["start"])) : int(str(found["end"]))] == found["evidence"]
    return found


@pytest.mark.parametrize(
    "target",
    [
        "../manuals/K-series.md",
        "..\\manuals\\K-series.md",
        "/manuals/K-series.md",
        "./../manuals/K%2Dseries.md",
        "../manuals/k-series.MD",
        "../manuals/K-series",
        "../elsewhere/K-series.md",
        "https://intranet.example/docs/K-series.md",
        "file:///C:/docs/manuals/K-series.md",
    ],
)
def test_a_link_to_a_file_of_the_folder_is_resolved(target: str) -> None:
    found = only_edge("See the manual here.", MANUAL, "notes/n.md", (LINK, target, "manual"))
    assert found["kind"] == "hyperlink"


def test_the_anchor_of_a_link_is_resolved_to_a_section() -> None:
    for anchor in ("safety", "7-safety", "4.2"):
        found = only_edge("The manual.", MANUAL, "notes/n.md", (LINK, f"../manuals/K-series.md#{anchor}", "manual"))
        section = MANUAL[0].sections[1 if anchor == "4.2" else 2]
        assert found["target_section"] == section.id


@pytest.mark.parametrize("target", ["#part", "mailto:a@b.example", "javascript:void(0)", "tel:123", ""])
def test_anchors_and_non_document_addresses_yield_no_reference(target: str) -> None:
    note = made("n.md", "A note", "Look here.", [(LINK, target, "here")])
    assert not linked(note, MANUAL).subgraph.edges


@pytest.mark.parametrize(
    ("text", "target", "part"),
    [
        ("See DS-2041 for the head.", SHEET, ""),
        ("See ds 2041 for the head.", SHEET, ""),
        ("The file ds-2041.md has it.", SHEET, ""),
        ("As the Maintenance Manual K-Series says, wear gloves.", MANUAL, ""),
        ("as described in the maintenance manual k-series, wear gloves", MANUAL, ""),
        ("按照离心泵维护手册执行。", CHINESE, ""),
        ("参见《离心泵维护手册》第3节。", CHINESE, "3"),
        ("According to section 4.2 of the Maintenance Manual K-Series it leaks.", MANUAL, "4.2"),
        ("It leaks (Maintenance Manual K-Series, section 4.2).", MANUAL, "4.2"),
        ("Clause 7.3 of STD-014 applies.", STANDARD, "7.3"),
    ],
)
def test_a_document_is_resolved_by_number_file_name_or_title(text: str, target: Made, part: str) -> None:
    found = only_edge(text, target)
    assert found["kind"] == "mention"
    assert found.get("section", "") == part


def test_a_named_section_is_resolved_to_the_section_and_a_clause_to_its_chunk() -> None:
    section = only_edge("See section 4.2 of the Maintenance Manual K-Series.", MANUAL)
    assert section["target_section"] == MANUAL[0].sections[1].id
    clause = only_edge("Clause 7.3 of STD-014 applies.", STANDARD)
    assert clause["target_chunk"] == STANDARD[1].chunks[0].id


def test_a_missing_clause_is_resolved_to_its_enclosing_section() -> None:
    found = only_edge("Clause 7.9 of STD-014 applies.", STANDARD)
    assert found["target_section"] == STANDARD[0].sections[1].id


def test_a_table_number_is_not_resolved_as_a_section_number() -> None:
    found = only_edge("See table 2 of DS-2041.", SHEET)
    assert found["section"] == "2"
    assert "target_section" not in found


@pytest.mark.parametrize(
    "text",
    [
        "The pump runs.",
        "Part DS-20410 and ADS-2041 are others, as is DS-2041-7.",
        "the suction piping is short",
        "A maintenance manual k-series lies there.",
    ],
)
def test_common_words_and_longer_codes_that_contain_a_name_are_no_reference(text: str) -> None:
    note = made("n.md", "A note of mine", text)
    assert not linked(note, MANUAL, SHEET, STANDARD, made("p.md", "Pump", "It turns.")).subgraph.edges


def test_a_generic_title_is_a_reference_only_after_a_cue() -> None:
    pump = made("p.md", "Pumps", "They turn.")
    without, behind = (made("n.md", "A note of mine", text) for text in ("All Pumps turn.", "See “Pumps” there."))
    assert not edges(linked(without, pump), without, pump)
    assert edges(linked(behind, pump), behind, pump)


def test_a_title_before_the_number_of_another_document_of_its_series_is_no_reference() -> None:
    new = made("sb-2024-07.pdf", "Service Bulletin SB-2024-07", "It supersedes SB-2022-03.")
    old = made("sb-2022-03.txt", "SB-2022-03", "Service Bulletin SB-2022-03. The belt is tensioned.")
    note = made("n.md", "A note", "See Service Bulletin SB-2019-11 (lost), and Service Bulletin SB-2024-07.")
    found = linked(new, old, note)
    assert (len(edges(found, new, old)), edges(found, old, new)) == (1, [])
    assert [one["evidence"] for one in edges(found, note, new)] == ["Service Bulletin SB-2024-07"]


def test_a_document_never_refers_to_itself() -> None:
    own = made("ds-7000.md", "DS-7000 Valve", "This is DS-7000, see ds-7000.md.", [(LINK, "ds-7000.md", "ds-7000.md")])
    assert not linked(own, MANUAL).subgraph.edges


def test_a_name_inside_a_link_is_counted_once() -> None:
    note = made(
        "n.md",
        "A note",
        "Read DS-2041 first.",
        [(LINK, "sheets/ds-2041.md", "DS-2041"), (MENTION, "DS-2041", "DS-2041")],
    )
    (found,) = edges(linked(note, SHEET), note, SHEET)
    assert found["kind"] == "hyperlink"


def test_mentions_of_a_document_in_one_chunk_are_one_edge_with_a_count() -> None:
    note = made("n.md", "A note", "DS-2041 is old. DS-2041 is heavy.\n\nDS-2041 again.")
    assert sorted(int(str(one["count"])) for one in edges(linked(note, SHEET), note, SHEET)) == [1, 2]


def test_attachments_and_replies_are_linked_to_their_documents() -> None:
    first = made("a.eml", "Leak", "It leaks.", message_id="<1@x.example>")
    reply = made(
        "b.eml", "RE: Leak", "Fixed, see report.md attached.",
        [(ReferenceKind.REPLY, "<1@x.example>", "Fixed"), (ReferenceKind.ATTACHMENT, "report.md", "report.md")],
        message_id="2@x.example",
    )  # fmt: skip
    attached = made("b.eml!/report.md", "Report on the leak", "A seal was worn.")
    found = linked(first, reply, attached)
    assert [one["kind"] for one in edges(found, reply, first)] == ["reply"]
    assert [one["kind"] for one in edges(found, reply, attached)] == ["attachment"]


def test_a_missing_target_becomes_an_unresolved_node_with_a_reason() -> None:
    note = made(
        "n.md", "A note", "See DS-9999 and the list at https://x.example/a.",
        [
            (MENTION, "DS-9999", "DS-9999"),
            (LINK, "https://x.example/a", "https://x.example/a"),
            (LINK, "gone.xlsx", "list"),
        ],
    )  # fmt: skip
    found = linked(note, SHEET)
    nodes = {str(node.properties["wanted"]): node for node in found.subgraph.nodes if node.kind is NodeKind.UNRESOLVED}
    assert {name: node.properties["reason"] for name, node in nodes.items()} == {
        "DS-9999": "no document of this name",
        "https://x.example/a": "outside the folder",
        "gone.xlsx": "no such file in the folder",
    }
    assert {edge.target for edge in found.subgraph.edges} == {node.id for node in nodes.values()}
    assert {one.wanted for one in found.unresolved} == set(nodes)


def test_a_part_number_is_not_a_missing_document() -> None:
    note = made("n.md", "A note", "Order bearing SKF-6205 now.", [(MENTION, "SKF-6205", "SKF-6205")])
    assert not linked(note, SHEET).subgraph.edges


def test_part_of_a_title_after_a_cue_is_resolved() -> None:
    note = made(
        "n.md", "A note", "See the Maintenance Manual.", [(MENTION, "Maintenance Manual", "See the Maintenance Manual")]
    )
    (found,) = edges(linked(note, MANUAL, SHEET), note, MANUAL)
    assert found["how"] == "part of the title"


OLD = made("old/ds-2041-rev-b.md", "DS-2041 Centrifugal pump Rev. B", "Head 38 m.")
NEW = made("ds-2041-rev-d.md", "DS-2041 Centrifugal pump Rev. D", "Head 40 m.")


def test_a_reference_means_the_latest_revision_unless_one_is_named() -> None:
    note = made("n.md", "A note", "See DS-2041 there.\n\nIn DS-2041 revision B it was less.")
    found = linked(note, OLD, NEW)
    assert len(edges(found, note, NEW)) == len(edges(found, note, OLD)) == 1


def test_a_revision_supersedes_its_predecessor() -> None:
    found = [edge for edge in linked(OLD, NEW).subgraph.edges if edge.kind is EdgeKind.SUPERSEDES]
    assert [(edge.source, edge.target) for edge in found] == [(NEW[0].id, OLD[0].id)]


def test_revisions_of_one_title_belong_together_though_one_file_is_named_by_its_number() -> None:
    title = "Orsa MA-320 moulding machine, data sheet"
    new = made("ma-320.md", title, "Revision D, 2026.\n\nThe tank holds 480 litres.")
    old = made("old.md", title, "Revision B, 2023. Superseded by revision D.\n\nThe tank holds 440 litres.")
    other = made("ma-450.md", "Orsa MA-450 moulding machine, data sheet", "Revision C.\n\nThe tank holds 700 litres.")
    found = [edge for edge in linked(new, old, other).subgraph.edges if edge.kind is EdgeKind.SUPERSEDES]
    assert [(edge.source, edge.target) for edge in found] == [(new[0].id, old[0].id)]


def test_a_statement_in_the_text_yields_a_supersedes_edge() -> None:
    policy = made("p2.md", "POL-009 Isolation", "This policy supersedes POL-008 from today.")
    before = made("p1.md", "POL-008 Isolation of pumps", "Superseded by POL-009.")
    found = [edge for edge in linked(policy, before).subgraph.edges if edge.kind is EdgeKind.SUPERSEDES]
    assert [(edge.source, edge.target) for edge in found] == [(policy[0].id, before[0].id)]


def test_files_with_the_same_content_are_linked() -> None:
    one, two = made("a.txt", "a", "Same."), made("b.txt", "b", "Same.")
    (edge,) = linked(one, two).subgraph.edges
    assert (edge.source, edge.kind, edge.target) == (one[0].id, EdgeKind.SAME_CONTENT, two[0].id)


def test_documents_with_the_same_words_are_linked_as_the_same_content() -> None:
    words = "The pump shall be aligned cold. " * 20
    one, two = made("a.txt", "a", words), made("b.txt", "b", words.replace(". ", ".  "))
    (edge,) = linked(one, two).subgraph.edges
    assert edge.properties["same"] == "words"


def test_a_title_that_occurs_in_most_documents_is_not_a_reference() -> None:
    named = made("t.md", "Acme Pump Works", "A firm.")
    others = [made(f"{number}.md", f"Note {number}", f"Made by Acme Pump Works, {number}.") for number in range(20)]
    assert not edges(linked(named, *others), others[0], named)
    assert edges(linked(named, *others[:5]), others[0], named)


@pytest.mark.parametrize("title", ["User Manual", "Data sheet", "Fiche technique", "Руководство по эксплуатации"])
def test_a_generic_title_shared_by_documents_yields_no_revisions_and_no_references(title: str) -> None:
    pump = made("pump/manual.txt", f"{title} Rev. A", "The pump lifts water.")
    fan = made("fan/manual.txt", f"{title} Rev. B", "The fan moves air.")
    note = made("note.txt", "Shift note", f"We keep the {title} in the office.")
    edges = linked(pump, fan, note).subgraph.edges
    assert not [edge for edge in edges if edge.kind in (EdgeKind.SUPERSEDES, EdgeKind.REFERENCES)]
