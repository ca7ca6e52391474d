"""Opens the stores and the embedder of a knowledge base from the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.core.errors import KnowledgeBaseNotFound, SettingsError, StoreError, StoreMismatch
from pipelines.core.file_access import can_write, private_folder
from pipelines.core.settings_section import load_by_name
from pipelines.llm.embedder import Embedder, EmbedderInfo
from pipelines.llm.embedders import open_embedder
from pipelines.llm.settings import EMBEDDERS, EmbedSettings
from pipelines.settings import Settings, load
from pipelines.store.artifact import ArtifactStore, FileArtifacts
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.facts import LINKED_FACT, TABLE_VERSIONS, VECTOR_STORE, WRITING_FACT, CatalogFact
from pipelines.store.folder import KnowledgeBaseFolder
from pipelines.store.graph import GraphStore
from pipelines.store.vector import VectorStore, Versioned
from pipelines.trust import refuse_links

if TYPE_CHECKING:
    from pipelines.store.catalog import Catalog, Entry
    from pipelines.store.neo4j.store import Neo4jStore

EMBEDDER: CatalogFact[EmbedderInfo | None] = CatalogFact("embedder", EmbedderInfo, None)
"""The embedder of the active vectors; None before the first ingest."""


@dataclass(frozen=True, slots=True)
class Stores:
    """The open stores of a knowledge base. `copy` is a graph store to read from instead of the embedded one."""

    folder: KnowledgeBaseFolder
    embedded: EmbeddedStore
    artifacts: ArtifactStore
    vectors: VectorStore
    embedder: Embedder
    copy: GraphStore | None = None

    @property
    def graph(self) -> GraphStore:
        return self.embedded.graph if self.copy is None else self.copy

    @property
    def catalog(self) -> Catalog:
        return self.embedded.catalog

    def searchable(self) -> list[Entry]:
        """Return the catalog entries of all searchable documents, in order of URI."""
        return [entry for entry in self.catalog.entries() if entry.status.searchable]

    @property
    def index_folder(self) -> Path | None:
        """The folder of the retrieval index, a different one for a copy of the graph; None if it is not stored."""
        return self.folder.root / ("retrieval" if self.copy is None else "retrieval-copy")


@contextmanager
def open_stores(kb: Path, settings: Settings, create: bool = False) -> Iterator[Stores]:
    """Open the stores at `kb`; with `create`, missing ones are created.

    Raises `KnowledgeBaseNotFound`, `StoreMismatch` if the vectors are by another embedder or in another store, and
    `SettingsError` if unconfirmed links lead out of the folder, or a store cannot be loaded.
    """
    folder = KnowledgeBaseFolder(kb.absolute())  # workers may have another working directory
    if not create and not folder.exists:
        raise KnowledgeBaseNotFound(str(kb))
    _check_path(kb)
    refuse_links(kb)
    if create:
        _make_folders(folder)
    with ExitStack() as opened:
        embedded = opened.enter_context(closing(EmbeddedStore.open(folder.database, create)))
        chosen = _embed_settings(settings.embed, embedded.catalog).at_endpoint_of(settings.llm)
        embedder = opened.enter_context(closing(open_embedder(chosen, folder.embeddings)))
        _check_embedder(embedded.catalog, embedder.info, create)
        _check_vector_store(embedded, settings.store.vectors, create)
        name = vectors_name(embedder.info)
        vectors = open_vectors(
            settings, folder, embedder.info, lambda: TABLE_VERSIONS.read(embedded.catalog).get(name, {})
        )
        opened.callback(vectors.close)
        yield Stores(folder, embedded, _open_artifacts(settings, folder), vectors, embedder)


def open_vectors(
    settings: Settings, folder: KnowledgeBaseFolder, info: EmbedderInfo, least: Callable[[], Mapping[str, int]] = dict
) -> VectorStore:
    """Return the vector store of the settings for an embedder's vectors; it is not accessed before the first use.

    `least` returns the minimum versions of its tables, by name. Raises `SettingsError`.
    """
    place, chosen = folder.vectors / vectors_name(info), settings.store.vectors
    if chosen == "lancedb":
        from pipelines.store.lancedb.store import LanceVectorStore

        return LanceVectorStore(place, info.dimension, least)
    return load_by_name(chosen, VectorStore, place, info.dimension, setting="store.vectors")


@contextmanager
def open_graph(name: str, settings: Settings, kb: Path) -> Iterator[GraphStore]:
    """Open a graph store other than the embedded one: "neo4j", or the user's own as `module:Class`.

    Raises `SettingsError` if it cannot be loaded or no Neo4j is configured, `StoreUnavailable` if it does not answer.
    """
    if name == "neo4j":
        with open_neo4j(settings, kb) as neo4j:
            yield neo4j
    else:
        with closing(load_by_name(name, GraphStore, KnowledgeBaseFolder(kb).graph, setting="store.graph")) as own:
            yield own


@contextmanager
def open_neo4j(settings: Settings, kb: Path) -> Iterator[Neo4jStore]:
    """Connect to the Neo4j of the settings, for the knowledge base at `kb`, which has the name of its folder there.

    Raises `SettingsError` if no Neo4j is configured, `StoreUnavailable` if it does not answer.
    """
    from pipelines.store.neo4j.connection import Neo4jAddress
    from pipelines.store.neo4j.store import Neo4jStore

    chosen = settings.store
    if not chosen.neo4j_uri:
        hint = "set NEO4J_URI, or [store] neo4j_uri; `make neo4j` starts one"
        raise SettingsError("no Neo4j is configured", hint=hint)
    password = chosen.neo4j_password.get_secret_value()
    address = Neo4jAddress(chosen.neo4j_uri, chosen.neo4j_user, password, chosen.neo4j_database)
    with closing(Neo4jStore.open(address, kb.resolve().name, chosen.neo4j_patience)) as store:
        yield store


def vectors_name(info: EmbedderInfo) -> str:
    """Return the name of the folder for an embedder's vectors; each embedder has a different one."""
    plain = "".join(char if char.isalnum() or char in "-." else "-" for char in f"{info.name}-{info.model}")
    return f"{plain}-{info.dimension}"


def recorded_settings(kb: Path) -> EmbedSettings:
    """Return settings for the embedder of a knowledge base; the defaults before the first ingest.

    An embedder that is not part of Strata must be named in the knowledge base's strata.toml, and confirmed.
    """
    refuse_links(kb)
    with closing(EmbeddedStore.open(KnowledgeBaseFolder(kb).database, create=False)) as embedded:
        recorded = EMBEDDER.read(embedded.catalog)
        is_packaged = recorded is None or recorded.name in EMBEDDERS
        return _embed_settings(EmbedSettings() if is_packaged else load(kb).settings.embed, embedded.catalog)


def record_vectors(stores: Stores) -> None:
    """Record the versions of the tables of vectors, to detect tables that are deleted later."""
    versions = dict(stores.vectors.versions()) if isinstance(stores.vectors, Versioned) else {}
    TABLE_VERSIONS.write(stores.catalog, {vectors_name(stores.embedder.info): versions})


def _make_folders(folder: KnowledgeBaseFolder) -> None:
    if folder.root.is_file():
        hint = "name another one with --kb; a knowledge base is a folder"
        raise StoreError(f"{folder.root} is a file", ids=(str(folder.root),), hint=hint)
    if not can_write(folder.database):
        hint = f"make {folder.root} writable, or name another folder with --kb"
        raise StoreError("the knowledge base cannot be written to", ids=(str(folder.root),), hint=hint)
    for path in (folder.root, folder.artifacts, folder.vectors):
        private_folder(path)


def _open_artifacts(settings: Settings, folder: KnowledgeBaseFolder) -> ArtifactStore:
    if settings.store.artifacts == "files":
        return FileArtifacts(folder.artifacts)
    return load_by_name(settings.store.artifacts, ArtifactStore, folder.artifacts, setting="store.artifacts")


def _check_path(kb: Path) -> None:
    """Raise `SettingsError` if the path is not valid UTF-8, which the vector store requires."""
    try:
        str(kb.resolve()).encode("utf-8")
    except UnicodeEncodeError as error:
        raise SettingsError(f"{kb} is not a UTF-8 path", hint="choose another path for the knowledge base") from error


def _embed_settings(settings: EmbedSettings, catalog: Catalog) -> EmbedSettings:
    """Return the settings, or if they are the defaults, those of the recorded embedder, without downloads."""
    recorded = EMBEDDER.read(catalog)
    if recorded is None or settings != EmbedSettings():
        return settings
    if recorded.name not in EMBEDDERS:  # a knowledge base must not decide which code is run
        raise StoreMismatch(
            f"this knowledge base was embedded by {recorded.name} ({recorded.model}), which is not part of Strata",
            hint="name its class: --set embed.name=module:Class",
        )
    return EmbedSettings(name=recorded.name, model=recorded.model, dimension=recorded.dimension, download=False)


def _check_embedder(catalog: Catalog, info: EmbedderInfo, create: bool) -> None:
    recorded = EMBEDDER.read(catalog)
    if recorded is None:
        if create:
            EMBEDDER.write(catalog, info)
    elif recorded != info:
        raise StoreMismatch(
            f"this knowledge base was embedded by {recorded.name} ({recorded.model}, {recorded.dimension} dimensions),"
            f" the settings name {info.name} ({info.model}, {info.dimension})",
            hint=f"--set embed.name={recorded.name} keeps it; `strata reindex --embedder {info.name}` changes it",
        )


def _check_vector_store(embedded: EmbeddedStore, name: str, create: bool) -> None:
    """If an ingest uses a different vector store than the last one, have it load all documents again."""
    catalog = embedded.catalog
    recorded = VECTOR_STORE.read(catalog)
    if recorded == name:
        return
    if not create:
        raise StoreMismatch(
            f"the vectors of this knowledge base are in {recorded}, the settings name {name}",
            hint=f"--set store.vectors={recorded} keeps it; `strata ingest FOLDER` writes them to {name}",
        )
    with embedded.exclusive(), catalog.transaction():
        for entry in catalog.entries():
            if "load" in entry.artifacts:
                catalog.record(entry.unloaded())
        catalog.set_fact(LINKED_FACT, "")
        catalog.set_fact(WRITING_FACT, "1")  # causes vectors of removed documents to be deleted from the store
        TABLE_VERSIONS.forget(catalog)
        VECTOR_STORE.write(catalog, name)
