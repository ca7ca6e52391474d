"""Pairs to groups: connected components, by networkx."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import networkx

R = TypeVar("R")


class Components(Generic[R]):
    """Numbers joined in pairs, each join with its reason: those that are connected are one group.

    Example: after `join(1, 2, "alias")` and `join(2, 5, "acronym")`, `groups()` yields
    `{1: "alias", 2: "alias", 5: "acronym"}`.
    """

    def __init__(self) -> None:
        import networkx

        self._graph: networkx.Graph[int] = networkx.Graph()
        self._reasons: dict[int, R] = {}

    def join(self, one: int, two: int, reason: R) -> None:
        """Put two numbers, with all that they are joined to, into one group."""
        self._graph.add_edge(one, two)
        self._reasons.setdefault(one, reason)
        self._reasons.setdefault(two, reason)

    def group_of(self, number: int) -> set[int]:
        """Return the group of a number: itself alone where it was never joined."""
        import networkx

        return networkx.node_connected_component(self._graph, number) if number in self._graph else {number}

    def groups(self) -> Iterator[dict[int, R]]:
        """Yield each group of two and more: its members, each with the reason of its first join."""
        import networkx

        for members in networkx.connected_components(self._graph):
            yield {member: self._reasons[member] for member in members}
