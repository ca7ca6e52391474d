"""The files and folders of a knowledge base, and the settings of its stores (`[store]` of strata.toml)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator

from pipelines.core.file_access import is_open_to_others
from pipelines.core.settings_section import Sensitive, SettingsSection, names_code

BUILT_IN: Mapping[str, tuple[str, ...]] = {
    "graph": ("embedded", "neo4j"),
    "vectors": ("lancedb",),
    "artifacts": ("files",),
}
"""The names of Strata's own stores, by setting; any other is given as `module:Class`."""
_CODE = Sensitive("would be loaded and run as code", code=True)


class StoreSettings(SettingsSection):
    """Which stores a knowledge base uses."""

    sensitive: ClassVar[Mapping[str, Sensitive]] = {
        "graph": _CODE,
        "vectors": _CODE,
        "artifacts": _CODE,
        "neo4j_uri": Sensitive("would be sent the graph and the password", secrets=("store.neo4j_password",)),
        "neo4j_browser": Sensitive("would be opened as your Neo4j Browser, where you type the password"),
    }

    graph: str = Field(
        default="embedded",
        description="the graph store used to answer questions: embedded, neo4j, or module:Class",
    )
    vectors: str = Field(default="lancedb", description="the vector store: lancedb, or module:Class")
    artifacts: str = Field(default="files", description="the store for the results of stages: files, or module:Class")
    neo4j_uri: str = Field(default="", description="Bolt address of a Neo4j server that every ingest updates")
    neo4j_user: str = Field(default="neo4j", description="user name for Neo4j")
    neo4j_password: SecretStr = Field(default=SecretStr(""), description="password for Neo4j; empty if it needs none")
    neo4j_database: str = Field(default="neo4j", description="database in Neo4j")
    neo4j_browser: str = Field(
        default="", description="address of Neo4j Browser; by default port 7474 of the host of `neo4j_uri`"
    )
    neo4j_patience: float = Field(
        default=120.0, ge=0, description="seconds to wait for a Neo4j server that stops answering"
    )

    @field_validator(*BUILT_IN)
    @classmethod
    def _is_known(cls, value: str, info: ValidationInfo) -> str:
        built_in = BUILT_IN[info.field_name or ""]
        if value not in built_in and not names_code(value):
            raise ValueError(f"{value!r} is neither {' nor '.join(built_in)} nor module:Class")
        return value

    @property
    def browser(self) -> str:
        """The address of Neo4j Browser, empty if no Neo4j is configured."""
        if self.neo4j_browser or not self.neo4j_uri:
            return self.neo4j_browser
        return f"http://{urlsplit(self.neo4j_uri).hostname or 'localhost'}:7474/browser/"

    @property
    def graph_copies(self) -> tuple[str, ...]:
        """The graph stores to which every ingest copies the graph: Neo4j if configured, and the user's own."""
        return (("neo4j",) if self.neo4j_uri else ()) + ((self.graph,) if names_code(self.graph) else ())


@dataclass(frozen=True, slots=True)
class KnowledgeBaseFolder:
    """The paths of the files and folders below `root`, which may not exist."""

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
        """The folder for a graph store of the user's own."""
        return self.root / "graph"

    @property
    def vectors(self) -> Path:
        """The folder of the vectors, with a subfolder for each embedder."""
        return self.root / "vectors"

    @property
    def artifacts(self) -> Path:
        """The folder of the results of stages, and of pictures and parts of containers."""
        return self.root / "artifacts"

    @property
    def sources(self) -> Path:
        """The folder of documents copied from sources that are not local folders."""
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
        """The trace of model calls, one per line."""
        return self.root / "trace.jsonl"

    @property
    def prompts(self) -> Path:
        """The folder of the knowledge base's own prompts, which override those of Strata."""
        return self.root / "prompts"

    @property
    def exists(self) -> bool:
        """Whether the knowledge base exists."""
        return self.database.is_file()

    @property
    def readable_by_others(self) -> bool:
        """Whether other users can read it: it is of an earlier version, or its file modes were changed."""
        return any(map(is_open_to_others, (self.database, self.replies, self.embeddings, self.trace)))
