"""Entity resolution over the corpus: finds entities that are the same, with the reason for each merge (design, 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import TYPE_CHECKING, Generic, TypeVar

from pipelines.core.ids import normalize
from pipelines.core.vectors import Vectors
from pipelines.graph import entity_rules
from pipelines.graph.entities import EntityProfile
from pipelines.graph.near_names import nearest_pairs
from pipelines.graph.settings import GraphSettings
from pipelines.store.artifact import ArtifactStore

if TYPE_CHECKING:
    import networkx

R = TypeVar("R")
Embed = Callable[[Sequence[str]], Vectors]
"""Returns the unit vectors of names, as rows."""


class Components(Generic[R]):
    """Connected components of numbers that are joined in pairs, each join with a reason.

    Example: after `join(1, 2, "alias")` and `join(2, 5, "acronym")`, `groups()` yields
    `{1: "alias", 2: "alias", 5: "acronym"}`.
    """

    def __init__(self) -> None:
        import networkx

        self._graph: networkx.Graph[int] = networkx.Graph()
        self._reasons: dict[int, R] = {}

    def join(self, one: int, two: int, reason: R) -> None:
        """Join two numbers and their groups."""
        self._graph.add_edge(one, two)
        self._reasons.setdefault(one, reason)
        self._reasons.setdefault(two, reason)

    def group_of(self, number: int) -> set[int]:
        """Return the group of a number, which is only itself if it was never joined."""
        import networkx

        return networkx.node_connected_component(self._graph, number) if number in self._graph else {number}

    def groups(self) -> Iterator[dict[int, R]]:
        """Yield each group of two or more: a mapping from its members to the reason of their first join."""
        import networkx

        for members in networkx.connected_components(self._graph):
            yield {member: self._reasons[member] for member in members}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entities that may be the same, and the cosine of their names' vectors."""

    one: EntityProfile
    two: EntityProfile
    cosine: float


Decide = Callable[[Sequence[Pair]], Sequence[float]]
"""Returns the confidence (0 to 1) that each pair is the same entity, for pairs without a rule: a model's verdicts."""


@dataclass(frozen=True, slots=True)
class Merge:
    """One entity merged into another, and the rule: enough to review the merge and to forbid it (`keep_apart`)."""

    into: str
    merged: str
    into_name: str
    merged_name: str
    rule: str
    score: float


@dataclass(frozen=True, slots=True)
class _MergeCandidate:
    one: int
    two: int
    verdict: entity_rules.NameMatch


@dataclass(frozen=True, slots=True)
class _NearPair:
    """Two similar names by their indices, and the verdict of the rules, or None if no rule decides."""

    one: int
    two: int
    cosine: float
    verdict: entity_rules.NameMatch | None


def resolve(
    profiles: Sequence[EntityProfile],
    settings: GraphSettings,
    embed: Embed | None = None,
    decide: Decide | None = None,
    cache: ArtifactStore | None = None,
) -> tuple[Merge, ...]:
    """Return the merges sorted by the id of the merged entity; a merge's target is itself never merged.

    Candidates are found by key, alias, acronym and nearest vectors, without comparing all pairs; the groups are the
    connected components of the accepted candidates. The result does not depend on the order of the profiles.

    Args:
        profiles: one for each entity id.
        settings: the section `[graph]`; `merge` and `keep_apart` override all rules.
        embed: returns unit vectors for names; without it, vectors are not used.
        decide: judges the most similar pairs that no rule decides, at most `judged_pairs`.
        cache: stores the nearest names of each name.
    """
    ordered = sorted(profiles, key=lambda profile: profile.id)
    forced = list(_forced(ordered, settings))
    found = [*_by_name(ordered), *_by_alias(ordered), *_by_acronym(ordered)] if settings.resolve_entities else []
    if embed is not None and settings.resolve_entities and len(ordered) > 1:
        found += _by_similarity(ordered, settings, embed, decide, cache)
    found.sort(key=lambda one: (-one.verdict.score, one.one, one.two))
    possible = (one for one in found if entity_rules.compatible(ordered[one.one], ordered[one.two]))
    groups = _joined(ordered, chain(forced, possible), settings).groups()
    merges = (merge for group in groups for merge in _merges(ordered, group))
    return tuple(sorted(merges, key=lambda merge: merge.merged))


def _forced(profiles: Sequence[EntityProfile], settings: GraphSettings) -> Iterator[_MergeCandidate]:
    by_name = {normalize(profile.name): i for i, profile in enumerate(profiles)}
    for one, two in settings.merge:
        i, j = by_name.get(normalize(one)), by_name.get(normalize(two))
        if i is not None and j is not None and i != j:
            yield _MergeCandidate(i, j, entity_rules.NameMatch("setting", 1.0))


def _by_name(profiles: Sequence[EntityProfile]) -> Iterator[_MergeCandidate]:
    """Yield entities with equal keys; if companies of one name have several legal forms, only those of the same form.

    "ABB" is "ABB Ltd" if there is no other ABB; if there is also "ABB Inc", it may be either and is not merged.
    """
    by_key: dict[str, list[int]] = {}
    for i, profile in enumerate(profiles):
        if name := entity_rules.key(profile.name):
            by_key.setdefault(name, []).append(i)
    for group in by_key.values():
        forms = [entity_rules.legal_form(profiles[i].name) for i in group] if len(group) > 1 else []
        one_company = len(set(filter(None, forms))) < 2
        first: dict[str, int] = {}
        for i, form in zip(group, forms, strict=False):
            if (other := first.setdefault("" if one_company else form, i)) != i:
                yield _MergeCandidate(other, i, entity_rules.NameMatch("same name", 1.0))


def _by_alias(profiles: Sequence[EntityProfile]) -> Iterator[_MergeCandidate]:
    """Yield entities named by an alias from a document, or by the short form in another name's brackets."""
    by_key: dict[str, int] = {}
    for i, profile in enumerate(profiles):
        by_key.setdefault(entity_rules.key(profile.name), i)
    for i, profile in enumerate(profiles):
        inner = entity_rules.bracketed(profile.name)
        # A document's own statement: more certain than any rule except equal letters.
        given = [(name, "alias", 0.97) for name in profile.aliases]
        # As above, but it is a rule that the letters must fit.
        given += [(name, "short form in brackets", 0.96) for name in inner or ()]
        for name, rule, score in given:
            other = by_key.get(entity_rules.key(name))
            if other is not None and other != i:
                yield _MergeCandidate(min(i, other), max(i, other), entity_rules.NameMatch(rule, score))


def _by_acronym(profiles: Sequence[EntityProfile]) -> Iterator[_MergeCandidate]:
    """Yield each acronym with the only name that it abbreviates among the names of its documents."""
    long: dict[str, list[int]] = {}
    for i, profile in enumerate(profiles):
        if initials := entity_rules.acronym(profile.name):
            long.setdefault(initials, []).append(i)
    for i, profile in enumerate(profiles):
        if not entity_rules.is_acronym(profile.name):
            continue
        documents = set(profile.documents)
        letters = profile.name.replace(".", "").casefold()
        beside = [j for j in long.get(letters, []) if j != i and documents & set(profiles[j].documents)]
        if len(beside) == 1:
            # Initials that occur in the same document as the name: more certain than initials of persons (.9).
            yield _MergeCandidate(min(i, beside[0]), max(i, beside[0]), entity_rules.NameMatch("acronym", 0.93))


def open_pairs(
    profiles: Sequence[EntityProfile], settings: GraphSettings, embed: Embed, cache: ArtifactStore | None = None
) -> tuple[Pair, ...]:
    """Return the pairs that `resolve` passes to `decide`, in the same order: similar names that no rule decides."""
    if not settings.resolve_entities or not settings.judged_pairs or len(profiles) < 2:
        return ()
    ordered = sorted(profiles, key=lambda profile: profile.id)
    return _open_pairs(ordered, _by_vector(ordered, settings, embed, cache), settings)


def _by_vector(
    profiles: Sequence[EntityProfile], settings: GraphSettings, embed: Embed, cache: ArtifactStore | None
) -> list[_NearPair]:
    vectors = embed([profile.name for profile in profiles])
    ids = [profile.id for profile in profiles]
    return [
        _NearPair(i, j, cosine, entity_rules.judge(profiles[i], profiles[j]))
        for i, j, cosine in nearest_pairs(vectors, settings.neighbours, settings.merge_score, ids, cache)
        if entity_rules.compatible(profiles[i], profiles[j]) and not _decided_by_name(profiles[i], profiles[j])
    ]


def _decided_by_name(one: EntityProfile, two: EntityProfile) -> bool:
    """Whether `_by_name` decides this pair: equal keys, and no contradicting legal forms."""
    if entity_rules.key(one.name) != entity_rules.key(two.name):
        return False
    forms = {entity_rules.legal_form(one.name), entity_rules.legal_form(two.name)}
    return len(forms) < 2 or "" in forms


def _open_pairs(
    profiles: Sequence[EntityProfile], found: Sequence[_NearPair], settings: GraphSettings
) -> tuple[Pair, ...]:
    undecided = sorted((one for one in found if one.verdict is None), key=lambda one: (-one.cosine, one.one, one.two))
    # The most similar pairs, sorted by index so that the same corpus sends the same requests.
    asked = sorted(undecided[: settings.judged_pairs], key=lambda one: (one.one, one.two))
    return tuple(Pair(profiles[one.one], profiles[one.two], one.cosine) for one in asked)


def _by_similarity(
    profiles: Sequence[EntityProfile],
    settings: GraphSettings,
    embed: Embed,
    decide: Decide | None,
    cache: ArtifactStore | None,
) -> Iterator[_MergeCandidate]:
    found = _by_vector(profiles, settings, embed, cache)
    for one in found:
        if one.verdict is not None:
            yield _MergeCandidate(one.one, one.two, one.verdict)
    pairs = _open_pairs(profiles, found, settings) if decide is not None else ()
    if decide is None or not pairs:
        return
    places = {profile.id: i for i, profile in enumerate(profiles)}
    for pair, score in zip(pairs, decide(pairs), strict=True):
        if score >= 0.5:
            yield _MergeCandidate(
                # Rounded to four digits, as displayed.
                places[pair.one.id],
                places[pair.two.id],
                entity_rules.NameMatch("model", round(score, 4)),
            )


def _joined(
    profiles: Sequence[EntityProfile], candidates: Iterable[_MergeCandidate], settings: GraphSettings
) -> Components[entity_rules.NameMatch]:
    """Return the groups of entities, without joins that `[graph] keep_apart` forbids."""
    apart = {frozenset((normalize(one), normalize(two))) for one, two in settings.keep_apart}
    joined = Components[entity_rules.NameMatch]()

    def names(place: int) -> list[str]:
        return [normalize(profiles[member].name) for member in joined.group_of(place)]

    for one in candidates:
        if apart and any(frozenset(pair) in apart for pair in product(names(one.one), names(one.two))):
            continue
        joined.join(one.one, one.two, one.verdict)
    return joined


def _merges(profiles: Sequence[EntityProfile], group: Mapping[int, entity_rules.NameMatch]) -> Iterator[Merge]:
    """Yield a merge of each member of a group into its most mentioned one."""
    best = min((profiles[i] for i in group), key=lambda profile: (-profile.mentions, -len(profile.name), profile.id))
    for i, verdict in group.items():
        merged = profiles[i]
        if merged.id != best.id:
            yield Merge(best.id, merged.id, best.name, merged.name, verdict.rule, verdict.score)
