from __future__ import annotations

from collections import Counter

from pipelines.atomize.tags import QueryTags, collect_tags, tag_form
from pipelines.core.knowledge import Tag, TagPair


def borne(*texts: str, tag_class: str = "") -> Counter[tuple[str, str]]:
    return Counter((text, tag_class) for text in texts)


def test_spelling_variants_of_a_term_have_the_same_normal_form() -> None:
    assert tag_form("Mechanical seals") == tag_form("mechanical-seal")
    assert tag_form("P-101 A") == tag_form("P101A")
    assert tag_form("P-101A") != tag_form("P-101B")
    assert tag_form("机械 密封") == tag_form("机械密封")


def test_spelling_variants_are_merged_under_the_most_frequent_one() -> None:
    found = collect_tags(borne("Mechanical seal", "mechanical seals", "mechanical seals", "valve"))
    assert sorted((tag.text, tag.aliases) for tag in found.tags) == [
        ("mechanical seals", ("Mechanical seal",)), ("valve", ())
    ]  # fmt: skip
    assert found.merged == {Tag.make_id("Mechanical seal"): Tag.make_id("mechanical seals")}


def test_an_abbreviation_is_merged_with_its_full_name() -> None:
    names = borne("Failure Mode Analysis", "Failure Mode Analysis", "FMA")
    (tag,) = collect_tags(names, [("Failure Mode Analysis", "FMA")]).tags
    assert (tag.text, tag.aliases) == ("Failure Mode Analysis", ("FMA",))


def test_an_ambiguous_abbreviation_is_merged_with_neither_name() -> None:
    short = [("Failure Mode Analysis", "FMA"), ("Final Machine Assembly", "FMA")]
    assert len(collect_tags(borne("Failure Mode Analysis", "Final Machine Assembly", "FMA"), short).tags) == 3


def test_a_merged_tag_has_the_most_frequent_class() -> None:
    tags = borne("seal", tag_class="part") + borne("seal", "Seals", tag_class="component") + borne("oil")
    found = collect_tags(tags)
    assert {tag.text: tag.tag_class for tag in found.tags} == {"seal": "component", "oil": ""}


def test_no_tags_make_an_empty_collection() -> None:
    assert collect_tags({}).tags == ()


TAGS = collect_tags(borne("mechanical seal", "feed pump", "pump", "cavitation", "离心泵", "DS-2041")).tags
FORMS = {tag_form(tag.text): tag.text for tag in TAGS}


def mapped(question: str, *pairs: TagPair) -> list[tuple[str, str, float]]:
    found = QueryTags(FORMS, pairs).map(question)
    return [(pair.query_term, pair.corpus_tag, pair.weight) for pair in found]


def test_a_tag_in_the_question_is_found_in_any_spelling() -> None:
    assert mapped("How long do Mechanical-Seals last?") == [("mechanical seals", "mechanical seal", 1.0)]
    assert mapped("离心泵多久保养一次？") == [("离心泵", "离心泵", 1.0)]
    assert mapped("price of DS 2041") == [("ds 2041", "DS-2041", 1.0)]


def test_the_longest_matching_tag_is_chosen() -> None:
    assert [tag for _, tag, _ in mapped("Is the feed pump running?")] == ["feed pump"]


def test_a_tag_pair_maps_a_query_term_to_a_corpus_tag() -> None:
    pair = TagPair("rattling", "cavitation", 0.8)
    assert mapped("Why is it rattling?", pair) == [("rattling", "cavitation", 0.8)]
    assert mapped("Why is the pump rattling?", pair) == [("pump", "pump", 1.0), ("rattling", "cavitation", 0.8)]


def test_a_question_without_known_terms_maps_to_no_tags() -> None:
    assert mapped("How old is the moon?") == []
    assert QueryTags({}).map("") == ()
