"""Entities of the whole corpus: a profile of each name over all documents, and splits.

Rules and models merge names, but cannot detect that one name stands for two things. A user can state that in one
document a name means another entity; all that the document says about the name is then moved to that entity.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipelines.core.ids import normalize
from pipelines.core.knowledge import Entity
from pipelines.graph.document_profile import DocumentProfile, ProfileEntity


@dataclass(frozen=True, slots=True)
class EntityProfile:
    """One name over all documents, before entities are merged.

    `type` is the most frequent one, or "" if none is given. `mentions` is the number of mentions, `documents` are the
    sorted ids of the documents with the name.
    """

    id: str
    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    mentions: int = 0
    documents: tuple[str, ...] = ()


@dataclass(slots=True)
class _Gathered:
    names: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    aliases: set[str] = field(default_factory=set)
    mentions: int = 0
    documents: list[str] = field(default_factory=list)


def entity_profiles(profiles: Iterable[DocumentProfile]) -> list[EntityProfile]:
    """Return a profile for each entity id in `profiles`, sorted by id."""
    gathered: defaultdict[str, _Gathered] = defaultdict(_Gathered)
    for profile in sorted(profiles, key=lambda profile: profile.document):
        for entity in profile.entities:
            one = gathered[entity.id]
            one.names[entity.name] += max(entity.count, 1)
            if entity.type:
                one.types[entity.type] += max(entity.count, 1)
            one.aliases.update(entity.aliases)
            one.mentions += entity.count
            one.documents.append(profile.document)
    return [_profile(id, gathered[id]) for id in sorted(gathered)]


def _profile(id: str, one: _Gathered) -> EntityProfile:
    name = most_common(one.names)
    aliases = (one.aliases | set(one.names)) - {name}
    return EntityProfile(id, name, most_common(one.types), tuple(sorted(aliases)), one.mentions, tuple(one.documents))


def most_common(counts: Counter[str]) -> str:
    """Return the key with the highest count, among equal counts the smallest; "" if there are no keys."""
    if len(counts) < 2:
        return next(iter(counts), "")
    return min(counts, key=lambda key: (-counts[key], key))


@dataclass(frozen=True, slots=True)
class Split:
    """In the document with this `uri`, the entity `name` in any of its spellings is the entity `becomes`."""

    uri: str
    name: str
    becomes: str


@dataclass(frozen=True, slots=True)
class Divided:
    """Profiles after splits.

    `moved` maps a document's id to a mapping from the entity ids in its chunks to the ids that replace them. `apart`
    are the pairs of names that no rule may merge again.
    """

    profiles: tuple[DocumentProfile, ...]
    moved: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    apart: tuple[tuple[str, str], ...] = ()


def divide(
    profiles: Sequence[DocumentProfile],
    splits: Iterable[Split],
    known: Sequence[EntityProfile],
    merged: Mapping[str, str],
) -> Divided:
    """Return the profiles with split entities moved to the entities named by the splits, new or existing.

    Args:
        profiles: the profiles of all documents.
        splits: in the order in which they were made; a later one may split the result of an earlier one.
        known: the entities of the profiles before the splits.
        merged: maps the id of a merged entity to that of its replacement, before the splits.
    """
    groups = _Groups(known, merged)
    names: dict[str, str] = {}
    moved: dict[str, dict[str, str]] = {}
    apart: list[tuple[str, str]] = []
    by_uri = {profile.uri: profile for profile in profiles}
    for split in splits:
        profile = by_uri.get(split.uri)
        if profile is None:
            continue
        here, group = moved.setdefault(profile.document, {}), groups.of(split.name)
        becomes = Entity.make_id(split.becomes)
        found = [one.id for one in profile.entities if here.get(one.id, one.id) in group]
        if found:
            names[becomes] = split.becomes
            here.update(dict.fromkeys(found, becomes))
            apart += [(split.becomes, groups.name(id, split.name)) for id in sorted(group) if id != becomes]
    moved = {document: here for document, here in moved.items() if here}
    changed = tuple(_moved(one, moved[one.document], names) if one.document in moved else one for one in profiles)
    return Divided(changed, moved, tuple(apart))


class _Groups:
    """Look-up of the group of merged entities that a name belongs to."""

    def __init__(self, known: Sequence[EntityProfile], merged: Mapping[str, str]) -> None:
        self._merged = merged
        self._names = {profile.id: profile.name for profile in known}
        self._members: dict[str, set[str]] = {}
        self._called: dict[str, str] = {}
        for profile in known:
            root = merged.get(profile.id, profile.id)
            self._members.setdefault(root, set()).add(profile.id)
            for alias in profile.aliases:
                self._called.setdefault(normalize(alias), root)

    def of(self, name: str) -> set[str]:
        """Return the ids of all entities merged with the one of this name; for a new name, only its own id."""
        id = Entity.make_id(name)
        own = id if id in self._names else self._called.get(normalize(name), id)
        return {id} | self._members.get(self._merged.get(own, own), set())

    def name(self, id: str, default: str) -> str:
        return self._names.get(id, default)


def _moved(profile: DocumentProfile, to: Mapping[str, str], names: Mapping[str, str]) -> DocumentProfile:
    """Return the profile with entities replaced; entities with the same replacement are joined."""
    found: dict[str, ProfileEntity] = {}
    for entity in profile.entities:
        one = _renamed(entity, to[entity.id], names[to[entity.id]]) if entity.id in to else entity
        other = found.get(one.id)
        found[one.id] = _joined(other, one) if other else one
    return replace(profile, entities=tuple(found[id] for id in sorted(found)))


def _renamed(entity: ProfileEntity, id: str, name: str) -> ProfileEntity:
    spellings = {entity.name, *entity.aliases} - {name}
    return replace(entity, id=id, name=name, aliases=tuple(sorted(spellings)))


def _joined(one: ProfileEntity, other: ProfileEntity) -> ProfileEntity:
    aliases = {other.name, *one.aliases, *other.aliases} - {one.name}
    return replace(one, type=one.type or other.type, aliases=tuple(sorted(aliases)), count=one.count + other.count)
