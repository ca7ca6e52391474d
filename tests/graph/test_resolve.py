from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipelines.core.knowledge import Entity
from pipelines.core.vectors import Vectors
from pipelines.graph.entities import EntityProfile
from pipelines.graph.entity_rules import compatible, judge, key
from pipelines.graph.near_names import nearest_pairs
from pipelines.graph.resolve import Merge, Pair, resolve
from pipelines.graph.settings import GraphSettings
from pipelines.store.artifact import FileArtifacts

DEFAULT = GraphSettings()
TRIPLES = Path(__file__).parents[3] / "shared/data/multihop/musique/llm_triples.jsonl"


def entity(
    name: str, type: str = "", mentions: int = 1, documents: str = "d", aliases: tuple[str, ...] = ()
) -> EntityProfile:
    return EntityProfile(Entity.make_id(name), name, type, aliases, mentions, tuple(documents))


def letters(names: Sequence[str]) -> Vectors:
    """Unit vectors of character bigrams: names with similar spelling are near."""
    rows = np.zeros((len(names), 512), dtype=np.float32)
    for row, name in zip(rows, names, strict=True):
        for a, b in zip(f" {name.lower()}", f"{name.lower()} ", strict=True):
            row[(ord(a) * 31 + ord(b)) % 512] += 1
    found: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


def merged(*profiles: EntityProfile, settings: GraphSettings = DEFAULT) -> dict[str, str]:
    return {one.merged_name: one.into_name for one in resolve(profiles, settings, letters)}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("The United Nations", "United Nations"),
        ("Siemens AG", "Siemens"),
        ("Kestrin Pumps and Compressors International B.V.", "Kestrin Pumps and Compressors International"),
        ("U.S.", "United States"),
        ("São Paulo", "Sao Paulo"),
        ("centrifugal pump", "centrifugal pumps"),
        ("wear-ring", "wear ring"),
        ("Mississippi River", "Missisippi River"),
        ("离心泵", "离心泵 "),
    ],
)
def test_spelling_variants_of_a_name_are_merged(one: str, two: str) -> None:
    assert len(merged(entity(one), entity(two.strip() + ("" if one != two.strip() else ".")))) == 1


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("pump 1", "pump 2"),
        ("1963", "1964"),
        ("World War I", "World War II"),
        ("Hans Andersen", "Hans Anderson"),
        ("North Carolina", "South Carolina"),
        ("Austria", "Australia"),
        ("Robert Flack", "Roberta Flack"),
        ("valve A", "valve B"),
        ("K65-200", "K65-250"),
        ("inlet pressure", "outlet pressure"),
        ("离心泵", "离心机"),
        ("20%", "20"),
        ("American company", "American"),
        ("Saw Kill (west)", "west"),
        ("GDP (PPP)", "GDP"),
    ],
)
def test_similar_names_of_different_entities_are_not_merged(one: str, two: str) -> None:
    assert merged(entity(one), entity(two)) == {}


def test_an_acronym_is_merged_only_if_a_document_has_it_and_the_full_name() -> None:
    long = entity("International Council for Small Business", documents="ab")
    assert merged(long, entity("ICSB", documents="bc")) == {"ICSB": long.name}
    assert merged(long, entity("ICSB", documents="c")) == {}


def test_an_ambiguous_acronym_is_not_merged() -> None:
    assert merged(entity("Safety Data Sheet"), entity("System Design Specification"), entity("SDS")) == {}


def test_a_short_form_in_parentheses_is_an_alias() -> None:
    found = merged(entity("European Free Trade Association (EFTA)", mentions=9), entity("EFTA"))
    assert found == {"EFTA": "European Free Trade Association (EFTA)"}


def test_an_alias_stated_in_a_document_is_merged() -> None:
    assert merged(entity("mechanical seal", mentions=5, aliases=("MSL",)), entity("MSL")) == {"MSL": "mechanical seal"}


def test_personal_names_are_merged_unless_their_initials_differ() -> None:
    assert merged(entity("Carl R. Rogers", "person"), entity("Carl Rogers", "person", 4)) == {
        "Carl R. Rogers": "Carl Rogers"
    }
    assert merged(entity("Carl R. Rogers", "person"), entity("Carl S. Rogers", "person")) == {}


@pytest.mark.parametrize("titled", ["Professor Carl R. Rogers", "Herr Carl R. Rogers", "Señor Carl R. Rogers"])
def test_forms_of_address_in_any_language_are_ignored_in_personal_names(titled: str) -> None:
    verdict = judge(entity(titled, "person"), entity("Carl Rogers", "person"))
    assert verdict is not None
    assert verdict.rule == "initials"


def test_entities_of_incompatible_types_are_not_merged() -> None:
    assert not compatible(entity("Washington", "person"), entity("Washington", "city"))
    assert compatible(entity("Washington", ""), entity("Washington", "city"))


def test_the_most_mentioned_name_represents_the_merged_entity() -> None:
    found = resolve([entity("Siemens AG", mentions=2), entity("Siemens", mentions=9), entity("SIEMENS A.G.")], DEFAULT)
    assert {one.into_name for one in found} == {"Siemens"}
    assert {one.merged_name for one in found} == {"Siemens AG", "SIEMENS A.G."}
    assert all(one.rule and 0 < one.score <= 1 for one in found)


def test_a_pair_in_keep_apart_is_not_merged() -> None:
    pair = (entity("Siemens AG"), entity("Siemens"))
    assert merged(*pair, settings=GraphSettings(keep_apart=(("siemens ag", "Siemens"),))) == {}


def test_keep_apart_also_holds_for_transitive_merges() -> None:
    group = (entity("United States", mentions=3), entity("U.S.A."), entity("US"))
    found = merged(*group, settings=GraphSettings(keep_apart=(("United States", "US"),)))
    assert len(found) == 1


def test_a_pair_in_the_merge_setting_is_merged() -> None:
    pair = (entity("Big Pump", mentions=2), entity("P-12A"))
    assert merged(*pair, settings=GraphSettings(merge=(("Big Pump", "P-12A"),))) == {"P-12A": "Big Pump"}


def test_nothing_is_merged_if_entity_resolution_is_disabled() -> None:
    assert merged(entity("Siemens AG"), entity("Siemens"), settings=GraphSettings(resolve_entities=False)) == {}


def test_a_model_is_asked_only_about_pairs_that_no_rule_decides() -> None:
    asked: list[tuple[str, str]] = []

    def decide(pairs: Sequence[Pair]) -> list[float]:
        asked.extend((pair.one.name, pair.two.name) for pair in pairs)
        return [0.9 for _ in pairs]

    names = [entity("wear rings clearance"), entity("wear ring clearances"), entity("pump no 1"), entity("pump no 2")]
    found = resolve(names, DEFAULT, letters, decide)
    assert {frozenset(pair) for pair in asked} <= {frozenset(("wear rings clearance", "wear ring clearances"))}
    assert {one.rule for one in found} <= {"model", "singular and plural"}


names_strategy = st.lists(
    st.sampled_from(
        ["Siemens", "Siemens AG", "SIEMENS", "U.S.", "US", "United States", "pump", "pumps", "Pump 1", "EU"]
    ),
    unique=True,
)


@given(names_strategy, st.randoms(use_true_random=False))
def test_merges_do_not_depend_on_input_order_and_never_chain(names: list[str], random: object) -> None:
    profiles = [entity(name) for name in names]
    profiles = list({one.id: one for one in profiles}.values())
    found = resolve(profiles, DEFAULT, letters)
    random.shuffle(profiles)  # type: ignore[attr-defined]
    assert resolve(profiles, DEFAULT, letters) == found
    assert not {one.into for one in found} & {one.merged for one in found}
    assert len({one.merged for one in found}) == len(found)


@given(st.integers(0, 40), st.integers(1, 5))
def test_nearest_pairs_equal_those_of_the_full_cosine_matrix(count: int, wanted: int) -> None:
    rows = np.random.default_rng(count).normal(size=(count, 8)).astype(np.float32)
    vectors: Vectors = np.rint(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9) * 4000) / 4000
    found = {(i, j) for i, j, _ in nearest_pairs(vectors, wanted, -0.9)} if count else set()
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -2)
    expected = set()
    for i in range(count):
        for j in np.argsort(-cosines[i], kind="stable")[:wanted]:
            if cosines[i, j] >= -0.9 and i != j:
                expected.add((min(i, int(j)), max(i, int(j))))
    assert found == expected


@given(
    st.lists(st.integers(0, 60), unique=True, max_size=40),
    st.lists(st.integers(0, 60), unique=True, max_size=40),
    st.integers(1, 6),
    st.sampled_from([-1.0, 0.2]),
)
@example([4, 8, 39, 48, 51], [0, 4, 8, 28, 39, 48, 51], 3, -1.0)  # two added names are near each other and the rest
def test_nearest_pairs_with_a_cache_of_other_names_equal_those_without_a_cache(
    tmp_path_factory: pytest.TempPathFactory, first: list[int], then: list[int], count: int, least: float
) -> None:
    # Whole numbers, so that many names are equally near.
    rows = np.random.default_rng(count).integers(-1, 2, size=(61, 4)).astype(np.float32)
    vectors: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)
    cache = FileArtifacts(tmp_path_factory.mktemp("kept"))

    def found(numbers: list[int], kept: FileArtifacts | None) -> list[tuple[int, int, float]]:
        some = sorted(numbers)
        return list(nearest_pairs(vectors[some], count, least, [f"entity:{one:02}" for one in some], kept))

    found(first, cache)
    for numbers in (then, first, then):
        assert found(numbers, cache) == found(numbers, None)


@pytest.mark.parametrize("noise", [0.02, 0.6])  # near names are few, or in one direction so many that all are compared
def test_nearest_pairs_among_thousands_of_names_equal_those_of_the_full_cosine_matrix(noise: float) -> None:
    chance = np.random.default_rng(3)
    centres = chance.normal(size=(400, 96)) * np.linspace(2, 0.1, 96)
    rows = centres[chance.integers(0, 400, 3000)] + chance.normal(scale=noise, size=(3000, 96))
    rows += 8 * (noise > 0.5)
    vectors: Vectors = np.rint(rows / np.linalg.norm(rows, axis=1, keepdims=True) * 4000).astype(np.float32) / 4000
    steps = np.rint(vectors * 4000).astype(np.int64)
    scores = steps @ steps.T
    np.fill_diagonal(scores, -(2 * 4000**2))
    nearest = np.argsort(-scores, axis=1, kind="stable")[:, :5]
    near = np.take_along_axis(scores, nearest, axis=1) >= 0.82 * 4000**2
    expected = {tuple(sorted((int(i), int(nearest[i, place])))) for i, place in np.argwhere(near)}
    assert len(expected) > 3000
    assert {(i, j) for i, j, _ in nearest_pairs(vectors, 5, 0.82)} == expected


def test_normalized_keys_keep_the_distinguishing_words() -> None:
    assert key("The Acme Co., Ltd.") == key("ACME") == "acme"
    assert key("The Company") == "company" != key("The Corporation")
    assert judge(entity("Acme"), entity("Acme Pumps")) is None


def test_companies_with_different_legal_forms_are_not_merged() -> None:
    assert merged(entity("ABB Ltd"), entity("ABB Limited"), entity("ABB Inc."), entity("ABB")) in (
        {"ABB Ltd": "ABB Limited"},
        {"ABB Limited": "ABB Ltd"},
    )
    assert merged(entity("Kestrin GmbH"), entity("Kestrin", mentions=2)) == {"Kestrin GmbH": "Kestrin"}


def test_a_model_is_asked_about_companies_with_different_legal_forms() -> None:
    asked: list[set[str]] = []

    def decide(pairs: Sequence[Pair]) -> list[float]:
        asked.extend({pair.one.name, pair.two.name} for pair in pairs)
        return [1.0] * len(pairs)

    name = "Kestrin Pumps and Compressors International"
    resolve([entity(f"{name} Ltd"), entity(f"{name} Inc"), entity(name)], DEFAULT, letters, decide)
    assert asked == [{f"{name} Ltd", f"{name} Inc"}]


@pytest.mark.slow
def test_names_from_extracted_triples_are_never_merged_with_different_numbers() -> None:
    if not TRIPLES.is_file():
        pytest.skip(f"needs {TRIPLES}")
    documents: dict[str, set[str]] = {}
    for line in TRIPLES.read_text("utf-8").splitlines():
        row = json.loads(line)
        for name in {*row["entities"], *(end for triple in row["triples"] if len(triple) == 3 for end in triple[::2])}:
            documents.setdefault(name, set()).add(row["passage"])
    by_id: dict[str, EntityProfile] = {}
    for name, where in documents.items():
        id = Entity.make_id(name)
        by_id[id] = EntityProfile(id, name, mentions=len(where), documents=tuple(sorted(where)))
    found = resolve(list(by_id.values()), DEFAULT, letters)
    assert len(found) > 150
    pairs = {(one.merged_name, one.into_name) for one in found}
    assert any({"United States", "U.S."} == set(pair) or {"United States", "US"} == set(pair) for pair in pairs)
    assert all(_digits(one) == _digits(two) for one, two in pairs)


def _digits(name: str) -> list[str]:
    return sorted(character for character in name if character.isdigit())


def test_a_merge_records_its_rule_and_score() -> None:
    (found,) = resolve([entity("Siemens AG", mentions=2), entity("Siemens")], DEFAULT)
    assert found == Merge(
        Entity.make_id("Siemens AG"), Entity.make_id("Siemens"), "Siemens AG", "Siemens", "same name", 1.0
    )
