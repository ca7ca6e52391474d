"""The graph projected into Neo4j, kept equal to the embedded one."""

from __future__ import annotations

from pipelines.ingest.progress import Event, Phase, Progress, Stage
from pipelines.resources import Stores, open_neo4j
from pipelines.settings import Settings
from pipelines.store.sync import Synced, sync


def project(stores: Stores, settings: Settings, tell: Progress) -> Synced | None:
    """Bring the Neo4j of the settings up to the embedded graph, None where they name none.

    A document that cannot be written there is told of in `failures`, and the others are. Raises `StoreUnavailable`
    where no server answers, or one that went away does not come back in time.
    """
    if not settings.store.neo4j_uri:
        return None
    tell(Event(Stage.PROJECT, Phase.STARTED, detail=settings.store.neo4j_uri))
    with open_neo4j(settings, stores.places.root) as neo4j:
        synced = sync(stores.graph, neo4j)
    tell(Event(Stage.PROJECT, Phase.DONE, detail=f"{synced.written} written, {synced.removed} removed"))
    return synced
