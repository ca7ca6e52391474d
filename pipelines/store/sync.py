"""Making one graph store equal to another, in either direction."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from pipelines.core.errors import StoreError, StoreMismatch, StoreUnavailable
from pipelines.core.graph import CORPUS_OWNER, Subgraph
from pipelines.core.outcome import Failure, as_failure
from pipelines.store.graph import GraphStore

PROJECT = "project"
"""The stage under which the failure of an owner is told."""
WRITERS = 3
"""Owners that are written at a time."""


@dataclass(frozen=True, slots=True)
class Synced:
    """What was done, in owners: documents, and the corpus as one more."""

    written: int = 0
    removed: int = 0
    unchanged: int = 0
    failures: tuple[Failure, ...] = ()
    """Of owners that could not be written, by their ids."""


def sync(source: GraphStore, target: GraphStore, tell: Callable[[int, int], None] = lambda done, all: None) -> Synced:
    """Make `target` hold what `source` holds; owners whose digests agree are not looked at.

    `tell` is called with the number of owners done and of all that differ. Safe to repeat after it broke off; an owner
    that fails is reported, and tried again the next time. Raises what `ends_the_run`.
    """
    wanted = source.owners()
    gone = sorted(target.owners().keys() - wanted.keys())
    for owner in gone:
        target.remove(owner)
    held = target.owners()  # once more: removing an owner takes edges of others with it
    differing = [owner for owner, digest in wanted.items() if held.get(owner) != digest]
    differing.sort(key=lambda owner: owner == CORPUS_OWNER)  # last: its edges end at the documents
    tell(0, len(differing))
    parts = (subgraph_of(source, owner) for owner in differing)
    failures: list[Failure] = []
    for number, done in enumerate(write_all(target, parts), 1):
        if isinstance(done, Failure):
            failures.append(done)
        tell(number, len(differing))
    return Synced(len(differing) - len(failures), len(gone), len(wanted) - len(differing), tuple(failures))


def write_all(target: GraphStore, parts: Iterable[Subgraph]) -> Iterator[str | Failure]:
    """Write subgraphs, some at a time and without holding more than those; yield the owner of each, or its failure.

    A server works on one while the next is put together; a store that takes one writer makes the others wait.
    """
    with ThreadPoolExecutor(WRITERS) as pool:
        waiting: deque[tuple[str, Future[None]]] = deque()
        for part in parts:
            waiting.append((part.owner, pool.submit(target.write, part)))
            if len(waiting) > WRITERS:
                yield _done(waiting.popleft())
        while waiting:
            yield _done(waiting.popleft())


def _done(one: tuple[str, Future[None]]) -> str | Failure:
    owner, future = one
    try:
        future.result()
    except (StoreUnavailable, StoreMismatch):
        raise
    except StoreError as error:  # of a store that took the others
        return Failure(owner, PROJECT, f"{PROJECT}: {error.message}", type(error).__name__, retryable=True)
    except Exception as error:
        return as_failure(owner, PROJECT, error)
    return owner


def subgraph_of(store: GraphStore, owner: str) -> Subgraph:
    """Return all that an owner has, as it would be written."""
    return Subgraph(owner, tuple(store.nodes(owner=owner)), tuple(store.edges(owner=owner)))
