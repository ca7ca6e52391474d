from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.retrieve.strings import SortedMap, Strings

texts = st.lists(st.text(st.characters(codec="utf-8"), max_size=4), max_size=8)


@given(texts, st.data())
def test_strings_behave_as_a_list(said: list[str], data: st.DataObject) -> None:
    strings = Strings.of(said)
    assert list(strings) == said
    assert [strings[place] for place in range(-len(said), len(said))] == [*said, *said]
    first, last = data.draw(st.integers(-9, 9)), data.draw(st.integers(-9, 9))
    assert strings[first:last] == said[first:last]
    places = data.draw(st.lists(st.integers(0, len(said) - 1), max_size=9)) if said else []
    assert list(strings.take(np.array(places, dtype=np.int32))) == [said[place] for place in places]
    assert list(strings + Strings.of(["é"])) == [*said, "é"]


def test_an_index_out_of_range_is_an_error() -> None:
    for place in (1, -2):
        with pytest.raises(IndexError):
            Strings.of(["one"])[place]


@given(texts, texts)
def test_sorted_strings_are_searched_as_a_sorted_list(said: list[str], wanted: list[str]) -> None:
    ordered = sorted(set(said))
    strings = Strings.of(ordered)
    for one in (*said, *wanted):
        assert strings.place(one) == (ordered.index(one) if one in ordered else -1)
    before = [sum(other < one for other in ordered) for one in wanted]
    assert strings.places_before(wanted).tolist() == before
    assert strings.mask_without(said).tolist() == [False] * len(ordered)


@given(texts, texts)
def test_a_sorted_map_behaves_as_a_dictionary(said: list[str], wanted: list[str]) -> None:
    ordered = sorted(set(said))
    plain = {one: place * 2 for place, one in enumerate(ordered)}
    found = SortedMap(Strings.of(ordered), lambda place: place * 2)
    assert dict(found) == plain
    assert (len(found), [found.get(one) for one in wanted]) == (len(plain), [plain.get(one) for one in wanted])
    assert [one in found for one in wanted] == [one in plain for one in wanted]
