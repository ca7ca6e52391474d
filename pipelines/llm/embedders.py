"""Settings to an embedder."""

from __future__ import annotations

from pathlib import Path

from pipelines.core.errors import SettingsError
from pipelines.llm.embedder import Embedder
from pipelines.llm.settings import EmbedSettings

QUICK = frozenset({"wordllama", "hashing"})
"""Embedders that are as quick as looking a vector up."""


def open_embedder(settings: EmbedSettings = EmbedSettings(), cache_path: Path | None = None) -> Embedder:
    """Return the embedder that `settings` name; no model is loaded before the first text.

    The slower ones keep their vectors in a file at `cache_path`. Raises `MissingExtra` where the package is not
    installed, `SettingsError` for a dimension or model that there is not.
    """
    embedder = _open(settings)
    if cache_path is None or not settings.cache or settings.name in QUICK:
        return embedder
    from pipelines.llm.embed_cache import CachedEmbedder

    return CachedEmbedder(embedder, cache_path)


def default_embedder() -> Embedder:
    """Return the embedder that compares names, questions and tags, whatever the knowledge base's own is.

    It is WordLlama, which has its model in its package and takes thousands of texts a second.
    """
    return _open(EmbedSettings())


def _open(settings: EmbedSettings) -> Embedder:
    """Import the one that is asked for; the others' libraries stay out of the process."""
    match settings.name:
        case "wordllama":
            from pipelines.llm.wordllama import WordLlamaEmbedder

            return WordLlamaEmbedder(settings.dimension or 256)
        case "hashing":
            from pipelines.llm.hashing import HashingEmbedder

            return HashingEmbedder(settings.dimension or 256)
        case "e5":
            from pipelines.llm.e5 import E5Embedder

            _refuse_dimension(settings, 384)
            return E5Embedder()
        case "fastembed":
            from pipelines.llm.fastembed import FastEmbedEmbedder

            return FastEmbedEmbedder(
                settings.model, settings.path, settings.dimension, settings.batch, settings.download
            )
        case "openai":
            from pipelines.llm.openai_embedder import OpenAIEmbedder

            return OpenAIEmbedder(settings)


def _refuse_dimension(settings: EmbedSettings, only: int) -> None:
    if settings.dimension not in (0, only):
        raise SettingsError(f"{settings.name} has vectors of {only} numbers, not {settings.dimension}")
