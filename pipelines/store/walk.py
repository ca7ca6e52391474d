"""Walking the graph over any store: what is around a node, and how two nodes hang together."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pipelines.core.graph import Edge, EdgeKind
from pipelines.store.graph import GraphStore


def edges_at(store: GraphStore, ids: Collection[str], kinds: Collection[EdgeKind] = ()) -> list[Edge]:
    """Return the edges of these kinds that begin or end at one of `ids`, each once."""
    found = {edge.id: edge for edge in store.edges(kinds, sources=ids)}
    found |= {edge.id: edge for edge in store.edges(kinds, targets=ids)}
    return list(found.values())


def neighbourhood(
    store: GraphStore, start: Iterable[str], hops: int = 1, kinds: Collection[EdgeKind] = ()
) -> dict[str, int]:
    """Return the ids of the nodes within `hops` edges of `start`, in whichever direction, with their distance."""
    distance = dict.fromkeys(start, 0)
    rim = set(distance)
    for hop in range(1, hops + 1):
        ends = {end for edge in edges_at(store, rim, kinds) for end in (edge.source, edge.target)}
        rim = ends - distance.keys()
        distance |= dict.fromkeys(rim, hop)
        if not rim:
            break
    return distance


def shortest_path(
    store: GraphStore, start: str, end: str, hops: int = 6, kinds: Collection[EdgeKind] = ()
) -> list[Edge] | None:
    """Return the edges of a shortest path from `start` to `end`, in whichever direction; None beyond `hops` edges.

    From a node to itself the path is empty. Of several shortest ones it is the first by the ids on it.
    """
    reached: dict[str, tuple[str, Edge] | None] = {start: None}
    rim = {start}
    for _ in range(hops):
        if end in reached:
            break
        found: dict[str, tuple[str, Edge]] = {}
        for edge in sorted(edges_at(store, rim, kinds), key=lambda edge: (edge.source, edge.target, edge.id)):
            for one, other in ((edge.source, edge.target), (edge.target, edge.source)):
                if one in rim and other not in reached:
                    found.setdefault(other, (one, edge))
        reached |= found
        rim = set(found)
    return _traced(reached, end) if end in reached else None


def _traced(reached: dict[str, tuple[str, Edge] | None], end: str) -> list[Edge]:
    path: list[Edge] = []
    step = reached[end]
    while step is not None:
        path.append(step[1])
        step = reached[step[0]]
    return path[::-1]
