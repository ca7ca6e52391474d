"""Corrections of the graph by users, kept in the catalog: entities merged or kept apart, tags renamed, atoms rejected.

Entities are told apart in two ways: two names denote different entities (`apart`), or one name denotes a different
entity in one document (`split`).

Verdicts are applied whenever documents are linked and loaded, so they survive a rebuild; an undone verdict has no
effect from the next ingest on. A verdict is dropped with the last document that has its names or its atom.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from pipelines.atomize.tags import tag_form
from pipelines.core.errors import NotFound, SourceError
from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.core.ids import content_id, normalize
from pipelines.core.knowledge import Tag
from pipelines.graph.document_profile import DocumentProfile, ProfileTag
from pipelines.graph.entities import Split
from pipelines.graph.settings import GraphSettings
from pipelines.store.catalog import Catalog
from pipelines.store.facts import CatalogFact, Remarks
from pipelines.store.graph import GraphStore


class VerdictKind(StrEnum):
    MERGE = "merge"
    """The names `one` and `two` denote the same entity, which gets the more frequent name."""
    APART = "apart"
    """The names `one` and `two` denote different entities, whatever rules and models decide."""
    SPLIT = "split"
    """In the document `where` (its URI), the name `one` denotes a different entity, which is to be called `two`."""
    TAG = "tag"
    """The tag `one`, in all its spellings, is renamed to `two`."""
    ATOM = "atom"
    """The atom with the id `one`, of the document with the id `two`, is wrong: it is listed, but not searched."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A correction by the user `by`, at a time in UTC; see `VerdictKind` for the other fields."""

    id: str
    kind: VerdictKind
    one: str
    two: str
    by: str
    at: str
    where: str = ""

    @staticmethod
    def make_id(kind: VerdictKind, one: str, two: str, where: str = "") -> str:
        return content_id("verdict", kind.value, normalize(one), normalize(two), *filter(None, [where]))


VERDICTS: Remarks[Verdict] = Remarks(
    CatalogFact("verdicts of people", tuple[Verdict, ...], ()), "verdict", "verdicts", "undo"
)


def record_verdict(
    graph: GraphStore, catalog: Catalog, kind: VerdictKind, one: str, two: str, by: str, where: str = ""
) -> Verdict:
    """Record a verdict and return it; it replaces an earlier one about the same names.

    Raises `NotFound` if a name, an atom or a document is not in the graph, `SourceError` if both names are the same,
    and the errors of `Remarks.add`.
    """
    one, two = _checked(graph, kind, one, two)
    if normalize(one) == normalize(two):
        raise SourceError("both names are the same", ids=(one,))
    if kind is VerdictKind.SPLIT:
        where = _naming_uri(graph, catalog, one, where)
    elif where:
        raise SourceError(f"a verdict `{kind.value}` does not apply to a single document", ids=(where,))
    at = datetime.now(UTC).isoformat(timespec="seconds")
    verdict = Verdict(Verdict.make_id(kind, one, two, where), kind, one, two, by, at, where)
    VERDICTS.add(catalog, verdict, lambda other: _is_replaced(other, verdict))
    return verdict


def forget_verdicts(catalog: Catalog, profiles: Collection[DocumentProfile]) -> None:
    """Drop the verdicts about atoms and names that none of the remaining documents has."""
    documents = {profile.document for profile in profiles} | {profile.uri for profile in profiles}
    names = set(_names(profiles))
    for one in VERDICTS.read(catalog):  # oldest first: a verdict may be about a name that an earlier one split off
        if one.kind is VerdictKind.SPLIT and _is_current(one, documents, names):
            names.add(normalize(one.two))
    VERDICTS.revise(catalog, lambda one: one if _is_current(one, documents, names) else None)


def _names(profiles: Iterable[DocumentProfile]) -> Iterator[str]:
    for profile in profiles:
        yield from (normalize(tag.text) for tag in profile.tags)
        for entity in profile.entities:
            yield from map(normalize, (entity.name, *entity.aliases))


def _is_current(verdict: Verdict, documents: Collection[str], names: Collection[str]) -> bool:
    if verdict.kind is VerdictKind.ATOM:
        return verdict.two in documents
    if verdict.kind is VerdictKind.SPLIT and verdict.where not in documents:
        return False
    return all(normalize(name) in names for name in _existing_names(verdict.kind, verdict.one, verdict.two))


def _existing_names(kind: VerdictKind, one: str, two: str) -> tuple[str, ...]:
    """Return the names that must exist already, as opposed to a name that the verdict introduces."""
    return (one, two) if kind in (VerdictKind.MERGE, VerdictKind.APART) else (one,)


def _checked(graph: GraphStore, kind: VerdictKind, one: str, two: str) -> tuple[str, str]:
    """Return `one` and `two` as they are stored. Raises `NotFound` if a name or an atom is not in the graph."""
    if kind is VerdictKind.ATOM:
        for node in graph.nodes((NodeKind.ATOM,), ids=[one]):
            return node.id, node.owner
        raise NotFound(f"no atom {one}", ids=(one,))
    of = NodeKind.TAG if kind is VerdictKind.TAG else NodeKind.ENTITY
    known = {normalize(name) for node in graph.nodes((of,)) for name in _called(node)}
    for name in _existing_names(kind, one, two):
        if normalize(name) not in known:
            raise NotFound(f"no {of.value.lower()} is called {name}", ids=(name,))
    return " ".join(one.split()), " ".join(two.split())


def _naming_uri(graph: GraphStore, catalog: Catalog, name: str, where: str) -> str:
    """Return the URI of the document with the URI or id `where`. Raises `NotFound` if it does not name the entity."""
    entry = next((one for one in catalog.entries() if where and where in (one.uri, one.document)), None)
    if entry is None:
        raise NotFound(f"no document {where}", ids=(where,), hint="its path in the folder, as `strata status` lists it")
    wanted = normalize(name)
    named = {edge.target for edge in graph.edges((EdgeKind.MENTIONS,), owner=entry.document)}
    if not any(wanted in map(normalize, _called(node)) for node in graph.nodes((NodeKind.ENTITY,), ids=named)):
        raise NotFound(f"{entry.uri} does not name {name}", ids=(entry.uri,))
    return entry.uri


def _called(node: Node) -> Iterator[str]:
    yield str(node.properties.get("name", ""))
    aliases = node.properties.get("aliases", ())
    yield from map(str, aliases) if isinstance(aliases, tuple) else ()


def verdict_ids(catalog: Catalog) -> tuple[str, ...]:
    """Return the ids of all verdicts, which are part of the key of the links."""
    return tuple(sorted(one.id for one in VERDICTS.read(catalog)))


def with_verdicts(settings: GraphSettings, verdicts: Iterable[Verdict]) -> GraphSettings:
    """Return the settings with the merged and separated pairs of the verdicts, which override those of strata.toml."""
    found = list(verdicts)
    pairs = {_pair(one): one for one in found if one.kind in (VerdictKind.MERGE, VerdictKind.APART)}
    merge = [(one.one, one.two) for one in found if one.kind is VerdictKind.MERGE]
    apart = [(one.one, one.two) for one in found if one.kind is VerdictKind.APART]
    merge += [pair for pair in settings.merge if frozenset(map(normalize, pair)) not in pairs]
    apart += [pair for pair in settings.keep_apart if frozenset(map(normalize, pair)) not in pairs]
    return settings.model_copy(update={"merge": tuple(merge), "keep_apart": tuple(apart)})


def splits(verdicts: Iterable[Verdict]) -> tuple[Split, ...]:
    """Return the names that denote a different entity in one document, in the order of the verdicts."""
    return tuple(Split(one.where, one.one, one.two) for one in verdicts if one.kind is VerdictKind.SPLIT)


def renamed(
    profiles: Sequence[DocumentProfile], verdicts: Iterable[Verdict]
) -> tuple[list[DocumentProfile], Mapping[str, str]]:
    """Return the profiles with renamed tags, and a mapping of the ids of tags in chunks to those of the new names."""
    names = {_form(one.one): one.two for one in verdicts if one.kind is VerdictKind.TAG}
    moved: dict[str, str] = {}
    if not names:
        return list(profiles), moved

    def named(tag: ProfileTag) -> ProfileTag:
        to = names.get(_form(tag.text))
        if to is None:
            return tag
        moved[tag.id] = Tag.make_id(to)
        return replace(tag, id=moved[tag.id], text=to)

    return [replace(one, tags=tuple(map(named, one.tags))) for one in profiles], moved


def _form(name: str) -> str:
    """Return the canonical form of a tag, the same for all its spellings."""
    return tag_form(name) or normalize(name)


def wrong_atoms(verdicts: Iterable[Verdict]) -> Mapping[str, tuple[str, ...]]:
    """Return the ids of the rejected atoms, by the ids of their documents."""
    found: dict[str, list[str]] = {}
    for one in verdicts:
        if one.kind is VerdictKind.ATOM:
            found.setdefault(one.two, []).append(one.one)
    return {document: tuple(sorted(atoms)) for document, atoms in found.items()}


def _pair(verdict: Verdict) -> frozenset[str]:
    return frozenset((normalize(verdict.one), normalize(verdict.two)))


def _is_replaced(old: Verdict, new: Verdict) -> bool:
    """Return whether a verdict replaces an older one: for the same subject, or if one merges what the other splits."""
    kinds = {old.kind, new.kind}
    return _subject(old) == _subject(new) or (
        kinds == {VerdictKind.MERGE, VerdictKind.SPLIT} and _pair(old) == _pair(new)
    )


def _subject(verdict: Verdict) -> object:
    if verdict.kind in (VerdictKind.MERGE, VerdictKind.APART):
        return _pair(verdict)
    if verdict.kind is VerdictKind.SPLIT:
        return verdict.kind, normalize(verdict.one), verdict.where
    return verdict.kind, _form(verdict.one)
