from __future__ import annotations

import pytest

from pipelines.atomize.grounding import Grounding
from tests.atomize.build import passage

TEXT = (
    "Failure Mode Effects Analysis (FMEA) was made for the feed pump P-101A on 3 May 1,200 hours after the start."
    " The\npump stood still. İzmir Pompa built the pump P-101A."
)


def grounding() -> Grounding:
    return Grounding(passage(TEXT, "Report 77"))


def said(surface: str) -> list[str]:
    return [place.slice(TEXT) for place in grounding().occurrences(surface)]


def test_all_occurrences_of_a_name_are_found_ignoring_case_and_whitespace() -> None:
    assert said("p-101a") == ["P-101A", "P-101A"]
    assert said("The Feed  Pump") == ["the feed pump"]
    assert said("a feed pump") == ["feed pump"]
    assert said("the pump") == ["The\npump", "the pump"]


@pytest.mark.parametrize("surface", ["P-101", "ump", "Feed-pump", "", "  ", "motor", "101A P"])
def test_partial_words_and_absent_names_are_not_found(surface: str) -> None:
    assert said(surface) == []


def test_an_abbreviation_and_its_full_name_are_both_found() -> None:
    assert said("FMEA") == ["FMEA"]
    other = Grounding(passage("The World Health Organization (WHO) met. Nothing else."))
    assert other.occurrences("WHO")
    assert [place.slice(TEXT) for place in grounding().occurrences("Failure Mode Effects Analysis")]


def test_a_personal_name_in_the_title_is_found_by_its_last_word() -> None:
    one = Grounding(passage("Hayek studied in Vienna.", "Friedrich Hayek"))
    assert len(one.occurrences("Friedrich Hayek")) == 1
    assert one.occurrences("Salma Hayek") == []
    assert Grounding(passage("The manual is long.", "Pump manual")).occurrences("Pump manual") == []


def test_evidence_is_the_sentence_that_contains_both_names() -> None:
    one = grounding()
    place = one.evidence(one.occurrences("İzmir Pompa"), one.occurrences("P-101A"))
    assert place.slice(TEXT) == "İzmir Pompa built the pump P-101A."


def test_numbers_must_occur_in_the_chunk_or_its_headings() -> None:
    one = grounding()
    assert one.has_numbers_of("no number")
    assert one.has_numbers_of("1200 hours after 3 May, see Report 77")
    assert not one.has_numbers_of("12 hours")


def test_term_overlap_is_the_share_of_terms_other_than_names_that_occur() -> None:
    one = grounding()
    assert one.term_overlap("When did the pump start?") == 1
    assert one.term_overlap("When did the moon rise?") == 0
    assert one.term_overlap("Where is Izmir located?", beside=["izmir"]) == 1


def test_chinese_names_are_found_without_spaces_around_them() -> None:
    one = Grounding(passage("由苏州精工有限公司生产的水泵DS-2041。", language="zh"))
    assert one.occurrences("苏州精工有限公司")
    assert one.occurrences("DS-2041")
    assert one.occurrences("水泵DS-2041")
    assert not one.occurrences("北京")
