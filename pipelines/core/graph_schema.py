"""What entities and relations of the distilled layer may be: the section `[graph.schema]`, one for all stages."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from pipelines.core.ids import normalize


class GraphSchema(BaseModel):
    """Types and patterns that are allowed; an empty tuple allows everything. Spelling and case do not count."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entity_types: tuple[str, ...] = Field((), description="the entity types that the graph may hold; empty: any")
    relation_types: tuple[str, ...] = Field((), description="the relation types that the graph may hold; empty: any")
    patterns: tuple[tuple[str, str, str], ...] = Field(
        (), description="the allowed (head type, relation type, tail type); empty: any"
    )

    @property
    def confines(self) -> bool:
        """Whether there is anything that it does not allow."""
        return bool(self.entity_types or self.relation_types or self.patterns)

    @property
    def kinds(self) -> tuple[str, ...]:
        """All entity types that it names, those of patterns among them."""
        ends = [end for head, _, tail in self.patterns for end in (head, tail)]
        return _distinct((*self.entity_types, *ends))

    @property
    def relations(self) -> tuple[str, ...]:
        """All relation types that it names, those of patterns among them."""
        return _distinct((*self.relation_types, *(relation for _, relation, _ in self.patterns)))

    def allows_entity(self, kind: str) -> bool:
        return not self.entity_types or normalize(kind) in map(normalize, self.entity_types)

    def allows_relation(self, head: str, relation: str, tail: str) -> bool:
        """Whether an entity of type `head` may relate so to one of type `tail`."""
        if self.relation_types and normalize(relation) not in map(normalize, self.relation_types):
            return False
        wanted = tuple(map(normalize, (head, relation, tail)))
        return not self.patterns or any(tuple(map(normalize, pattern)) == wanted for pattern in self.patterns)


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(normalize(name), name)
    return tuple(found.values())
