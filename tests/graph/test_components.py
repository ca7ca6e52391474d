from __future__ import annotations

from pipelines.graph.resolve import Components


def test_what_is_joined_in_pairs_is_one_group_with_the_first_reason_of_each() -> None:
    joined = Components[str]()
    for one, two, reason in ((1, 2, "alias"), (7, 8, "name"), (2, 5, "acronym"), (5, 1, "late")):
        joined.join(one, two, reason)
    groups = sorted(joined.groups(), key=min)
    assert groups == [{1: "alias", 2: "alias", 5: "acronym"}, {7: "name", 8: "name"}]
    assert joined.group_of(5) == {1, 2, 5}
    assert joined.group_of(9) == {9}


def test_nothing_joined_makes_no_group() -> None:
    assert list(Components[str]().groups()) == []
