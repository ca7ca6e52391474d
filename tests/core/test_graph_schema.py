from __future__ import annotations

from pipelines.core.settings_section import GraphSchema

MAKES = GraphSchema(entity_types=("organization",), patterns=(("Organization", "makes", "product"),))


def test_without_types_everything_is_allowed() -> None:
    assert not GraphSchema().confines
    assert GraphSchema().allows_entity("")
    assert GraphSchema().allows_relation("a", "b", "c")


def test_types_of_patterns_are_named_too_each_once() -> None:
    assert MAKES.kinds == ("organization", "product")
    assert MAKES.relations == ("makes",)


def test_entity_types_restrict_entities_but_patterns_do_not() -> None:
    assert MAKES.allows_entity("ORGANIZATION")
    assert not MAKES.allows_entity("product")
    assert GraphSchema(patterns=MAKES.patterns).allows_entity("anything")


def test_a_pattern_has_a_direction_and_no_case() -> None:
    assert MAKES.allows_relation("organization", "Makes", "Product")
    assert not MAKES.allows_relation("product", "makes", "organization")


def test_a_relation_type_that_is_not_named_is_not_allowed() -> None:
    assert not GraphSchema(relation_types=("makes",)).allows_relation("a", "sells", "b")
