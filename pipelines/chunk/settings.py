"""Settings of chunking."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from pipelines.core.settings_section import SettingsSection


class ChunkBy(StrEnum):
    SECTION = "section"
    SIZE = "size"
    DOCUMENT = "document"


class ChunkSettings(SettingsSection):
    """How documents are split into chunks; sizes are in tokens as counted by `pipelines.llm.tokens`."""

    by: ChunkBy = Field(
        ChunkBy.SECTION,
        description="section: split within sections; size: split at target_tokens, regardless of sections and topics; "
        "document: one chunk per document (passages)",
    )
    # About 300 words, half a page: as benchmarks/distill_model.py sends it to a model of 1.5 billion parameters.
    max_tokens: int = Field(400, ge=16, description="maximum size of a chunk")
    # Four fifths, so that a sentence more or less fits.
    target_tokens: int = Field(320, ge=1, description="preferred size if a section has to be split")
    # A fifth: a heading with one or two sentences is joined to a neighbour.
    min_tokens: int = Field(80, ge=0, description="smaller chunks and sections are joined to a neighbour if they fit")
    # One and a half chunks: the text after the cut is shown too (PIKE-RAG 5.2.1).
    window_tokens: int = Field(600, ge=16, description="size of the text in which the end of a chunk is chosen")
    # TextTiling (Hearst 1997) compares blocks of a few sentences: a single one is too short to identify a topic.
    cohesion_sentences: int = Field(3, ge=1, description="sentences on each side compared for semantic distance")
    recurrent: bool = Field(
        True, description="let a language model, if configured, choose where chunks end, and summarize in reading order"
    )
    summary_sentences: int = Field(1, ge=1, description="sentences quoted as a summary without a model")

    # Two sentences of a model, or three short quoted ones: a summary of them would not be shorter.
    section_tokens: int = Field(
        120, ge=1, description="up to this size, the summaries of a section's chunks are joined instead of summarized"
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.min_tokens * 2 <= self.max_tokens:
            raise ValueError("min_tokens must be at most half of max_tokens")
        if not self.min_tokens <= self.target_tokens <= self.max_tokens <= self.window_tokens:
            raise ValueError("min_tokens <= target_tokens <= max_tokens <= window_tokens must hold")
        return self
