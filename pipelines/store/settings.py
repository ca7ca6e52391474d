"""Settings of the stores: the section `[store]` of strata.toml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from pipelines.core.sensitive import Sensitive


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
