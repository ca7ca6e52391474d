"""Settings of the atomize stage."""

from __future__ import annotations

from pydantic import Field

from pipelines.core.settings_section import SettingsSection


class AtomizeSettings(SettingsSection):
    """What is distilled from a chunk, and how much; `[graph.schema]` restricts entities and relations."""

    use_model: bool = Field(
        True, description="let a language model, if configured, distil chunks; false: extractive, without calls"
    )
    statements: bool = Field(True, description="create atomic statements if no model writes questions")
    row_questions: bool = Field(
        False,
        description="create a templated question for each value of a table row, for strategies that look up atoms",
    )
    tags: bool = Field(True, description="tag chunks with their key terms")
    entities: bool = Field(True, description="recognize named entities and their relations")
    rows: bool = Field(True, description="keep table rows as typed fields")
    tokens_per_question: int = Field(36, ge=1, description="a chunk has one question per this number of tokens")
    max_questions: int = Field(16, ge=1, description="maximum questions of a chunk")
    max_statements: int = Field(60, ge=1, description="maximum sentences of a chunk that become statements")
    max_tags: int = Field(8, ge=1, description="maximum tags of a chunk")
    max_relations: int = Field(12, ge=1, description="maximum relations of a chunk")
    temperature: float = Field(0.7, ge=0, le=2, description="sampling temperature of atomic questions (PIKE-RAG 5.3.1)")
    same_meaning: float = Field(
        0.93, gt=0, le=1, description="minimum cosine of two questions of a chunk that count as one, with an embedder"
    )
    chunks_at_once: int = Field(32, ge=1, description="chunks of one document that are distilled concurrently")
    tag_classes: tuple[str, ...] = Field(
        (), description="classes of tags; empty: induced from the corpus once, and kept"
    )
