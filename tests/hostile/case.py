"""The definition of a hostile case: files placed beside a good one, and the statuses allowed for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipelines.core.outcome import Status

READ = frozenset({Status.INDEXED, Status.PARTIAL})
LARGE = frozenset({Status.TOO_LARGE})
BROKEN = frozenset({Status.MALFORMED})
EMPTY = frozenset({Status.EMPTY})
LOCKED = frozenset({Status.ENCRYPTED})
UNKNOWN = frozenset({Status.UNSUPPORTED})
SKIPPED = frozenset({Status.SKIPPED})
FAILED = frozenset({Status.FAILED})


@dataclass(frozen=True, slots=True)
class Bait:
    """What a case tries to reach: a secret file outside the folder, and a server that records every request."""

    secret: Path
    address: str


@dataclass(frozen=True, slots=True)
class Case:
    """A case: its name, a function that writes its files, and the statuses they may have."""

    name: str
    place: Callable[[Path, Bait], None]
    ends: frozenset[Status]
    heavy: bool = False


def file_case(name: str, make: Callable[[], bytes], *ends: frozenset[Status], heavy: bool = False) -> Case:
    """A case of one file that uses no bait."""

    def place(folder: Path, bait: Bait) -> None:
        (folder / name).write_bytes(make())

    return Case(name, place, frozenset().union(*ends), heavy)


class Family:
    """The cases of a module, registered by decorators."""

    def __init__(self) -> None:
        self.cases: list[Case] = []

    def file(
        self, name: str, *ends: frozenset[Status], heavy: bool = False
    ) -> Callable[[Callable[[], bytes]], Callable[[], bytes]]:
        """Register a function that returns the bytes of a file with this name."""

        def register(make: Callable[[], bytes]) -> Callable[[], bytes]:
            self.cases.append(file_case(name, make, *ends, heavy=heavy))
            return make

        return register

    def baited(
        self, name: str, *ends: frozenset[Status]
    ) -> Callable[[Callable[[Bait], bytes]], Callable[[Bait], bytes]]:
        """Register a function that returns the bytes of a file with this name, given a bait."""

        def register(make: Callable[[Bait], bytes]) -> Callable[[Bait], bytes]:
            def place(folder: Path, bait: Bait) -> None:
                (folder / name).write_bytes(make(bait))

            self.cases.append(Case(name, place, frozenset().union(*ends)))
            return make

        return register

    def folder(
        self, name: str, *ends: frozenset[Status]
    ) -> Callable[[Callable[[Path, Bait], None]], Callable[[Path, Bait], None]]:
        """Register a function that writes one or more files into the folder of the case."""

        def register(place: Callable[[Path, Bait], None]) -> Callable[[Path, Bait], None]:
            self.cases.append(Case(name, place, frozenset().union(*ends)))
            return place

        return register
