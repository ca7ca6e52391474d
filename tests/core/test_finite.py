"""Tests that sizes and positions are finite, because stores cannot keep other numbers."""

import pytest

from pipelines.core import codec
from pipelines.core.document import Page
from pipelines.core.provenance import Box

NONE = [float("nan"), float("inf"), float("-inf")]


@pytest.mark.parametrize("none", NONE)
def test_non_finite_sizes_become_zero_and_survive_encoding(none: float) -> None:
    box, page = Box(1, none, 0.25, none, 1.0), Page(1, width=none, height=842.0)
    assert (box, page) == (Box(1, 0.0, 0.25, 0.0, 1.0), Page(1, width=0.0, height=842.0))
    assert codec.decode(codec.encode(box), Box) == box
    assert codec.decode(codec.encode(page), Page) == page
