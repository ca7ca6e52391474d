"""The sections `[ingest]` and `[retrieve]` of strata.toml.

The other sections are declared beside the code that they configure. These two configure rooms that are built on
`pipelines.settings`, so they are declared below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from pipelines.core.settings_section import Sensitive, SettingsSection


class IngestSettings(SettingsSection):
    """Which files are taken, and how many at a time."""

    sensitive: ClassVar[Mapping[str, Sensitive]] = {
        "private_hosts": Sensitive("would be read though they have private addresses")
    }

    include: tuple[str, ...] = Field(default=("**/*",), description="glob patterns of the files to take")
    exclude: tuple[str, ...] = Field(default=(), description="glob patterns of the files to leave out")
    hidden: bool = Field(default=False, description="take files and folders whose name begins with a dot")
    follow_links: bool = Field(default=False, description="take files outside the folder that links in it point to")
    max_file_mb: int = Field(default=1024, ge=1, description="largest file that is read at all, in MiB")
    workers: int = Field(default=2, ge=1, description="parser processes")
    documents_at_once: int = Field(default=8, ge=1, description="documents in work at the same time")
    site_pages: int = Field(default=5000, ge=1, description="pages of a web site that are taken, in their order there")
    site_pause_s: float = Field(default=1.0, ge=0, description="seconds between two requests to a web site at least")
    private_hosts: tuple[str, ...] = Field(
        default=(), description="web sites that may have a private address without being named by it"
    )
    keep_missing: bool = Field(default=False, description="keep documents whose file has gone from the folder")
    keep_cache: bool = Field(default=False, description="keep the model's replies about documents that have gone")


class RetrieveSettings(SettingsSection):
    """The weights of the score that `pipelines.retrieve.score` documents, and how far a search looks.

    A layer of weight 0 is not searched. `tag` is so by default: beside the words that a document is called by
    (`called`) and the names that chunks share, it changed nothing or did harm (`benchmarks/ablation.py`). Where the
    embedder was not made for the language of a question or of a chunk, `lexical` is 1.
    """

    limit: int = Field(10, ge=1, description="chunks returned where a caller does not say")
    candidates: int = Field(
        100, ge=1, description="records that each search of a layer brings in, three times as many atoms"
    )
    lexical: float = Field(0.55, ge=0, le=1, description="share of the lexical similarity, the rest is dense")
    worded: float = Field(
        0.4, gt=0, le=1, description="share of a question that a chunk must have in its words for terms to count whole"
    )
    chunk: float = Field(0.6, ge=0, description="weight of the similarity to a chunk")
    summary: float = Field(0.1, ge=0, description="weight of the similarity to a chunk's summary")
    atom: float = Field(0.5, ge=0, description="weight of the similarity to a chunk's best atom")
    soft_count: float = Field(0.02, ge=0, description="what a chunk's further atoms count beside the best")
    document: float = Field(
        0.45, ge=0, description="weight of what a chunk's document says of the question and the chunk does not"
    )
    tag: float = Field(0.0, ge=0, description="weight of the tags that the question names or means")
    tag_words: float = Field(
        1.0, ge=0, le=1, description="weight of the words that tags add to a question (5.2.2), against its own"
    )
    entity: float = Field(0.2, ge=0, description="weight of the names that question and chunk share, by rarity")
    title: float = Field(1.1, ge=0, description="weight of a document whose title the question names, by rarity")
    called: float = Field(0.8, ge=0, description="weight of the words of a document's title, file name and kind")
    focus: float = Field(1.2, ge=0, description="how much of what speaks for a document only its nearest chunks get")
    fresh: float = Field(0.4, ge=0, description="what counts that a chunk says and those before it do not")
    again: float = Field(0.1, ge=0, le=1, description="what a chunk loses for each one chosen of its document")
    inside: float = Field(0.3, ge=0, le=1, description="what a shared name counts within one document")
    hop: float = Field(1.5, ge=0, description="what is passed along edges, against what is found directly")
    back: float = Field(0.3, ge=0, le=1, description="share of what a chunk passes on that it gets back itself")
    rounds: int = Field(2, ge=0, le=5, description="edges that are followed one after the other")
    seeds: int = Field(20, ge=1, description="chunks from which each round starts, the best ones")
    mentions: float = Field(0.75, ge=0, description="weight of a name shared by two chunks (MENTIONS)")
    related: float = Field(0.1, ge=0, description="weight of a relation between names (RELATED)")
    references: float = Field(1.0, ge=0, description="weight of a reference to the chunk's document (REFERENCES)")
    next: float = Field(0.2, ge=0, description="weight of the chunk before or behind (NEXT)")
    headline: float = Field(0.55, ge=0, le=1, description="share of a shared name that only its own document gets")
    blind: float = Field(
        0.43, ge=0, le=1, description="share of a hop that needs no answer to the rest of the question"
    )
    rest: float = Field(0.43, gt=0, le=1, description="share of the question that is answer enough for a full hop")
    common: float = Field(0.03, gt=0, le=1, description="names in more than this share of the chunks lead nowhere")

    tuned: ClassVar[tuple[str, ...]] = (
        "lexical", "chunk", "summary", "atom", "soft_count", "document", "tag", "entity", "title", "called", "focus",
        "fresh", "again", "inside", "hop", "back", "mentions", "related", "references", "next", "headline", "blind",
        "rest",
    )  # fmt: skip
    """The weights that `strata tune` may change; one that is 0 stays 0."""
