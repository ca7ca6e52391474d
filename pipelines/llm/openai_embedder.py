"""Embeddings from any OpenAI-compatible endpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np
from openai import DefaultHttpxClient, OpenAI
from openai.types import CreateEmbeddingResponse

from pipelines.core.errors import CallFailed
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import EmbedderInfo, Side, embed_filled
from pipelines.llm.openai_errors import NO_KEY, address, constructing, no_completion, translated
from pipelines.llm.retry import RetryPolicy
from pipelines.llm.settings import EmbedSettings

DEFAULT_MODEL = "text-embedding-3-small"
_KNOWN_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
_MAX_CHARACTERS = 24_000
"""Endpoints reject a whole batch for one text over the model's window, which is 8,191 tokens for OpenAI's models."""


class OpenAIEmbedder:
    """Embeds batches of texts with several concurrent calls, each retried if the error is transient.

    Queries and passages are embedded in the same way. The dimension of an unknown model is determined by one call.
    """

    def __init__(self, settings: EmbedSettings, sleep: Callable[[float], None] = time.sleep) -> None:
        self._settings = settings
        self._model = settings.model or DEFAULT_MODEL
        self._policy = RetryPolicy(tries=settings.tries)
        self._sleep = sleep
        with constructing():
            self._client = OpenAI(
                base_url=address(settings.base_url),
                api_key=settings.api_key.get_secret_value() or (NO_KEY if settings.base_url else None),
                timeout=settings.timeout,
                max_retries=0,
                http_client=DefaultHttpxClient(follow_redirects=False),  # a redirect would send texts to another host
            )
        self._pool = ThreadPoolExecutor(settings.concurrency, thread_name_prefix="embed")

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo("openai", self._model, self._dimension)

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        return embed_filled(texts, self._dimension, self._batches)

    def close(self) -> None:
        self._pool.shutdown()
        self._client.close()

    @cached_property
    def _dimension(self) -> int:
        known = self._settings.dimension or _KNOWN_DIMENSIONS.get(self._model)
        return known or int(self._batch(["dimension"]).shape[1])

    def _batches(self, texts: list[str]) -> Vectors:
        size = self._settings.batch
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        return np.concatenate(list(self._pool.map(self._batch, batches)))

    def _batch(self, texts: list[str]) -> Vectors:
        return self._policy.run(lambda: self._call(texts), self._sleep)

    def _call(self, texts: list[str]) -> Vectors:
        wanted = {"dimensions": self._settings.dimension} if self._settings.dimension else {}
        with translated():
            reply = self._client.embeddings.create(
                model=self._model,
                input=[text[:_MAX_CHARACTERS] for text in texts],
                encoding_format="float",
                **wanted,  # type: ignore[arg-type]
            )
        if not isinstance(reply, CreateEmbeddingResponse):
            raise no_completion("the endpoint's reply has no vectors")
        rows = sorted(reply.data, key=lambda row: row.index)
        if len(rows) != len(texts):
            raise CallFailed(f"the endpoint returned {len(rows)} vectors for {len(texts)} texts")
        return np.array([row.embedding for row in rows], dtype=np.float32)
