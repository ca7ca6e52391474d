"""Property tests of chunking for any document and any reply of the splitter."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipelines.chunk.chunk import chunk
from pipelines.chunk.passages import GroupSummary, PassageGroup
from pipelines.chunk.settings import ChunkSettings
from pipelines.chunk.splitter import Cut, StructuralSplitter, Window
from pipelines.core.document import Block, BlockKind, Chunk, Document
from pipelines.llm.tokens import count_tokens
from tests.chunk.build import code, document, heading, item, paragraph, table, title

SMALL = ChunkSettings(max_tokens=24, target_tokens=16, min_tokens=6, window_tokens=36)

HEADINGS = (BlockKind.TITLE, BlockKind.HEADING)
WORDS = st.sampled_from(["pump", "valve", "the", "DS-2041", "3.5", "kPa", "e.g.", "阀门", "检查", "extraordinarily"])
SENTENCES = st.builds(lambda words, end: " ".join(words) + end, st.lists(WORDS, min_size=1, max_size=14),
                      st.sampled_from([".", "!", "。", ";", "\n", ""]))  # fmt: skip
PROSE = st.lists(SENTENCES, min_size=1, max_size=8).map(" ".join)
CELLS = st.lists(WORDS, min_size=3, max_size=3)
PARTS = st.one_of(
    st.builds(title, PROSE),
    st.builds(heading, st.lists(WORDS, min_size=1, max_size=4).map(" ".join), st.integers(1, 4)),
    st.builds(paragraph, st.one_of(PROSE, st.text(max_size=200))),
    st.builds(item, PROSE),
    st.builds(code, st.lists(SENTENCES, min_size=1, max_size=6).map("\n".join)),
    st.lists(CELLS, min_size=1, max_size=12).map(lambda rows: table(*rows)),
)
DOCUMENTS = st.lists(PARTS, max_size=12).map(lambda parts: document(*parts))


class Adversary(StructuralSplitter):
    """Replies with the given ends in turn, whether they are valid or not."""

    def __init__(self, ends: list[int]) -> None:
        super().__init__(SMALL)
        self._ends = ends or [0]
        self.calls = 0

    async def cut(self, window: Window) -> Cut:
        self.calls += 1
        return Cut(self._ends[self.calls % len(self._ends)], "", "")

    async def summarize(self, group: PassageGroup) -> GroupSummary:
        self.calls += 1
        return await super().summarize(group)


ENDS = st.lists(st.one_of(st.integers(-5, 60), st.sampled_from([-1, 0, 10**12])), max_size=6)


def cut(made: Document, adversary: Adversary) -> tuple[Chunk, ...]:
    return asyncio.run(chunk(made, adversary, SMALL))


@settings(deadline=None, max_examples=100)
@given(DOCUMENTS, ENDS)
def test_every_non_blank_character_is_in_exactly_one_chunk(made: Document, ends: list[int]) -> None:
    joined, end = "", 0
    for one in cut(made, Adversary(ends)):
        gap = made.text[end : one.provenance.span.start]
        assert not gap.strip()
        joined += gap + one.text
        end = one.provenance.span.end
    assert joined + made.text[end:] == made.text
    assert not made.text[end:].strip()


@settings(deadline=None, max_examples=100)
@given(DOCUMENTS, ENDS)
def test_no_chunk_is_too_large(made: Document, ends: list[int]) -> None:
    assert all(count_tokens(one.text) <= SMALL.max_tokens for one in cut(made, Adversary(ends)))


@settings(deadline=None, max_examples=100)
@given(DOCUMENTS, ENDS)
def test_a_chunk_below_the_minimum_could_not_be_merged_with_a_neighbour_of_its_section(
    made: Document, ends: list[int]
) -> None:
    chunks = cut(made, Adversary(ends))
    for before, after in pairwise(chunks):
        if before.section != after.section or _is_torn(made, before) or _is_torn(made, after):
            continue
        if min(count_tokens(before.text), count_tokens(after.text)) < SMALL.min_tokens:
            assert count_tokens(before.text) + count_tokens(after.text) > SMALL.max_tokens


@settings(deadline=None, max_examples=100)
@given(DOCUMENTS, ENDS)
def test_the_splitter_is_called_at_most_once_for_each_chunk(made: Document, ends: list[int]) -> None:
    adversary = Adversary(ends)
    chunks = cut(made, adversary)
    assert adversary.calls <= len(chunks) + 1


@settings(deadline=None, max_examples=100)
@given(DOCUMENTS, ENDS)
@example(document(title("pump. pump."), table(["pump"] * 3, ["pump", "DS-2041", "DS-2041"]), title("pump.")), [1])
def test_a_heading_without_text_is_no_chunk_if_text_follows(made: Document, ends: list[int]) -> None:
    blocks = [block for block in made.blocks if block.text.strip()]
    chunks = cut(made, Adversary(ends))
    if len(chunks) < 2 or _longest_headings(blocks) > SMALL.max_tokens // 2:
        return
    for one in chunks:
        inside = [n for n, block in enumerate(blocks) if one.provenance.span.covers(block.provenance.span)]
        if inside and all(blocks[n].kind in HEADINGS for n in inside) and not _is_torn(made, one):
            following = blocks[inside[-1] + 1 : inside[-1] + 2]
            assert all(block.kind in HEADINGS for block in following)


@settings(deadline=None, max_examples=60)
@given(DOCUMENTS, ENDS)
def test_the_same_replies_give_the_same_chunks(made: Document, ends: list[int]) -> None:
    assert cut(made, Adversary(ends)) == cut(made, Adversary(ends))


def _is_torn(made: Document, one: Chunk) -> bool:
    """Whether the chunk begins or ends inside a block; a split word may then count one more token."""
    span = one.provenance.span
    return any(block.provenance.span.overlaps(span) and not span.covers(block.provenance.span) for block in made.blocks)


def _longest_headings(blocks: list[Block]) -> int:
    """The tokens of the longest sequence of headings, which may leave no room for text below it."""
    longest = run = 0
    for block in blocks:
        run = run + count_tokens(block.text) if block.kind in HEADINGS else 0
        longest = max(longest, run)
    return longest
