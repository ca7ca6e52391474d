from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from pipelines.chunk.chunk import chunk, split
from pipelines.chunk.settings import ChunkBy, ChunkSettings
from pipelines.chunk.splitter import Cut, StructuralSplitter, Window, quoted_cut
from pipelines.core.document import Chunk, Document
from pipelines.core.errors import CallFailed
from pipelines.core.outcome import Failure
from pipelines.llm.tokens import count_tokens
from tests.chunk.build import code, document, heading, item, paragraph, table, title

SMALL = ChunkSettings(max_tokens=40, target_tokens=30, min_tokens=10, window_tokens=60)
SENTENCE = "The pump moves cold water through pipe number {}. "


async def cut(made: Document, settings: ChunkSettings = SMALL) -> tuple[Chunk, ...]:
    return await chunk(made, StructuralSplitter(settings), settings)


def prose(count: int, first: int = 0) -> str:
    return "".join(SENTENCE.format(n) for n in range(first, first + count)).strip()


async def test_every_chunk_is_a_slice_and_no_character_is_lost() -> None:
    made = document(title("Pumps"), heading("Scope"), paragraph(prose(20)), heading("Use", 2), paragraph(prose(9)))
    chunks = await cut(made)
    end = 0
    for one in chunks:
        assert one.text == one.provenance.span.slice(made.text)
        assert not made.text[end : one.provenance.span.start].strip()
        end = one.provenance.span.end
    assert not made.text[end:].strip()
    assert [one.position for one in chunks] == list(range(len(chunks)))


async def test_no_chunk_crosses_a_section_that_is_large_enough() -> None:
    made = document(heading("Scope"), paragraph(prose(3)), heading("Use"), paragraph(prose(3, 10)))
    first, second = await cut(made)
    assert first.text.startswith("Scope")
    assert second.text.startswith("Use")
    assert (first.heading_path, second.heading_path) == (("Scope",), ("Use",))


async def test_chunks_by_size_cross_sections_and_lose_nothing() -> None:
    made = document(heading("Scope"), paragraph(prose(1, 2)), heading("Use"), paragraph(prose(5, 10)))
    chunks = await cut(made, SMALL.model_copy(update={"by": ChunkBy.SIZE}))
    assert any("Use" in one.text and "number 2" in one.text for one in chunks)
    assert {one.heading_path for one in chunks} == {()}
    assert "".join("".join(one.text.split()) for one in chunks) == "".join(made.text.split())
    assert all(count_tokens(one.text) <= SMALL.max_tokens for one in chunks)


async def test_small_neighbours_of_one_parent_share_a_chunk_of_the_parent() -> None:
    made = document(
        heading("Terms"), paragraph(prose(3)), heading("Pump", 2), paragraph("It pumps."), heading("Valve", 2),
        paragraph("It shuts the pipe."),
    )  # fmt: skip
    chunks = await cut(made)
    assert [one.heading_path for one in chunks] == [("Terms",), ("Terms",)]
    assert chunks[1].text == "Pump\n\nIt pumps.\n\nValve\n\nIt shuts the pipe."


async def test_small_sections_of_different_parents_stay_apart() -> None:
    made = document(
        heading("One"), paragraph(prose(3)), heading("Last of one", 2), paragraph("It ends here."), heading("Two"),
        paragraph("It begins."), heading("First of two", 2), paragraph(prose(3)),
    )  # fmt: skip
    assert not any("Last of one" in one.text and "Two" in one.text for one in await cut(made))


async def test_a_heading_is_in_the_chunk_of_the_text_below_it() -> None:
    made = document(heading("Maintenance"), heading("Weekly", 2), paragraph(prose(20)), heading("Empty", 2))
    chunks = await cut(made)
    assert chunks[0].text.startswith("Maintenance\n\nWeekly\n\nThe pump")
    assert chunks[0].heading_path == ("Maintenance", "Weekly")
    assert chunks[-1].text.endswith("Empty")
    assert "The pump" in chunks[-1].text


async def test_a_document_of_headings_alone_is_one_chunk() -> None:
    chunks = await cut(document(title("Cover"), heading("One"), heading("Two")))
    assert [one.text for one in chunks] == ["Cover\n\nOne\n\nTwo"]


async def test_an_empty_document_has_no_chunks() -> None:
    assert await cut(document()) == ()
    assert await cut(document(paragraph("  \n "))) == ()


async def test_a_table_that_fits_is_not_cut() -> None:
    rows = table(["part", "size"], *([f"P{n}", str(n)] for n in range(6)))
    chunks = await cut(document(heading("Parts"), paragraph(prose(7)), rows, paragraph(prose(7, 50))))
    assert sum(rows.text in one.text for one in chunks) == 1


async def test_a_large_table_is_cut_between_rows_with_its_header_as_context() -> None:
    rows = [[f"P-{n}", "stainless steel", str(n)] for n in range(30)]
    part = table(["part", "material", "size"], *rows, caption="Table 1: Parts")
    first, *others = await cut(document(heading("Parts"), part))
    assert first.context == ""
    assert first.text.startswith("Parts\n\npart | material | size\nP-0")
    for one in others:
        assert one.context == "Table 1: Parts\npart | material | size"
        assert "part | material" not in one.text
        assert all(line.count("|") == 2 for line in one.text.split("\n"))


async def test_chunks_of_a_table_have_their_cell_ranges() -> None:
    part = table(["part", "size"], *([f"P-{n} steel bolt", str(n)] for n in range(30)))
    chunks = await cut(document(part))
    assert chunks[0].provenance.cells.startswith("A1:B")
    assert chunks[-1].provenance.cells.endswith("B31")
    assert len({one.provenance.cells for one in chunks}) == len(chunks)


async def test_code_is_cut_only_when_larger_than_a_chunk() -> None:
    small = "def f(x):\n    return x\n"
    large = "\n".join(f"step_{n} = run({n})" for n in range(20))
    chunks = await cut(document(heading("Code"), paragraph(prose(3)), code(small), code(large)))
    assert any(small.strip() in one.text for one in chunks)
    assert not any(large in one.text for one in chunks)
    assert all(count_tokens(one.text) <= SMALL.max_tokens for one in chunks)


async def test_a_line_without_white_space_is_cut_too() -> None:
    made = document(paragraph("x" * 15_000))
    chunks = await cut(made)
    assert "".join(one.text for one in chunks) == made.text
    assert all(count_tokens(one.text) <= SMALL.max_tokens for one in chunks)


async def test_chunks_end_where_the_subject_changes() -> None:
    settings = ChunkSettings(max_tokens=45, target_tokens=20, min_tokens=10, window_tokens=90)
    pumps = "The pump needs oil. Oil keeps the pump cool. Check the oil of the pump."
    wages = "Wages are paid monthly. The payroll office pays wages. Ask payroll about wages."
    made = document(paragraph(f"{pumps} {wages} {pumps}"))
    first, *_ = await cut(made, settings)
    assert first.text == pumps


async def test_lists_keep_their_items_whole() -> None:
    items = [item(f"Turn valve {n} to the left until the red lamp goes out.") for n in range(12)]
    for one in await cut(document(heading("Steps"), *items)):
        assert one.text.endswith("out.")


async def test_a_chunk_has_a_summary_and_a_summary_of_the_preceding_text() -> None:
    chunks = await cut(document(heading("Pumps"), paragraph(prose(20)), heading("Valves"), paragraph(prose(9, 50))))
    assert chunks[0].forward_summary == ""
    assert len({one.section for one in chunks}) == 2
    for before, after in pairwise(chunks):
        assert before.summary
        assert before.summary in " ".join(before.text.split())
        assert after.forward_summary.endswith(before.summary)
        assert len(after.forward_summary) <= 3 * len(before.summary) + 9


async def test_chunking_by_document_yields_one_chunk_per_document() -> None:
    settings = ChunkSettings(by=ChunkBy.DOCUMENT, max_tokens=40, target_tokens=30, min_tokens=10, window_tokens=60)
    made = document(heading("Pumps"), paragraph(prose(20)), paragraph("  "))
    (one,) = await cut(made, settings)
    assert one.text == made.text.strip()
    assert one.section == "section:root"


async def test_a_chinese_document_is_cut_at_its_sentences() -> None:
    made = document(heading("维护"), paragraph("水泵每周检查一次。更换密封圈时必须关闭阀门。" * 8), language="zh")
    for one in await cut(made):
        assert one.text.endswith("。")
        assert one.language == "zh"


async def test_a_chunk_in_another_script_than_its_document_has_its_own_language() -> None:
    made = document(heading("Use"), paragraph(prose(3)), heading("用途"), paragraph("水泵每周检查一次。" * 3))
    assert [one.language for one in await cut(made)] == ["en", "zh"]


async def test_the_same_document_has_the_same_chunks() -> None:
    made = document(heading("Pumps"), paragraph(prose(40)))
    assert await cut(made) == await cut(made)


class Refusing(StructuralSplitter):
    """A splitter whose model cannot be reached."""

    async def cut(self, window: Window) -> Cut:
        failure = Failure(window.subject, "chunk", "no route", CallFailed.__name__)
        return replace(quoted_cut(window, window.choices[0], 1), failure=failure)


async def test_cuts_made_without_the_model_are_reported_as_failures() -> None:
    outcome = await split(document(paragraph(prose(20))), Refusing(SMALL), SMALL)
    assert len(outcome.failures) == len(outcome.results) - 1
    assert {failure.reason for failure in outcome.failures} == {"no route"}
