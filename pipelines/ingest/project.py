"""The graph projected into Neo4j or a graph store of the user's own, kept equal to the embedded one."""

from __future__ import annotations

from pipelines.core.outcome import Failure
from pipelines.ingest.progress import Event, Phase, Progress, Stage
from pipelines.resources import Stores, open_graph
from pipelines.settings import Settings
from pipelines.store.sync import sync


def project(stores: Stores, settings: Settings, tell: Progress) -> tuple[Failure, ...]:
    """Bring the graph stores that the settings name beside the embedded one up to it; return what failed, by document.

    A document that cannot be written is a failure, and the others are written. Raises `StoreUnavailable` where no
    server answers, or one that went away does not come back in time.
    """
    failures: list[Failure] = []
    for name in settings.store.graph_copies:
        tell(Event(Stage.PROJECT, Phase.STARTED, detail=settings.store.neo4j_uri if name == "neo4j" else name))
        with open_graph(name, settings, stores.folder.root) as copy:
            synced = sync(stores.graph, copy)
        tell(Event(Stage.PROJECT, Phase.DONE, detail=f"{synced.written} written, {synced.removed} removed"))
        failures += synced.failures
    return tuple(failures)
