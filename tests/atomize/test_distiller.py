from __future__ import annotations

from pipelines.atomize.distiller import chunk_contents
from pipelines.chunk.settings import ChunkSettings
from tests.atomize.build import chunked, content
from tests.chunk.build import code, document, heading, paragraph, table, title

SMALL = ChunkSettings(max_tokens=30, target_tokens=20, min_tokens=5, window_tokens=40)


def test_sentences_have_exact_spans_and_flags_for_prose_and_heading() -> None:
    made = document(title("Pumps"), heading("Use"), paragraph("It pumps. It stops."), code("run()"), table(["a", "b"]))
    found = content(made)
    assert [(one.text, one.prose, one.heading) for one in found.sentences] == [
        ("Pumps", False, True), ("Use", False, True), ("It pumps.", True, False), ("It stops.", True, False),
        ("run()", False, False), ("a | b", False, False),
    ]  # fmt: skip
    assert all(one.span.slice(made.text) == one.text for one in found.sentences)


def test_the_heading_path_does_not_repeat_the_title() -> None:
    made = document(heading("Manual"), paragraph("It pumps."), heading("Use", 2), paragraph("It stops."), name="Manual")
    (one,) = chunk_contents(made, chunked(made, ChunkSettings()))
    assert [part for part, _ in one.path] == ["Manual"]
    assert [part for part, _ in one.sentences[-1].path] == ["Manual", "Use"]


def test_words_capitalized_inside_a_sentence_are_names_of_the_document() -> None:
    found = content(document(paragraph("Pumps need the help of Rogers and, at times, Stone. Rogers pumps.")))
    assert found.names == {"Rogers", "Stone"}


def test_contents_come_in_the_order_of_the_chunks() -> None:
    made = document(*(paragraph(f"The pump number {n} runs all day and all night long.") for n in range(12)))
    chunks = chunked(made, SMALL)
    assert [one.chunk.id for one in chunk_contents(made, chunks)] == [chunk.id for chunk in chunks]
    assert sum(len(one.sentences) for one in chunk_contents(made, chunks)) == 12


def test_without_chunks_there_are_no_contents() -> None:
    assert list(chunk_contents(document(), ())) == []
