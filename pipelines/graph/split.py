"""Mentions of an entity that are of another: what one name stands for in some documents and not in the others.

Rules and models merge names; they cannot tell that one name stands for two things. A person says of a document that
the name means another thing there: all that the document says of the entity then goes to that other one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipelines.core.ids import normalize
from pipelines.core.knowledge import Entity
from pipelines.graph.document_profile import DocumentProfile, ProfileEntity
from pipelines.graph.entities import EntityProfile


@dataclass(frozen=True, slots=True)
class Split:
    """In the document of this `uri`, what is the entity `name` elsewhere, in any of its spellings, is `becomes`."""

    uri: str
    name: str
    becomes: str


@dataclass(frozen=True, slots=True)
class Divided:
    """Profiles after splits.

    `moved` has, by a document's id, from the ids of entities as its chunks name them to those of what they are
    there. `apart` are the pairs of names that no rule may merge again.
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
    """Return the profiles with what is split moved to entities of their own, or to those of that name that there are.

    Args:
        profiles: those of all documents.
        splits: in the order in which they were said; a later one may split what an earlier one made.
        known: the entities of the profiles, as none of them is split.
        merged: from the id of a merged entity to that of the one that stands for it, as none is split.
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
    """The entities that are one, by any of their names."""

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
        """Return the ids of all that is merged with the entity of this name; of a name that is none yet, its own."""
        id = Entity.make_id(name)
        own = id if id in self._names else self._called.get(normalize(name), id)
        return {id} | self._members.get(self._merged.get(own, own), set())

    def name(self, id: str, default: str) -> str:
        return self._names.get(id, default)


def _moved(profile: DocumentProfile, to: Mapping[str, str], names: Mapping[str, str]) -> DocumentProfile:
    """The profile with entities moved; two that come to one are one."""
    found: dict[str, ProfileEntity] = {}
    for entity in profile.entities:
        one = _called(entity, to[entity.id], names[to[entity.id]]) if entity.id in to else entity
        other = found.get(one.id)
        found[one.id] = _both(other, one) if other else one
    return replace(profile, entities=tuple(found[id] for id in sorted(found)))


def _called(entity: ProfileEntity, id: str, name: str) -> ProfileEntity:
    spellings = {entity.name, *entity.aliases} - {name}
    return replace(entity, id=id, name=name, aliases=tuple(sorted(spellings)))


def _both(one: ProfileEntity, other: ProfileEntity) -> ProfileEntity:
    aliases = {other.name, *one.aliases, *other.aliases} - {one.name}
    return replace(one, type=one.type or other.type, aliases=tuple(sorted(aliases)), count=one.count + other.count)
