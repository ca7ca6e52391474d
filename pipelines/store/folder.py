"""The folder of a knowledge base: what lies where in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipelines.core.file_access import is_open_to_others


@dataclass(frozen=True, slots=True)
class KnowledgeBaseFolder:
    """The files and folders below `root`, which need not be there."""

    root: Path

    @property
    def database(self) -> Path:
        """The SQLite file of graph and catalog."""
        return self.root / "strata.db"

    @property
    def settings(self) -> Path:
        """The knowledge base's own settings."""
        return self.root / "strata.toml"

    @property
    def graph(self) -> Path:
        """The folder of a graph store of the user's own."""
        return self.root / "graph"

    @property
    def vectors(self) -> Path:
        """The folder of the vectors, with a folder for each embedder."""
        return self.root / "vectors"

    @property
    def artifacts(self) -> Path:
        """The results of stages, and pictures and parts of containers."""
        return self.root / "artifacts"

    @property
    def sources(self) -> Path:
        """Copies of documents that were fetched from elsewhere than a folder."""
        return self.root / "sources"

    @property
    def replies(self) -> Path:
        """The cache of the language model's replies."""
        return self.root / "replies.db"

    @property
    def embeddings(self) -> Path:
        """The cache of slow embedders."""
        return self.root / "embeddings.db"

    @property
    def trace(self) -> Path:
        """The calls of the language model, a line each."""
        return self.root / "trace.jsonl"

    @property
    def prompts(self) -> Path:
        """Prompts of the knowledge base's own, in place of those that come with Strata."""
        return self.root / "prompts"

    @property
    def exists(self) -> bool:
        """Whether there is a knowledge base."""
        return self.database.is_file()

    @property
    def readable_by_others(self) -> bool:
        """Whether other users may read it: one of an earlier version, or one that was opened to them."""
        return any(map(is_open_to_others, (self.database, self.replies, self.embeddings, self.trace)))
