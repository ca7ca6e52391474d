from __future__ import annotations

import pytest

from pipelines.atomize.reply_checker import tag_kind
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
def test_the_form_of_a_term_can_override_the_kind_given_by_the_model(term: str, found: str, kind: str) -> None:
    assert tag_kind(term, found, (*KINDS, "service")) == kind
