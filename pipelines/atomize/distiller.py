"""What a distiller is: it takes one chunk apart into knowledge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from pipelines.atomize.content import Content
from pipelines.core.knowledge import Atom, ChunkTag, Entity, Mention, Relation, Row
from pipelines.core.outcome import Failure


@dataclass(frozen=True, slots=True)
class Distilled:
    """What one chunk gave. An empty `summary` leaves the chunk's own.

    `dropped` counts by reason what a check refused. `failure` says why a model did not do the work.
    """

    summary: str = ""
    atoms: tuple[Atom, ...] = ()
    tags: tuple[ChunkTag, ...] = ()
    entities: tuple[Entity, ...] = ()
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    rows: tuple[Row, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    failure: Failure | None = None


@runtime_checkable
class Distiller(Protocol):
    """Anything that can take a chunk apart."""

    async def distil(self, content: Content) -> Distilled:
        """Return what the chunk says, everything with its place in the source.

        A failure is a value, not an error; `BudgetExceeded` alone is raised.
        """
        ...
