"""What people said of the graph, kept in the catalog: entities that are one or two, tags renamed, wrong atoms.

Entities are two in two ways: two names were merged that are not of one thing (`apart`), or one name stands for
another thing in some document (`split`).

A verdict is applied whenever the documents are linked and loaded, so it outlives both; taking it back undoes it with
the next ingest. It goes with the last document that bears its names, or that its atom is of.
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
    """The entities called `one` and `two` are one, under the name that stands more often."""
    APART = "apart"
    """They are two, whatever rules and models say."""
    SPLIT = "split"
    """In the document `where` (its URI), what is the entity `one` elsewhere is another one, called `two`."""
    TAG = "tag"
    """The tag `one`, in all its spellings, is to be `two`."""
    ATOM = "atom"
    """The atom whose id is `one`, of the document whose id is `two`, is wrong: it is listed, and not found."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What somebody (`by`) said, at a time in UTC."""

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


SAID: Remarks[Verdict] = Remarks(
    CatalogFact("verdicts of people", tuple[Verdict, ...], ()), "verdict", "verdicts", "undo"
)


def give(
    graph: GraphStore, catalog: Catalog, kind: VerdictKind, one: str, two: str, by: str, where: str = ""
) -> Verdict:
    """Keep a verdict and return it; of the same pair of entities only the last counts.

    Raises `NotFound` for a name, an atom or a document that is not in the graph, `SourceError` for one name twice,
    and what `Remarks.add` does.
    """
    one, two = _checked(graph, kind, one, two)
    if normalize(one) == normalize(two):
        raise SourceError("both names are the same", ids=(one,))
    if kind is VerdictKind.SPLIT:
        where = _naming(graph, catalog, one, where)
    elif where:
        raise SourceError(f"a verdict `{kind.value}` is not of one document", ids=(where,))
    at = datetime.now(UTC).isoformat(timespec="seconds")
    verdict = Verdict(Verdict.make_id(kind, one, two, where), kind, one, two, by, at, where)
    SAID.add(catalog, verdict, lambda other: _is_replaced(other, verdict))
    return verdict


def forget_verdicts(catalog: Catalog, profiles: Collection[DocumentProfile]) -> None:
    """Drop what was said of atoms and names that none of these documents, which are all that are left, has."""
    documents = {profile.document for profile in profiles} | {profile.uri for profile in profiles}
    names = set(_names(profiles))
    for one in SAID.read(catalog):  # oldest first: a later verdict may be of what an earlier one split off
        if one.kind is VerdictKind.SPLIT and _is_borne(one, documents, names):
            names.add(normalize(one.two))
    SAID.revise(catalog, lambda one: one if _is_borne(one, documents, names) else None)


def _names(profiles: Iterable[DocumentProfile]) -> Iterator[str]:
    for profile in profiles:
        yield from (normalize(tag.text) for tag in profile.tags)
        for entity in profile.entities:
            yield from map(normalize, (entity.name, *entity.aliases))


def _is_borne(verdict: Verdict, documents: Collection[str], names: Collection[str]) -> bool:
    if verdict.kind is VerdictKind.ATOM:
        return verdict.two in documents
    if verdict.kind is VerdictKind.SPLIT and verdict.where not in documents:
        return False
    return all(normalize(name) in names for name in _there_before(verdict.kind, verdict.one, verdict.two))


def _there_before(kind: VerdictKind, one: str, two: str) -> tuple[str, ...]:
    """Which of its names a verdict does not give itself."""
    return (one, two) if kind in (VerdictKind.MERGE, VerdictKind.APART) else (one,)


def _checked(graph: GraphStore, kind: VerdictKind, one: str, two: str) -> tuple[str, str]:
    """Return what a verdict is about as it is kept. Raises `NotFound` for a name or an atom that is not there."""
    if kind is VerdictKind.ATOM:
        for node in graph.nodes((NodeKind.ATOM,), ids=[one]):
            return node.id, node.owner
        raise NotFound(f"no atom {one}", ids=(one,))
    of = NodeKind.TAG if kind is VerdictKind.TAG else NodeKind.ENTITY
    known = {normalize(name) for node in graph.nodes((of,)) for name in _called(node)}
    for name in _there_before(kind, one, two):
        if normalize(name) not in known:
            raise NotFound(f"no {of.value.lower()} is called {name}", ids=(name,))
    return " ".join(one.split()), " ".join(two.split())


def _naming(graph: GraphStore, catalog: Catalog, name: str, where: str) -> str:
    """Return the URI of a document, given that or its id. Raises `NotFound` where it does not name the entity."""
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


def said_key(catalog: Catalog) -> tuple[str, ...]:
    """Return what stands for all verdicts in the key of the links."""
    return tuple(sorted(one.id for one in SAID.read(catalog)))


def with_said(settings: GraphSettings, said: Iterable[Verdict]) -> GraphSettings:
    """Return the settings with the pairs that people merged and told apart; what they said goes before strata.toml."""
    found = list(said)
    pairs = {_pair(one): one for one in found if one.kind in (VerdictKind.MERGE, VerdictKind.APART)}
    merge = [(one.one, one.two) for one in found if one.kind is VerdictKind.MERGE]
    apart = [(one.one, one.two) for one in found if one.kind is VerdictKind.APART]
    merge += [pair for pair in settings.merge if frozenset(map(normalize, pair)) not in pairs]
    apart += [pair for pair in settings.keep_apart if frozenset(map(normalize, pair)) not in pairs]
    return settings.model_copy(update={"merge": tuple(merge), "keep_apart": tuple(apart)})


def splits(said: Iterable[Verdict]) -> tuple[Split, ...]:
    """Return what people said is another entity in some document, in the order in which they said it."""
    return tuple(Split(one.where, one.one, one.two) for one in said if one.kind is VerdictKind.SPLIT)


def renamed(
    profiles: Sequence[DocumentProfile], said: Iterable[Verdict]
) -> tuple[list[DocumentProfile], Mapping[str, str]]:
    """Return the profiles with tags as people named them, and from the ids of tags as chunks bear them to theirs."""
    names = {_form(one.one): one.two for one in said if one.kind is VerdictKind.TAG}
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
    """What all spellings of a tag have in common."""
    return tag_form(name) or normalize(name)


def wrong_atoms(said: Iterable[Verdict]) -> Mapping[str, tuple[str, ...]]:
    """Return the ids of the atoms that people called wrong, by the ids of their documents."""
    found: dict[str, list[str]] = {}
    for one in said:
        if one.kind is VerdictKind.ATOM:
            found.setdefault(one.two, []).append(one.one)
    return {document: tuple(sorted(atoms)) for document, atoms in found.items()}


def _pair(verdict: Verdict) -> frozenset[str]:
    return frozenset((normalize(verdict.one), normalize(verdict.two)))


def _is_replaced(old: Verdict, new: Verdict) -> bool:
    """Whether two verdicts are about the same: only the last counts. Who merges two names takes back their split."""
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
