"""The environment in which faults are tried: a small folder, its intact knowledge base, and the counted outcome."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pipelines import build
from pipelines.core.errors import StrataError
from pipelines.ingest.fsck import fsck
from pipelines.settings import Settings
from pipelines.store.neo4j.connection import Neo4jAddress
from qa.knowledge_base import KnowledgeBase
from tests.ingest.knowledge import exported, vectors_of, write_folder

QUESTION = "How often is the oil of the bearing changed?"
State = tuple[str, object]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one kind of fault: how often it was tried and survived.

    `lost` counts tries that lost data or ended without a clear error; `let_in` counts wrong results reported as right.
    `told` describes each of them.
    """

    name: str
    tried: int
    survived: int
    lost: int = 0
    let_in: int = 0
    told: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        return self.survived == self.tried > 0


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault. The tests try it `few` times, `make trust` tries it `many` times."""

    name: str
    try_on: Callable[[Bench], Outcome]
    few: int = 1
    many: int = 1
    slow: bool = False


@dataclass(slots=True)
class Account:
    """Counts the tries of one kind of fault."""

    name: str
    tried: int = 0
    lost: int = 0
    let_in: int = 0
    told: list[str] = field(default_factory=list)

    def note(self, case: str, lost: str = "", let_in: str = "") -> None:
        """Count one try, which is a success if neither `lost` nor `let_in` is given."""
        self.tried += 1
        self.lost += bool(lost)
        self.let_in += bool(let_in and not lost)
        self.told += [f"{case}: {what}" for what in (lost, let_in) if what]

    def outcome(self) -> Outcome:
        survived = self.tried - self.lost - self.let_in
        return Outcome(self.name, self.tried, survived, self.lost, self.let_in, tuple(self.told))


class Bench:
    """A working folder in which to try a fault `times` times; the same `seed` gives the same tries."""

    def __init__(self, work: Path, times: int = 1, seed: int = 0, neo4j: Neo4jAddress | None = None) -> None:
        self.work, self.times, self.neo4j = work, times, neo4j
        self.chance = random.Random(seed)
        self._numbers = 0

    @cached_property
    def folder(self) -> Path:
        """A folder of three documents that refer to one another; must not be changed."""
        return write_folder(self.work / "folder")

    @cached_property
    def whole(self) -> Path:
        """A knowledge base of the folder, built without faults and queried once; must not be changed."""
        build(self.folder, self.work / "whole")
        answer(self.work / "whole")
        return self.work / "whole"

    @cached_property
    def state(self) -> State:
        return state_of(self.whole)

    @cached_property
    def answer(self) -> str:
        return answer(self.whole)

    def new(self, name: str = "kb") -> Path:
        """Return an unused path."""
        self._numbers += 1
        return self.work / f"{name}-{self._numbers}"

    def copy(self, path: Path) -> Path:
        """Return a copy of a folder or knowledge base that may be changed."""
        return Path(shutil.copytree(path, self.new(path.name)))


def answer(kb: Path, settings: Settings | None = None) -> str:
    """Return the answer to a question with its citations and warnings. Raises `StrataError`."""
    with KnowledgeBase.open(kb, settings) as opened:  # type: ignore[arg-type]
        told = opened.ask(QUESTION)
    return "\n".join([told.text, *(f"{citation.uri}: {citation.quote}" for citation in told.citations), *told.warnings])


def state_of(kb: Path) -> State:
    """Return the content of a knowledge base as comparable values."""
    return exported(kb), vectors_of(kb)


def difference_after_ingest(folder: Path, kb: Path, state: State, settings: Settings | None = None) -> str:
    """Ingest again; return how the result differs from that of a run without faults, or an empty string."""
    try:
        report = build(folder, kb, settings)
        if report.failures or report.unfinished:
            return f"the next ingest reports {report.failures} and {report.unfinished} unfinished"
        if findings := fsck(kb, settings, read_data=True).findings:
            return f"fsck finds {findings[0]}"
        return "" if state_of(kb) == state else "it differs from an undisturbed run"
    except StrataError as error:
        return f"the next ingest ends: {error.message}"
