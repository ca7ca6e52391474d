from __future__ import annotations

from pipelines.atomize.distiller import chunk_contents
from pipelines.chunk.settings import ChunkSettings
from tests.atomize.build import chunked, content
from tests.chunk.build import code, document, heading, paragraph, table, title

SMALL = ChunkSettings(max_tokens=30, target_tokens=20, min_tokens=5, window_tokens=40)


def test_sentences_stand_where_they_say_and_know_what_they_stand_in() -> None:
    made = document(title("Pumps"), heading("Use"), paragraph("It pumps. It stops."), code("run()"), table(["a", "b"]))
    found = content(made)
    assert [(one.text, one.prose, one.heading) for one in found.sentences] == [
        ("Pumps", False, True), ("Use", False, True), ("It pumps.", True, False), ("It stops.", True, False),
        ("run()", False, False), ("a | b", False, False),
    ]  # fmt: skip
    assert all(one.span.slice(made.text) == one.text for one in found.sentences)


def test_the_path_has_no_repeats() -> None:
    made = document(heading("Manual"), paragraph("It pumps."), heading("Use", 2), paragraph("It stops."), name="Manual")
    (one,) = chunk_contents(made, chunked(made, ChunkSettings()))
    assert [part for part, _ in one.path] == ["Manual"]
    assert [part for part, _ in one.sentences[-1].path] == ["Manual", "Use"]


def test_words_with_capitals_inside_sentences_are_the_document_s_names() -> None:
    found = content(document(paragraph("Pumps need the help of Rogers and, at times, Stone. Rogers pumps.")))
    assert found.names == {"Rogers", "Stone"}


def test_contents_come_in_the_order_of_the_chunks() -> None:
    made = document(*(paragraph(f"The pump number {n} runs all day and all night long.") for n in range(12)))
    chunks = chunked(made, SMALL)
    assert [one.chunk.id for one in chunk_contents(made, chunks)] == [chunk.id for chunk in chunks]
    assert sum(len(one.sentences) for one in chunk_contents(made, chunks)) == 12


def test_no_chunks_have_no_contents() -> None:
    assert list(chunk_contents(document(), ())) == []
