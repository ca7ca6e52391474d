from __future__ import annotations

import pytest

from pipelines.lang.spelling import edits, edits_taken, spelled_like


@pytest.mark.parametrize(
    ("one", "other", "number"),
    [("pump", "pump", 0), ("pmup", "pump", 1), ("подшыпник", "подшипник", 1), ("Drehmomnt", "Drehmoment", 1)],
)
def test_edits_are_counted(one: str, other: str, number: int) -> None:
    assert edits(one, other, 2) == edits(other, one, 2) == number


def test_more_than_the_most_is_one_more() -> None:
    assert edits("pump", "valve", 2) == 3


def test_words_spelled_alike_are_told_by_their_place() -> None:
    assert dict(spelled_like("soupappe", ("vanne", "soupape", "soupapes"), 2)) == {1: 1, 2: 2}


def test_a_longer_word_may_have_more_slips() -> None:
    assert [edits_taken(word) for word in ("bar", "pump", "подшипник")] == [0, 1, 2]
