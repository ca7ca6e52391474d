"""What a graph store is to Strata."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Protocol, runtime_checkable

from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, Subgraph


@runtime_checkable
class GraphStore(Protocol):
    """Nodes and edges, written and removed by owner. Writing the same twice is writing it once."""

    def write(self, subgraph: Subgraph) -> None:
        """Make what the store holds of `subgraph.owner` equal to `subgraph`; what is no longer in it goes.

        An edge may end at a node that is written later, by another owner. Raises `StoreUnavailable`.
        """
        ...

    def remove(self, owner: str) -> None:
        """Remove all nodes and edges of `owner`, and edges of others at its nodes; an unknown owner is no error."""
        ...

    def nodes(
        self, kinds: Collection[NodeKind] = (), ids: Collection[str] | None = None, owner: str | None = None
    ) -> Iterator[Node]:
        """Yield nodes in order of id: of these kinds (none: all), among these ids (None: all; empty: nothing).

        `owner` confines them to what one owner has.
        """
        ...

    def edges(
        self,
        kinds: Collection[EdgeKind] = (),
        sources: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        owner: str | None = None,
    ) -> Iterator[Edge]:
        """Yield edges in order of (source, kind, target, key), filtered likewise; both ends when both are given."""
        ...

    def owners(self) -> Mapping[str, str]:
        """Return each owner with a digest of all its nodes and edges, equal across stores for equal content."""
        ...

    def close(self) -> None: ...
