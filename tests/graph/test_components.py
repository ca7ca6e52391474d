from __future__ import annotations

from pipelines.graph.resolve import Components


def test_joined_pairs_form_groups_and_each_member_keeps_its_first_reason() -> None:
    joined = Components[str]()
    for one, two, reason in ((1, 2, "alias"), (7, 8, "name"), (2, 5, "acronym"), (5, 1, "late")):
        joined.join(one, two, reason)
    groups = sorted(joined.groups(), key=min)
    assert groups == [{1: "alias", 2: "alias", 5: "acronym"}, {7: "name", 8: "name"}]
    assert joined.group_of(5) == {1, 2, 5}
    assert joined.group_of(9) == {9}


def test_without_joined_pairs_there_are_no_groups() -> None:
    assert list(Components[str]().groups()) == []
