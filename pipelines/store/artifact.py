"""What an artifact store is to Strata: results of stages under the digest of what they were made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, runtime_checkable


@runtime_checkable
class ArtifactStore(Protocol):
    """Bytes by stage and key. An artifact is written whole or not at all, and never changes."""

    def get(self, stage: str, key: str) -> bytes | None:
        """Return the artifact, None where there is none or what is there is not what was kept."""
        ...

    def put(self, stage: str, key: str, data: bytes) -> None:
        """Keep `data`; a second write under the same key changes nothing. Safe under concurrent writers."""
        ...

    def remove(self, stage: str, key: str) -> None:
        """Remove an artifact; an unknown one is no error."""
        ...

    def keys(self, stage: str) -> Iterator[str]:
        """Yield the keys of a stage in order."""
        ...

    def stages(self) -> tuple[str, ...]:
        """Return the names of the stages that have or had artifacts, in order."""
        ...

    def sweep(self, wanted: Callable[[str, str], bool]) -> int:
        """Remove the artifacts of which `wanted(stage, key)` says no, and what writers that were killed left.

        Return how many artifacts there were. Nobody may write meanwhile.
        """
        ...
