"""What an artifact store is to Strata: results of stages under the digest of what they were made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable


@runtime_checkable
class ArtifactStore(Protocol):
    """Bytes by stage and key. An artifact is written whole or not at all, and never changes."""

    def get(self, stage: str, key: str) -> bytes | None:
        """Return the artifact, None where there is none."""
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
