"""What an admin says of the graph, in a knowledge base."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from pipelines.ingest import verdicts
from pipelines.ingest.verdicts import Verdict, VerdictKind
from serve.library import OpenBase


class Said(BaseModel):
    """A verdict: `merge` or `apart` of two entities by name, `tag` from one name to another, `atom` by its id.

    `split` says that in the document `where`, by its path or id, the entity `one` is another, called `two`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: VerdictKind
    one: str = Field(min_length=1, max_length=500)
    two: str = Field("", max_length=500)
    where: str = Field("", max_length=2000)


def say(base: OpenBase, told: Said, by: str) -> Verdict:
    """Keep a verdict. Raises `NotFound` for a name or an atom that is not there, `SourceError` for one name twice."""
    stores = base.knowledge.stores
    return verdicts.give(stores.graph, stores.catalog, told.kind, told.one, told.two, by, told.where)


def said(base: OpenBase) -> tuple[Verdict, ...]:
    """Return all verdicts, the latest first."""
    return verdicts.SAID.read(base.knowledge.stores.catalog)[::-1]


def undo(base: OpenBase, id: str) -> Verdict:
    """Take a verdict back. Raises `NotFound`."""
    return verdicts.SAID.take_back(base.knowledge.stores.catalog, id)
