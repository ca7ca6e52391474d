"""What an embedding model is to Strata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from pipelines.core.vectors import Vectors


class Side(StrEnum):
    """Which side of the search a text is on; some models embed the two differently."""

    QUERY = "query"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """What a knowledge base records and refuses to mix. The metric is always the cosine of unit vectors."""

    name: str
    model: str
    dimension: int
    metric: str = "cosine"


@runtime_checkable
class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def info(self) -> EmbedderInfo: ...

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        """Return an array of shape (len(texts), dimension), rows of length 1; an empty text has a zero row.

        No texts give shape (0, dimension). Raises `CallFailed` and its kin where a service does the work.
        """
        ...

    def close(self) -> None: ...
