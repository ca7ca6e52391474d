"""Keeping the distilled knowledge to a schema, where the settings name one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from pipelines.core.knowledge import Distillate, Relation
from pipelines.core.terms import normalize
from pipelines.graph.settings import GraphSettings


def conform(distillate: Distillate, settings: GraphSettings) -> Distillate:
    """Return the distillate without entities and relations of types that the settings do not allow.

    What is left out is counted in `dropped`. An entity without a type is left out where types are named.
    """
    if not (settings.entity_types or settings.relation_types or settings.patterns):
        return distillate
    allowed = _plain(settings.entity_types)
    entities = tuple(one for one in distillate.entities if not allowed or normalize(one.type) in allowed)
    types = {one.id: normalize(one.type) for one in entities}
    mentions = tuple(one for one in distillate.mentions if one.entity in types)
    relations = tuple(one for one in distillate.relations if _is_allowed(one, types, settings))
    dropped = Counter(distillate.dropped)
    dropped["entity type not in the schema"] += len(distillate.entities) - len(entities)
    dropped["relation not in the schema"] += len(distillate.relations) - len(relations)
    counts = {reason: count for reason, count in dropped.items() if count}
    return replace(distillate, entities=entities, mentions=mentions, relations=relations, dropped=counts)


def _is_allowed(relation: Relation, types: dict[str, str], settings: GraphSettings) -> bool:
    if relation.head not in types or relation.tail not in types:
        return False
    kind = normalize(relation.type)
    if settings.relation_types and kind not in _plain(settings.relation_types):
        return False
    patterns = {tuple(map(normalize, pattern)) for pattern in settings.patterns}
    return not patterns or (types[relation.head], kind, types[relation.tail]) in patterns


def _plain(names: Collection[str]) -> frozenset[str]:
    return frozenset(map(normalize, names))
