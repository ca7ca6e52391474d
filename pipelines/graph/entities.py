"""Entities of the whole corpus: the profile of each name over all documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from pipelines.graph.document_profile import DocumentProfile


@dataclass(frozen=True, slots=True)
class EntityProfile:
    """One name as all documents use it, before anything is merged.

    `type` is the one most often given, empty where none is. `mentions` and `documents` tell how often and in which
    documents it stands, the latter sorted.
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
    """Return a profile for each entity id in `profiles`, in order of id."""
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
    """Return the key with the highest count, of equals the first in order; empty where there is none."""
    if len(counts) < 2:
        return next(iter(counts), "")
    return min(counts, key=lambda key: (-counts[key], key))
