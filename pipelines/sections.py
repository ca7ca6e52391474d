"""The sections `[ingest]` and `[retrieve]` of strata.toml.

The other sections are declared in the packages that they configure. The packages of these two import
`pipelines.settings`, so their sections are declared here to avoid an import cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from pipelines.core.settings_section import Sensitive, SettingsSection


class IngestSettings(SettingsSection):
    """Which files are ingested, and how many at a time."""

    sensitive: ClassVar[Mapping[str, Sensitive]] = {
        "private_hosts": Sensitive("would be read though they have private addresses")
    }

    include: tuple[str, ...] = Field(default=("**/*",), description="glob patterns of the files to ingest")
    exclude: tuple[str, ...] = Field(default=(), description="glob patterns of the files to leave out")
    hidden: bool = Field(default=False, description="include files and folders whose name begins with a dot")
    follow_links: bool = Field(default=False, description="include files outside the folder that links in it point to")
    max_file_mb: int = Field(default=1024, ge=1, description="maximum size of a file, in MiB; larger ones are left out")
    workers: int = Field(default=2, ge=1, description="parser processes")
    documents_at_once: int = Field(default=8, ge=1, description="documents processed at the same time")
    site_pages: int = Field(default=5000, ge=1, description="maximum pages of a web site, in the order of its sitemap")
    site_pause_s: float = Field(default=1.0, ge=0, description="minimum seconds between two requests to a web site")
    private_hosts: tuple[str, ...] = Field(
        default=(), description="host names of web sites that may have a private IP address"
    )
    keep_missing: bool = Field(default=False, description="keep documents whose file was removed from the folder")
    keep_cache: bool = Field(default=False, description="keep the model's replies about removed documents")


class RetrieveSettings(SettingsSection):
    """The weights of the score documented in `pipelines.retrieve.retriever.Retriever`, and the limits of a search.

    A layer with weight 0 is not searched. This is the default of `tag`: in addition to the terms of a document's title
    and file name (`called`) and the names that chunks share, it had no effect or a bad one (`benchmarks/ablation.py`).
    If the embedder does not support the language of a question or of a chunk, `lexical` is 1.
    """

    limit: int = Field(10, ge=1, description="default number of chunks returned")
    candidates: int = Field(
        100, ge=1, description="records found by the search of each layer; three times as many for atoms"
    )
    lexical: float = Field(0.55, ge=0, le=1, description="share of the lexical similarity; the rest is dense")
    worded: float = Field(
        0.4, gt=0, le=1, description="share of a question that some chunk must contain for terms to have full weight"
    )
    chunk: float = Field(0.6, ge=0, description="weight of the similarity to a chunk")
    summary: float = Field(0.1, ge=0, description="weight of the similarity to a chunk's summary")
    atom: float = Field(0.5, ge=0, description="weight of the similarity to a chunk's best atom")
    soft_count: float = Field(0.02, ge=0, description="weight of a chunk's further atoms, relative to the best")
    document: float = Field(
        0.45, ge=0, description="weight of the share of the question that a chunk's document covers, but not the chunk"
    )
    tag: float = Field(0.0, ge=0, description="weight of the tags that the question names or means")
    tag_words: float = Field(
        1.0, ge=0, le=1, description="weight of terms that tags add to a question (5.2.2), relative to its own terms"
    )
    entity: float = Field(0.2, ge=0, description="weight of the names that question and chunk share, by rarity")
    title: float = Field(1.1, ge=0, description="weight of a document whose title the question names, by rarity")
    called: float = Field(0.8, ge=0, description="weight of the terms of a document's title, file name and kind")
    focus: float = Field(1.2, ge=0, description="exponent that concentrates the score of a document on its best chunks")
    fresh: float = Field(0.4, ge=0, description="weight of the share of the question that chunks chosen before lack")
    again: float = Field(0.1, ge=0, le=1, description="penalty for each chunk already chosen from the same document")
    inside: float = Field(0.3, ge=0, le=1, description="factor for a name shared by chunks of one document")
    hop: float = Field(1.5, ge=0, description="weight of scores propagated along edges, relative to direct ones")
    back: float = Field(0.3, ge=0, le=1, description="share of what a chunk propagates that is added to its own score")
    rounds: int = Field(2, ge=0, le=5, description="rounds of propagation: maximum number of edges in a path")
    seeds: int = Field(20, ge=1, description="number of best chunks from which each round starts")
    mentions: float = Field(0.75, ge=0, description="weight of a name shared by two chunks (MENTIONS)")
    related: float = Field(0.1, ge=0, description="weight of a relation between names (RELATED)")
    references: float = Field(1.0, ge=0, description="weight of a reference to the chunk's document (REFERENCES)")
    next: float = Field(0.2, ge=0, description="weight of the previous or next chunk (NEXT)")
    headline: float = Field(
        0.55, ge=0, le=1, description="share of a shared name's weight that requires it to be the document's title"
    )
    blind: float = Field(
        0.43, ge=0, le=1, description="share of a propagated score that requires no answer to the rest of the question"
    )
    rest: float = Field(
        0.43, gt=0, le=1, description="share of the question that a chunk must answer for the full propagated score"
    )
    common: float = Field(0.03, gt=0, le=1, description="names in more than this share of the chunks are not followed")

    tuned: ClassVar[tuple[str, ...]] = (
        "lexical", "chunk", "summary", "atom", "soft_count", "document", "tag", "entity", "title", "called", "focus",
        "fresh", "again", "inside", "hop", "back", "mentions", "related", "references", "next", "headline", "blind",
        "rest",
    )  # fmt: skip
    """The weights that `strata tune` may change; one that is 0 stays 0."""
