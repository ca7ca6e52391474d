"""Settings of question answering: the section `[qa.answer]` of strata.toml.

The defaults are those of the paper (PIKE-RAG 6.1), except for hierarchical retrieval: its similarity threshold of 0.5
depends on its embedder, and its 8 chunks are half of those of flat retrieval. Our values were chosen on `industrial`
and the handbook in English and German (`benchmarks/two_paths.py`), the number of chunks also on MuSiQue and HotpotQA.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import Field

from pipelines.core.errors import SettingsError
from pipelines.core.settings_section import Sensitive, SettingsSection
from pipelines.settings import Settings


class AnswerSettings(SettingsSection):
    """How a question is answered."""

    sensitive: ClassVar[Mapping[str, Sensitive]] = {"strategy": Sensitive("would be loaded and run as code", code=True)}

    strategy: str = Field(
        "",
        description="name of a strategy, or your own as module:function; empty for pike-graph if a model is"
        " configured, else extractive",
    )
    hits: int = Field(12, ge=1, description="chunks searched for an extractive answer")
    quotes: int = Field(3, ge=1, description="maximum sentences of an extractive answer")
    refuse_below: float = Field(
        0.40, ge=0, le=1, description="minimum confidence of an extractive answer; below it, the documents do not say"
    )
    unsure_below: float = Field(
        0.65, ge=0, le=1, description="an extractive answer with less confidence says that it is uncertain"
    )
    rounds: int = Field(5, ge=1, description="maximum rounds of decomposition (algorithm 1, N)")
    atoms: int = Field(4, ge=1, description="atoms retrieved for each proposal (algorithm 1, K)")
    delta: float = Field(
        0.2, ge=0, le=1, description="minimum similarity of an atom to a proposal (algorithm 1): 0 unrelated, 1 equal"
    )
    nearest: int = Field(
        2, ge=0, description="pike-graph: chunks found for each proposal, as candidates in addition to atoms"
    )
    beside: int = Field(
        5, ge=0, description="pike-graph: chunks found for the question itself, read in addition to those selected"
    )
    flat_chunks: int = Field(16, ge=1, description="chunks of flat retrieval")
    flat_threshold: float = Field(0.2, ge=0, le=1, description="minimum similarity of a chunk in flat retrieval")
    chunks: int = Field(16, ge=1, description="chunks of hierarchical retrieval, in addition to those of atoms")
    threshold: float = Field(0.2, ge=0, le=1, description="minimum similarity of a chunk in hierarchical retrieval")
    terms: bool = Field(True, description="first ask a model for the documents' terms for a question's words (5.2.2)")
    surveyed: int = Field(200, ge=1, description="maximum documents of a survey")
    context_tokens: int = Field(3500, ge=200, description="maximum tokens of passages in one prompt")
    tries: int = Field(3, ge=1, description="maximum requests of one call, not more than llm.tries")
    history: int = Field(4, ge=0, description="turns of a conversation used to resolve a follow-up question")

    def limited(self, limit: int | None) -> Self:
        """Return the settings with this limit for every search, unless it is None. Raises `SettingsError` below 1."""
        if limit is None:
            return self
        if limit < 1:
            raise SettingsError(f"limit: {limit} is too small", hint="1 or more")
        return self.model_copy(update=dict.fromkeys(("hits", "chunks", "flat_chunks", "beside"), limit))


class QaSection(SettingsSection):
    """`[qa.answer]`."""

    answer: AnswerSettings = AnswerSettings()


class QaSettings(Settings):
    """All settings, of ingest and of answering."""

    qa: QaSection = QaSection()
