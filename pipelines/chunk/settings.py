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
    """How documents are cut into chunks; sizes are in tokens as `pipelines.llm.tokens` counts them."""

    by: ChunkBy = Field(
        ChunkBy.SECTION,
        description="section: cut inside sections; size: cut at target_tokens, whatever the sections and subjects are; "
        "document: one chunk a document (passages)",
    )
    # Some 300 words, half a page: as benchmarks/distill_model.py sends it to a model of 1.5 billion parameters.
    max_tokens: int = Field(400, ge=16, description="no chunk is larger")
    # Four fifths, so that a sentence more or less fits.
    target_tokens: int = Field(320, ge=1, description="the size aimed at where a section has to be cut")
    # A fifth: a heading with a sentence or two does not stand alone.
    min_tokens: int = Field(80, ge=0, description="smaller chunks and sections join a neighbour they fit with")
    # A chunk and a half: what follows the cut is seen too (PIKE-RAG 5.2.1).
    window_tokens: int = Field(600, ge=16, description="how much text is looked at when choosing where a chunk ends")
    # TextTiling (Hearst 1997) compares blocks of a few sentences: one alone is too short to tell a subject.
    cohesion_sentences: int = Field(3, ge=1, description="sentences on each side compared for semantic distance")
    recurrent: bool = Field(
        True, description="with a language model: let it choose where chunks end, and summarize them in reading order"
    )
    summary_sentences: int = Field(1, ge=1, description="sentences quoted as the summary where no model writes it")

    # Two sentences of a model, or three short ones that are quoted: no shorter than a summary of them would be.
    section_tokens: int = Field(
        120, ge=1, description="a section is summarized by its chunks' summaries, joined, if they have no more"
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.min_tokens * 2 <= self.max_tokens:
            raise ValueError("min_tokens must be at most half of max_tokens")
        if not self.min_tokens <= self.target_tokens <= self.max_tokens <= self.window_tokens:
            raise ValueError("min_tokens <= target_tokens <= max_tokens <= window_tokens must hold")
        return self
