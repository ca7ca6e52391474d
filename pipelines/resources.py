"""Settings to clients and stores: the one place where things are put together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.core import codec
from pipelines.core.errors import KnowledgeBaseNotFound, SettingsError, StoreError, StoreMismatch
from pipelines.core.knowledge import TagPair
from pipelines.core.private import is_open_to_others, private_folder
from pipelines.core.read_only import can_write
from pipelines.llm.embedder import Embedder, EmbedderInfo
from pipelines.llm.embedders import open_embedder
from pipelines.llm.settings import EMBEDDERS, EmbedSettings
from pipelines.settings import Settings
from pipelines.store.artifact import ArtifactStore
from pipelines.store.embedded import EmbeddedStore
from pipelines.store.files import FileArtifacts
from pipelines.store.graph import GraphStore
from pipelines.store.vector import VectorStore
from pipelines.trust import refuse_links

if TYPE_CHECKING:
    from pipelines.store.catalog import Catalog
    from pipelines.store.neo4j.store import Neo4jStore

EMBEDDER_FACT = "embedder"
"""The fact under which the catalog keeps the `EmbedderInfo` that its vectors were made with."""


VECTORS_FACT = "vectors"
"""The fact under which the catalog keeps the folder of the active vectors, and the versions of its tables."""
PAIRS_FACT = "tag pairs"
"""The fact under which the catalog keeps the pairs of users' words and the corpus's tags."""


@dataclass(frozen=True, slots=True)
class Places:
    """What lies where in the folder of a knowledge base."""

    root: Path

    @property
    def database(self) -> Path:
        return self.root / "strata.db"

    @property
    def vectors(self) -> Path:
        return self.root / "vectors"

    @property
    def artifacts(self) -> Path:
        return self.root / "artifacts"

    @property
    def replies(self) -> Path:
        return self.root / "replies.db"

    @property
    def embeddings(self) -> Path:
        return self.root / "embeddings.db"

    @property
    def trace(self) -> Path:
        return self.root / "trace.jsonl"

    @property
    def prompts(self) -> Path:
        return self.root / "prompts"


@dataclass(frozen=True, slots=True)
class Stores:
    """The open stores of a knowledge base. `copy` is a graph store to read from in place of the embedded one."""

    places: Places
    embedded: EmbeddedStore
    artifacts: ArtifactStore
    vectors: VectorStore
    embedder: Embedder
    copy: GraphStore | None = None

    @property
    def graph(self) -> GraphStore:
        return self.copy or self.embedded.graph

    @property
    def catalog(self) -> Catalog:
        return self.embedded.catalog


def exists(kb: Path) -> bool:
    """Whether there is a knowledge base at `kb`."""
    return Places(kb).database.is_file()


def is_open(kb: Path) -> bool:
    """Whether other users may read a knowledge base: one of an earlier version, or one that was opened to them."""
    places = Places(kb)
    kept = (places.database, places.replies, places.embeddings, places.trace)
    return any(map(is_open_to_others, kept))


@contextmanager
def open_stores(kb: Path, settings: Settings, create: bool = False) -> Iterator[Stores]:
    """Open the stores at `kb`, making them where `create` allows.

    Raises `KnowledgeBaseNotFound`, `StoreMismatch` where the vectors there were made by another embedder, and
    `SettingsError` where links lead out of its folder that its owner has not confirmed.
    """
    from pipelines.store.lancedb import LanceVectorStore

    places = Places(kb)
    if not create and not exists(kb):
        raise KnowledgeBaseNotFound(str(kb))
    _check_path(kb)
    refuse_links(kb)
    if create and not can_write(places.database):
        raise StoreError("the knowledge base cannot be written to", ids=(str(kb),))
    for folder in (places.root, places.artifacts, places.vectors) if create else ():
        private_folder(folder)
    embedded = EmbeddedStore.open(places.database, create)
    chosen = _embed_settings(settings.embed, embedded.catalog).at_endpoint_of(settings.llm)
    embedder = open_embedder(chosen, places.embeddings)
    try:
        _check_embedder(embedded.catalog, embedder.info, create)
        name = vectors_name(embedder.info)
        vectors = LanceVectorStore(
            places.vectors / name, embedder.info.dimension, lambda: _recorded_versions(embedded.catalog, name)
        )
        yield Stores(places, embedded, FileArtifacts(places.artifacts), vectors, embedder)
        vectors.close()
    finally:
        embedded.close()
        embedder.close()


@contextmanager
def open_neo4j(settings: Settings, kb: Path) -> Iterator[Neo4jStore]:
    """Connect to the Neo4j of the settings, to the part of it that is the knowledge base at `kb`, named as its folder.

    Raises `SettingsError` where none is named, `StoreUnavailable` where it does not answer.
    """
    from pipelines.store.neo4j.connection import Neo4jAddress
    from pipelines.store.neo4j.store import Neo4jStore

    chosen = settings.store
    if not chosen.neo4j_uri:
        hint = "set NEO4J_URI, or [store] neo4j_uri; `make neo4j` starts one"
        raise SettingsError("no Neo4j is configured", hint=hint)
    password = chosen.neo4j_password.get_secret_value()
    address = Neo4jAddress(chosen.neo4j_uri, chosen.neo4j_user, password, chosen.neo4j_database)
    store = Neo4jStore.open(address, kb.resolve().name, chosen.neo4j_patience)
    try:
        yield store
    finally:
        store.close()


def vectors_name(info: EmbedderInfo) -> str:
    """Return the name of the folder that holds an embedder's vectors, so that two can lie side by side."""
    plain = "".join(char if char.isalnum() or char in "-." else "-" for char in f"{info.name}-{info.model}")
    return f"{plain}-{info.dimension}"


def recorded_embedder(catalog: Catalog) -> EmbedderInfo | None:
    """Return the embedder of the active vectors, None before the first ingest."""
    fact = catalog.fact(EMBEDDER_FACT)
    return codec.decode(fact, EmbedderInfo) if fact else None


def recorded_settings(kb: Path) -> EmbedSettings:
    """Return settings that name the embedder a knowledge base was built with; the defaults before the first ingest."""
    refuse_links(kb)
    embedded = EmbeddedStore.open(Places(kb).database, create=False)
    try:
        return _embed_settings(EmbedSettings(), embedded.catalog)
    finally:
        embedded.close()


def tag_pairs(catalog: Catalog) -> tuple[TagPair, ...]:
    """Return the pairs that were learned from question-answer samples, none where there were none."""
    fact = catalog.fact(PAIRS_FACT)
    return codec.decode(fact, tuple[TagPair, ...]) if fact else ()


def record_vectors(stores: Stores) -> None:
    """Note how far the tables of vectors are, so that one which is taken away is missed."""
    versions = {vectors_name(stores.embedder.info): dict(stores.vectors.versions())}
    stores.catalog.set_fact(VECTORS_FACT, codec.encode(versions).decode())


def _recorded_versions(catalog: Catalog, name: str) -> dict[str, int]:
    fact = catalog.fact(VECTORS_FACT)
    return codec.decode(fact, dict[str, dict[str, int]]).get(name, {}) if fact else {}


def record_embedder(catalog: Catalog, info: EmbedderInfo) -> None:
    catalog.set_fact(EMBEDDER_FACT, codec.encode(info).decode())


def _check_path(kb: Path) -> None:
    """The vector store takes no path that is not UTF-8."""
    try:
        str(kb.resolve()).encode("utf-8")
    except UnicodeEncodeError as error:
        raise SettingsError(f"{kb} is no UTF-8 path", hint="name another place for the knowledge base") from error


def _embed_settings(settings: EmbedSettings, catalog: Catalog) -> EmbedSettings:
    """The settings, or where they say nothing what the knowledge base was built with, which may download nothing."""
    recorded = recorded_embedder(catalog)
    if recorded is None or settings != EmbedSettings():
        return settings
    if recorded.name not in EMBEDDERS:  # what code is run is for the user to say, and not for a knowledge base
        raise StoreMismatch(
            f"this knowledge base was embedded by {recorded.name} ({recorded.model}), which does not come with Strata",
            hint="name its class: --set embed.name=module:Class",
        )
    return EmbedSettings(name=recorded.name, model=recorded.model, dimension=recorded.dimension, download=False)


def _check_embedder(catalog: Catalog, info: EmbedderInfo, create: bool) -> None:
    recorded = recorded_embedder(catalog)
    if recorded is None:
        if create:
            record_embedder(catalog, info)
    elif recorded != info:
        raise StoreMismatch(
            f"this knowledge base was embedded by {recorded.name} ({recorded.model}, {recorded.dimension} dimensions),"
            f" the settings name {info.name} ({info.model}, {info.dimension})",
            hint=f"--set embed.name={recorded.name} keeps to it; `strata reindex --embedder {info.name}` changes it",
        )
