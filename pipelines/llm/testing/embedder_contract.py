"""What every embedder must do; a test subclasses this and gives the fixture `embedder`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pipelines.llm.embedder import Embedder, Side

TEXTS = [
    "The pump of line 3 stopped with a worn seal.",
    "泵的密封件磨损。",
    "DS-2041 measures 0 to 16 bar.",
    "word " * 700,
]


class EmbedderContract:
    """Asks for the fixture `embedder`."""

    def test_it_is_an_embedder(self, embedder: Embedder) -> None:
        assert isinstance(embedder, Embedder)
        assert embedder.info.metric == "cosine"

    def test_rows_are_unit_vectors_of_the_dimension(self, embedder: Embedder) -> None:
        vectors = embedder.embed(TEXTS)
        assert vectors.shape == (len(TEXTS), embedder.info.dimension)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed([]).shape == (0, embedder.info.dimension)

    @pytest.mark.parametrize("side", list(Side))
    def test_an_empty_text_has_a_zero_row(self, embedder: Embedder, side: Side) -> None:
        vectors = embedder.embed(["", " \n\t", "seal"], side)
        assert not vectors[:2].any()
        assert vectors[2].any()

    def test_the_same_text_has_the_same_vector_whatever_stands_beside_it(self, embedder: Embedder) -> None:
        together = embedder.embed(TEXTS)
        alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
        assert together == pytest.approx(alone, abs=1e-4)

    def test_a_query_is_nearest_to_the_passage_with_its_words(self, embedder: Embedder) -> None:
        query = embedder.embed(["which pump stopped with a worn seal"], Side.QUERY)[0]
        assert int((embedder.embed(TEXTS) @ query).argmax()) == 0

    def test_texts_that_no_tokenizer_likes_are_embedded(self, embedder: Embedder) -> None:
        vectors = embedder.embed(["a\0b seal", "lone \ud800 surrogate", "\u202e\ufeffmark seal"])
        assert np.isfinite(vectors).all()

    def test_threads_may_share_it(self, embedder: Embedder) -> None:
        alone = embedder.embed(TEXTS[:3])
        with ThreadPoolExecutor(4) as pool:
            for vectors in pool.map(lambda _: embedder.embed(TEXTS[:3]), range(8)):
                assert vectors == pytest.approx(alone, abs=1e-4)
