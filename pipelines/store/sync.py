"""Bringing one graph store up to another, either way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pipelines.core.graph import Subgraph
from pipelines.store.graph import GraphStore


@dataclass(frozen=True, slots=True)
class Synced:
    """What was done, in owners: documents, and the corpus as one more."""

    written: int = 0
    removed: int = 0
    unchanged: int = 0


def sync(source: GraphStore, target: GraphStore, tell: Callable[[int, int], None] = lambda done, all: None) -> Synced:
    """Make `target` hold what `source` holds; owners whose digests agree are not looked at.

    `tell` is called with the number of owners done and of all that differ. Safe to repeat after it broke off.
    """
    wanted = source.owners()
    gone = sorted(target.owners().keys() - wanted.keys())
    for owner in gone:
        target.remove(owner)
    held = target.owners()  # once more: removing an owner takes edges of others with it
    differing = [owner for owner, digest in wanted.items() if held.get(owner) != digest]
    for number, owner in enumerate(differing):
        tell(number, len(differing))
        target.write(subgraph_of(source, owner))
    tell(len(differing), len(differing))
    return Synced(len(differing), len(gone), len(wanted) - len(differing))


def subgraph_of(store: GraphStore, owner: str) -> Subgraph:
    """Return all that an owner has, as it would be written."""
    return Subgraph(owner, tuple(store.nodes(owner=owner)), tuple(store.edges(owner=owner)))
