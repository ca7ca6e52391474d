"""The results of stages, read back for linking and loading."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core import codec
from pipelines.core.document import Document, ReferenceKind
from pipelines.core.errors import StoreError
from pipelines.core.knowledge import Distillate
from pipelines.core.outcome import Status
from pipelines.resources import Stores
from pipelines.store.catalog import Entry


@dataclass(frozen=True, slots=True)
class Member:
    """A part of a container, as it is kept with the container's own artifact."""

    name: str
    digest: str
    size: int
    kind: ReferenceKind


@dataclass(frozen=True, slots=True)
class ParsedRecord:
    """`Parsed` as it is kept: pictures and parts by their digests, under which their bytes lie."""

    status: Status
    document: Document | None = None
    pictures: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    reason: str = ""
    error: str = ""


def read_document(stores: Stores, entry: Entry) -> Document:
    """Return the parsed document of a searchable entry. Raises `StoreError` where its artifact is gone."""
    record = codec.decode(read_artifact(stores, entry, "parse"), ParsedRecord)
    if record.document is None:
        raise StoreError("the artifact holds no document", ids=(entry.uri,))
    return record.document


def read_distillate(stores: Stores, entry: Entry) -> Distillate:
    """Return what was distilled from the document of a searchable entry. Raises `StoreError`."""
    return codec.decode(read_artifact(stores, entry, "atomize"), Distillate)


def read_artifact(stores: Stores, entry: Entry, stage: str) -> bytes:
    """Return the result of a stage for an entry. Raises `StoreError` where it is gone."""
    data = stores.artifacts.get(stage, entry.artifacts[stage])
    if data is None:
        hint = "`strata fsck --repair` has it made anew"
        raise StoreError(f"the {stage} artifact of {entry.uri} is gone", ids=(entry.uri,), hint=hint)
    return data
