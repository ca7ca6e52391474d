from __future__ import annotations

from pipelines.core.knowledge import Distillate, Entity, Mention, Relation
from pipelines.core.provenance import Provenance, Span
from pipelines.core.settings_section import GraphSchema
from pipelines.graph.document_graph import conform

PLACE = Provenance("document:1", Span(0, 1))
PUMP, FIRM, OTHER = (
    Entity("entity:1", "P-12", "Component"),
    Entity("entity:2", "Acme", "company"),
    Entity("entity:3", "x"),
)
MADE = Relation("relation:1", "chunk:1", FIRM.id, "makes", PUMP.id, PLACE)
BACK = Relation("relation:2", "chunk:1", PUMP.id, "makes", FIRM.id, PLACE)
ODD = Relation("relation:3", "chunk:1", FIRM.id, "likes", OTHER.id, PLACE)
FOUND = Distillate(
    "document:1",
    (),
    entities=(PUMP, FIRM, OTHER),
    mentions=tuple(Mention("chunk:1", one.id, one.name, PLACE) for one in (PUMP, FIRM, OTHER)),
    relations=(MADE, BACK, ODD),
    dropped={"before": 1},
)


def test_an_empty_schema_keeps_everything() -> None:
    assert conform(FOUND, GraphSchema()) is FOUND


def test_entities_outside_the_schema_are_dropped_with_mentions_and_relations() -> None:
    kept = conform(FOUND, GraphSchema(entity_types=("component", "Company")))
    assert kept.entities == (PUMP, FIRM)
    assert {one.entity for one in kept.mentions} == {PUMP.id, FIRM.id}
    assert kept.relations == (MADE, BACK)
    assert kept.dropped == {"before": 1, "entity type not in the schema": 1, "relation not in the schema": 1}


def test_relations_outside_the_schema_are_dropped() -> None:
    assert conform(FOUND, GraphSchema(relation_types=("likes",))).relations == (ODD,)


def test_a_pattern_has_a_direction() -> None:
    assert conform(FOUND, GraphSchema(patterns=(("company", "makes", "component"),))).relations == (MADE,)
