"""Settings of a run: which files of the folder, and where the stores are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from pipelines.core.sensitive import Sensitive


class IngestSettings(BaseModel):
    """Which files are taken, and how many at a time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    include: tuple[str, ...] = Field(default=("**/*",), description="glob patterns of the files to take")
    exclude: tuple[str, ...] = Field(default=(), description="glob patterns of the files to leave out")
    hidden: bool = Field(default=False, description="take files and folders whose name begins with a dot")
    follow_links: bool = Field(default=False, description="take files outside the folder that links in it point to")
    max_file_mb: int = Field(default=1024, ge=1, description="largest file that is read at all, in MiB")
    workers: int = Field(default=2, ge=1, description="parser processes")
    documents_at_once: int = Field(default=8, ge=1, description="documents in work at the same time")
    keep_missing: bool = Field(default=False, description="keep documents whose file has gone from the folder")
    keep_cache: bool = Field(default=False, description="keep the model's replies about documents that have gone")


class StoreSettings(BaseModel):
    """Where the graph is projected to besides the embedded store."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sensitive: ClassVar[Mapping[str, Sensitive]] = {
        "neo4j_uri": Sensitive("would be sent the graph and the password", secrets=("store.neo4j_password",)),
    }

    graph: Literal["embedded", "neo4j"] = Field(
        default="embedded", description="the graph store that questions are answered from"
    )
    neo4j_uri: str = Field(default="", description="Bolt address of a Neo4j that every ingest keeps up to date")
    neo4j_user: str = Field(default="neo4j", description="user name there")
    neo4j_password: SecretStr = Field(default=SecretStr(""), description="password there; empty for none")
    neo4j_database: str = Field(default="neo4j", description="database there")
    neo4j_patience: float = Field(default=120.0, ge=0, description="seconds to wait for a Neo4j that went away")
