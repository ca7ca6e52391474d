"""Keeping the distilled knowledge to a schema, where the settings name one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from pipelines.core.graph_schema import GraphSchema
from pipelines.core.knowledge import Distillate


def conform(distillate: Distillate, schema: GraphSchema) -> Distillate:
    """Return the distillate without entities and relations that the schema does not allow.

    What is left out is counted in `dropped`. An entity without a type is left out where types are named.
    """
    if not schema.confines:
        return distillate
    entities = tuple(one for one in distillate.entities if schema.allows_entity(one.type))
    types = {one.id: one.type for one in entities}
    mentions = tuple(one for one in distillate.mentions if one.entity in types)
    between = [one for one in distillate.relations if one.head in types and one.tail in types]
    relations = tuple(one for one in between if schema.allows_relation(types[one.head], one.type, types[one.tail]))
    dropped = Counter(distillate.dropped)
    dropped["entity type not in the schema"] += len(distillate.entities) - len(entities)
    dropped["relation not in the schema"] += len(distillate.relations) - len(relations)
    counts = {reason: count for reason, count in dropped.items() if count}
    return replace(distillate, entities=entities, mentions=mentions, relations=relations, dropped=counts)
