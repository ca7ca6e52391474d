from __future__ import annotations

import pytest

from pipelines.atomize.extractive_distiller import CO_OCCURRENCE
from pipelines.atomize.settings import AtomizeSettings
from pipelines.chunk.settings import ChunkSettings
from pipelines.core.document import Block, BlockKind, Document, Figure, Source
from pipelines.core.knowledge import AtomKind, Entity
from pipelines.core.provenance import Provenance, Span
from tests.atomize.build import distilled
from tests.chunk.build import code, document, heading, paragraph, table

STATING = AtomizeSettings(statements=True)
PUMPS = "The pump P-101A feeds boiler B-7. It must be checked every week by the Steam Department. Is it loud?"


def test_statements_are_sentences_prefixed_with_title_and_headings() -> None:
    made = document(heading("Boiler house"), paragraph(PUMPS), name="Manual")
    found = distilled(made, settings=STATING, chunking=ChunkSettings())
    assert [atom.text for atom in found.atoms] == [
        "Manual > Boiler house: The pump P-101A feeds boiler B-7.",
        "Manual > Boiler house: It must be checked every week by the Steam Department.",
    ]
    for atom in found.atoms:
        assert atom.kind is AtomKind.STATEMENT
        assert atom.text.endswith(atom.provenance.span.slice(made.text))


def test_a_statement_has_its_own_heading_where_sections_share_a_chunk() -> None:
    made = document(
        heading("Terms"), paragraph("Terms are used like this here."), heading("Pump", 2),
        paragraph("It moves cold water."), heading("Valve", 2), paragraph("It shuts the pipe."), name="Manual",
    )  # fmt: skip
    found = distilled(made, settings=STATING, chunking=ChunkSettings())
    assert len(found.chunks) == 1
    assert [atom.text for atom in found.atoms[1:]] == [
        "Manual > Terms > Pump: It moves cold water.", "Manual > Terms > Valve: It shuts the pipe."
    ]  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        "Die Pumpe wird jede Woche geprüft.",
        "Насос проверяют каждую неделю.",
        "ポンプは毎週点検します。",
        "पंप की जाँच हर सप्ताह होती है।",
        "ตรวจสอบปั๊มทุกสัปดาห์",
        "تفحص المضخة كل أسبوع.",
        "펌프는 매주 점검합니다.",
    ],
)
def test_statements_are_extracted_in_any_language(sentence: str) -> None:
    found = distilled(document(paragraph(sentence), name=""), settings=STATING)
    assert [atom.provenance.span.slice(sentence) for atom in found.atoms] == [sentence]


def test_fragments_too_short_to_state_anything_yield_no_statement() -> None:
    found = distilled(document(paragraph("RW-HW-43"), paragraph("● Ready."), paragraph("好的。")), settings=STATING)
    assert found.atoms == ()


def test_capitalized_words_of_a_heading_are_not_names() -> None:
    made = document(heading("Connecting Patient Tubes to DS-2041"), paragraph("Each tube has a ring."))
    assert [entity.name for entity in distilled(made).entities] == ["DS-2041"]


def test_a_title_that_the_sentence_contains_is_not_prefixed() -> None:
    found = distilled(document(paragraph("The Manual of pumps has ten pages."), name="Manual"), settings=STATING)
    assert [atom.text for atom in found.atoms] == ["The Manual of pumps has ten pages."]


def test_code_and_headings_yield_no_statements() -> None:
    made = document(heading("How to run the whole thing"), code("run the whole thing now please"))
    assert distilled(made, settings=STATING).atoms == ()


def test_the_number_of_statements_is_limited() -> None:
    made = document(paragraph(" ".join(f"The pump number {n} feeds the boiler." for n in range(50))))
    few = AtomizeSettings(statements=True, max_statements=5)
    assert len(distilled(made, settings=few).atoms) == 5


def test_rows_become_statements_and_typed_fields() -> None:
    part = table(["Pump", "Pressure"], ["P-101A", "16 bar"], ["P-101B", "10 bar"], caption="Table 1: Pumps")
    made = document(heading("Pumps"), part)
    found = distilled(made, settings=STATING)
    assert [atom.text for atom in found.atoms] == [
        "Manual > Table 1: Pumps: P-101A: Pressure: 16 bar", "Manual > Table 1: Pumps: P-101B: Pressure: 10 bar"
    ]  # fmt: skip
    first = found.rows[0]
    assert [(field.name, field.value, field.type) for field in first.fields] == [
        ("Pump", "P-101A", "identifier"), ("Pressure", "16 bar", "quantity")
    ]  # fmt: skip
    assert first.provenance.cells == "A2:B2"
    assert first.provenance.span.slice(made.text) == "P-101A | 16 bar"


def test_a_row_of_several_values_gets_a_templated_question_per_value() -> None:
    part = table(["Pump", "Head", "Mass"], ["K65", "34 m", ""], ["K80", "51 m", "395 kg"], caption="Table 1")
    asking = AtomizeSettings(statements=True, row_questions=True)
    found = distilled(document(heading("Pumps"), part), settings=asking)
    asked = [atom for atom in found.atoms if atom.kind is AtomKind.QUESTION]
    assert [atom.text for atom in asked] == ["Manual > Table 1: Head, K80?", "Manual > Table 1: Mass, K80?"]
    assert all(atom.templated for atom in asked)
    assert not any(atom.templated for atom in found.atoms if atom.kind is AtomKind.STATEMENT)
    assert len(distilled(document(heading("Pumps"), part), settings=STATING).atoms) == 2


def test_rows_identified_by_plain_numbers_get_no_questions() -> None:
    part = table(["No.", "Head", "Mass"], ["1", "34 m", "148 kg"])
    asking = AtomizeSettings(statements=True, row_questions=True)
    assert not any(atom.templated for atom in distilled(document(part), settings=asking).atoms)


def test_every_row_of_a_cut_table_is_in_exactly_one_chunk() -> None:
    part = table(["Pump", "Pressure"], *([f"P-{n}", f"{n} bar"] for n in range(60)))
    small = ChunkSettings(max_tokens=40, target_tokens=30, min_tokens=10, window_tokens=60)
    found = distilled(document(part), chunking=small)
    assert [row.fields[0].value for row in found.rows] == [f"P-{n}" for n in range(60)]
    assert len({row.chunk for row in found.rows}) > 5


def test_a_figure_statement_joins_caption_description_and_ocr_text() -> None:
    text = "The pump is shown below.\n\n"
    source = Source("a.md", "text/markdown", 1, "a")
    place = Provenance(source.document_id, Span(len(text), len(text)), 3)
    figure = Figure("figure:1", "d", "image/png", caption="Fig. 1", description="A red pump", ocr_text="P-101A")
    words = Block("b:1", BlockKind.PARAGRAPH, text.strip(), Provenance(source.document_id, Span(0, len(text.strip()))))
    picture = Block("b:2", BlockKind.FIGURE, "", place, figure=figure)
    made = Document(source.document_id, source, "Pumps", text, (words, picture), language="en")
    shown = distilled(made, settings=STATING).atoms[-1]
    assert shown.text == "Pumps: Fig. 1 A red pump P-101A"
    assert shown.provenance.page == 3


def test_entities_have_mentions_at_their_spans() -> None:
    made = document(paragraph(PUMPS), paragraph("P-101A is loud."))
    found = distilled(made)
    assert [entity.name for entity in found.entities] == ["P-101A", "B-7", "Steam Department"]
    for mention in found.mentions:
        assert mention.provenance.span.slice(made.text) == mention.surface
        assert mention.entity == Entity.make_id(mention.surface)


def test_a_relation_by_co_occurrence_is_marked_as_such() -> None:
    made = document(paragraph(PUMPS))
    (relation,) = distilled(made).relations
    assert relation.origin == relation.type == CO_OCCURRENCE
    assert {relation.head, relation.tail} == {Entity.make_id("P-101A"), Entity.make_id("B-7")}
    assert relation.provenance.span.slice(made.text) == "The pump P-101A feeds boiler B-7."


def test_the_number_of_relations_is_limited() -> None:
    crowd = "So " + ", ".join(f"P-{n}" for n in range(100, 130)) + " stand still."
    assert len(distilled(document(paragraph(crowd)), settings=AtomizeSettings(max_relations=7)).relations) == 7


def test_disabled_kinds_of_knowledge_are_not_extracted() -> None:
    off = AtomizeSettings(statements=False, tags=False, entities=False, rows=False)
    found = distilled(document(paragraph(PUMPS), table(["a", "b"], ["c", "d"])), settings=off)
    made = (found.atoms, found.tags, found.entities, found.mentions, found.relations, found.rows)
    assert made == ((), (), (), (), (), ())


def test_tags_are_the_key_phrases_of_the_chunk() -> None:
    found = distilled(document(heading("Feed pump"), paragraph("The feed pump has a shaft seal. A feed pump is loud.")))
    assert found.tags[0].text.lower() == "feed pump"
    assert all(0 < tag.weight <= 1 for tag in found.tags)


def test_a_document_without_text_yields_no_chunks_or_atoms() -> None:
    found = distilled(document())
    assert (found.chunks, found.atoms, found.unfinished) == ((), (), ())
