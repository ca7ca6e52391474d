from __future__ import annotations

import pytest

from pipelines.atomize.plausible import can_tell_when, is_question, kind_of
from pipelines.atomize.tag_classes import KINDS


@pytest.mark.parametrize(
    ("term", "found", "kind"),
    [
        ("Kestrin Pumps B.V.", "person", "organization"),
        ("Kestrin Pumps (Suzhou) Co., Ltd.", "person", "organization"),
        ("Nacional S.A.", "place", "organization"),
        ("凯斯川泵业(苏州)有限公司", "place", "organization"),
        ("Tom Ashworth", "person", "person"),
        ("May 2023", "place", "term"),
        ("4 February 2025", "person", "term"),
        ("75 N·m", "product", "term"),
        ("DN-58213", "person", "term"),
        ("EPDM", "person", "term"),
        ("NASA", "organization", "organization"),
        ("pumps", "product", "product"),
        ("isolation", "service", "service"),
    ],
)
def test_the_form_of_a_term_may_overrule_the_kind_that_a_model_gave(term: str, found: str, kind: str) -> None:
    assert kind_of(term, found, (*KINDS, "service")) == kind


@pytest.mark.parametrize("text", ["Who sells seals", "Seals?", "压力是多少", "怎样安装变送器"])
def test_a_question_is_known_by_its_mark_or_its_words(text: str) -> None:
    assert is_question(text)


def test_a_name_asks_nothing() -> None:
    assert not is_question("PT-300 压力变送器")
    assert not is_question("Mechanical seal")


def test_only_a_passage_with_a_word_of_time_can_tell_when() -> None:
    assert not can_tell_when("When was the pump sold?", "The pump was sold to Ahlen.")
    assert can_tell_when("When was the pump sold?", "The pump was sold in 2019.")
    assert can_tell_when("Who sold the pump?", "The pump was sold to Ahlen.")
