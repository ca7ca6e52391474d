"""Settings of question answering: the section `[qa.answer]` of strata.toml, beside those of the pipelines.

The defaults are the paper's figures where it gives them (PIKE-RAG 6.1), but for hierarchical retrieval: its least
similarity of 0.5 is one of its embedder, and its 8 chunks are half of what flat retrieval may read. Ours were chosen on
`industrial` and the handbook in English and German (`benchmarks/two_paths.py`), the number of chunks on MuSiQue and
HotpotQA too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from pipelines.core.settings_section import Sensitive, SettingsSection
from pipelines.settings import Settings


class AnswerSettings(SettingsSection):
    """How a question is answered."""

    sensitive: ClassVar[Mapping[str, Sensitive]] = {"strategy": Sensitive("would be loaded and run as code", code=True)}

    strategy: str = Field(
        "",
        description="strategy by name, or your own as module:function; empty for pike-graph where a model is"
        " configured, else extractive",
    )
    hits: int = Field(12, ge=1, description="chunks that an extractive answer is looked for in")
    quotes: int = Field(3, ge=1, description="sentences of an extractive answer at most")
    refuse_below: float = Field(
        0.40, ge=0, le=1, description="confidence below which an extractive answer is that the documents do not say"
    )
    unsure_below: float = Field(
        0.65, ge=0, le=1, description="confidence below which an extractive answer says that it may be none"
    )
    rounds: int = Field(5, ge=1, description="rounds of decomposition at most (algorithm 1, N)")
    atoms: int = Field(4, ge=1, description="atoms retrieved for each proposal (algorithm 1, K)")
    delta: float = Field(
        0.2, ge=0, le=1, description="least similarity of an atom to a proposal (algorithm 1): 0 is chance, 1 the same"
    )
    nearest: int = Field(
        2, ge=0, description="of pike-graph: chunks that retrieval finds for each proposal, offered beside the atoms"
    )
    beside: int = Field(
        5,
        ge=0,
        description="of pike-graph: chunks that retrieval finds for the question itself, read beside those chosen",
    )
    flat_chunks: int = Field(16, ge=1, description="chunks of flat retrieval")
    flat_threshold: float = Field(0.2, ge=0, le=1, description="least similarity of a chunk in flat retrieval")
    chunks: int = Field(16, ge=1, description="chunks of hierarchical retrieval, beside those that atoms lead to")
    threshold: float = Field(0.2, ge=0, le=1, description="least similarity of a chunk in hierarchical retrieval")
    terms: bool = Field(True, description="a model is asked first what the documents call a question's things (5.2.2)")
    surveyed: int = Field(200, ge=1, description="documents that a survey looks at, at most")
    context_tokens: int = Field(3500, ge=200, description="tokens of passages in one prompt at most")
    tries: int = Field(
        3, ge=1, description="askings of one call before it counts as failed, at most those of llm.tries"
    )
    history: int = Field(4, ge=0, description="turns of a conversation that a follow-up is understood from")


class QaSection(SettingsSection):
    """`[qa.answer]`."""

    answer: AnswerSettings = AnswerSettings()


class QaSettings(Settings):
    """All settings: those of an ingest, and those of answering."""

    qa: QaSection = QaSection()
