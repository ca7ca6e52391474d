from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.ids import content_id, digest


def test_an_id_is_its_kind_and_128_bits() -> None:
    kind, _, value = content_id("chunk", "a", 1).partition(":")
    assert kind == "chunk"
    assert len(value) == 32
    assert int(value, 16) >= 0


def test_the_same_parts_give_the_same_id_on_every_machine() -> None:
    expected = "b172c27128eb03ce6e4e6cde4df885a8"
    assert content_id("document", "a.pdf", "00") == f"document:{expected}"


def test_a_digest_is_sha_256() -> None:
    assert digest(b"strata") == "82ba7e1f6f4171d3648bb4f785ca31992efe32df6e024acb5bccd297feb2f263"


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_different_parts_give_different_ids(one: list[str], other: list[str]) -> None:
    assert (content_id("k", *one) == content_id("k", *other)) == (one == other)
