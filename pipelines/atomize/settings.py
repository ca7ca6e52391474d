"""Settings of the atomize stage."""

from __future__ import annotations

from pydantic import Field

from pipelines.core.settings_section import SettingsSection


class AtomizeSettings(SettingsSection):
    """What is distilled from a chunk, and how much of it; `[graph.schema]` says which entities and relations."""

    statements: bool = Field(True, description="make atomic statements where no model writes questions")
    row_questions: bool = Field(
        False,
        description="make a templated question for each value of a table's rows, for decompositions that look atoms up",
    )
    tags: bool = Field(True, description="tag chunks with their key terms")
    entities: bool = Field(True, description="recognize named things and how they relate")
    rows: bool = Field(True, description="keep the rows of tables as typed fields")
    tokens_per_question: int = Field(36, ge=1, description="a chunk has a question for so many of its tokens")
    max_questions: int = Field(16, ge=1, description="questions of a chunk at most")
    max_statements: int = Field(60, ge=1, description="sentences of a chunk that become statements, at most")
    max_tags: int = Field(8, ge=1, description="tags of a chunk at most")
    max_relations: int = Field(12, ge=1, description="relations of a chunk at most")
    temperature: float = Field(0.7, ge=0, le=2, description="sampling of atomic questions (PIKE-RAG 5.3.1)")
    same_meaning: float = Field(
        0.93, gt=0, le=1, description="cosine from which two questions of a chunk are one, if there is an embedder"
    )
    chunks_at_once: int = Field(32, ge=1, description="chunks of one document worked on at the same time")
    tag_classes: tuple[str, ...] = Field(
        (), description="classes of tags; none: induced from the corpus, once, and kept"
    )
