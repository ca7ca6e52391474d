"""The index and its similarity scale in a file, so that a knowledge base opens without reading the graph."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipelines.core import codec
from pipelines.core.file_access import private_folder
from pipelines.core.ids import content_id
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import EmbedderInfo
from pipelines.retrieve.array_file import UNREADABLE, Arrays, map_arrays, write_arrays
from pipelines.retrieve.index import Index
from pipelines.retrieve.sparse_rows import SparseRows, Weights
from pipelines.retrieve.strings import Strings
from pipelines.store.vector import RecordKind, VectorStore

VERSION = 18
"""To be raised when a change in the code gives another index for the same graph, or another file format."""
FILE = "index.npz"
_BACKGROUND = "background"
_HEADER = "told"
"""The entry of the file with the `_Header`."""
SCALE_SAMPLE = 64
"""Documents from which the scale is measured: some hundred vectors, read in well under a second."""
_TAG_SAMPLE = 256
"""Maximum tags whose mutual cosines estimate the cosine of unrelated words."""
BACKGROUND = 1024
"""Records of a kind whose cosines to a question are its baseline: the standard error of their mean is 1/32 of their
deviation. With a quarter of them, two of 150 questions were answered worse than with the whole sample."""
_FEWEST = 32
"""Minimum records for estimating a deviation."""
_LEAST_RANGE = 0.05
"""Minimum difference of two cosines that is more than noise."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale for cosines: 0 for unrelated texts, 1 for an atom and its own chunk.

    The zero point of a question is the mean plus one standard deviation of its cosines to a sample of records
    (`background`, by kind). It is computed for each question, since the cosines of one question can all be higher than
    those of another: with e5 the means of two questions differ by more than the best passage is above the mean. Without
    a background, the zero point is the mean cosine of such records to atoms of other documents (`floors`, by kind; for
    tags, the mean cosine of two tags). The unit is `top`, the mean cosine of an atom to its own chunk, minus the floor.
    (A BM25 score is divided by that of a text of mean length with each query term once, see
    `pipelines.retrieve.layers`.)
    """

    floors: Mapping[str, float]
    top: float = 1.0
    background: Mapping[str, Vectors] = field(default_factory=dict, compare=False)

    def scaled(self, kind: RecordKind, cosines: Weights, question: Vectors) -> Weights:
        """Return the scaled cosines of records of `kind` to a question's vector; never below 0."""
        floor = self.floors.get(kind.value, 0.0)
        chance = floor
        if kind.value in self.background:
            by_chance = self.background[kind.value] @ question
            chance = float(by_chance.mean() + by_chance.std())
        found: Weights = np.maximum(0, (cosines - np.float32(chance)) / np.float32(max(self.top - floor, _LEAST_RANGE)))
        return found

    def similarity(self, kind: RecordKind, cosine: float) -> float:
        """Return the scaled cosine of a word and a record of `kind`: 0 if unrelated, 1 if identical."""
        floor = self.floors.get(kind.value, 0.0)
        return (cosine - floor) / max(1.0 - floor, _LEAST_RANGE)


@dataclass(frozen=True, slots=True)
class _Header:
    """The contents of the file besides arrays."""

    version: int
    state: str
    floors: dict[str, float]
    top: float
    background: tuple[str, ...]


def measure_scale(vectors: VectorStore, documents: list[str]) -> Scale:
    """Return the scale of a knowledge base, measured on `SCALE_SAMPLE` evenly spaced documents of those given."""
    step = max(1, len(documents) // SCALE_SAMPLE)
    samples = {kind: _VectorSample() for kind in (RecordKind.ATOM, RecordKind.CHUNK, RecordKind.SUMMARY)}
    for embedded in vectors.records(tuple(samples), documents[::step][:SCALE_SAMPLE]):
        for record, vector in zip(embedded.records, embedded.vectors, strict=True):
            samples[record.kind].add(record.owner, record.chunk or record.id, vector)
    atoms, chunks = samples[RecordKind.ATOM], samples[RecordKind.CHUNK]
    if not atoms.vectors or not chunks.vectors:
        return Scale({})
    floors = {kind.value: _mean_foreign_cosine(atoms, sample) for kind, sample in samples.items() if sample.vectors}
    floors |= _tag_floor(vectors)
    background = {
        kind.value: sample.some(BACKGROUND) for kind, sample in samples.items() if len(sample.vectors) >= _FEWEST
    }
    return Scale(floors, _mean_own_cosine(atoms, chunks, floors[RecordKind.CHUNK.value]), background)


def _tag_floor(vectors: VectorStore) -> dict[str, float]:
    """Return the mean cosine of two different tags, or nothing for fewer than two."""
    batches = chain.from_iterable(batch.vectors for batch in vectors.records((RecordKind.TAG,)))
    found = list(islice(batches, _TAG_SAMPLE))
    if len(found) < 2:
        return {}
    cosines = np.stack(found) @ np.stack(found).T
    return {RecordKind.TAG.value: float(cosines[~np.eye(len(found), dtype=bool)].mean())}


class _VectorSample:
    """A sample of vectors, each with its document and chunk."""

    def __init__(self) -> None:
        self.owners: list[str] = []
        self.chunks: list[str] = []
        self.vectors: list[Vectors] = []

    def add(self, owner: str, chunk: str, vector: Vectors) -> None:
        self.owners.append(owner)
        self.chunks.append(chunk)
        self.vectors.append(vector)

    def some(self, limit: int) -> Vectors:
        """Return at most `limit` evenly spaced vectors."""
        chosen = np.linspace(0, len(self.vectors) - 1, min(limit, len(self.vectors))).astype(int)
        return np.stack([self.vectors[place] for place in chosen])

    def sums(self) -> dict[str, _Sum]:
        """Return the sums of the vectors by document."""
        found: dict[str, _Sum] = {}
        for owner, vector in zip(self.owners, self.vectors, strict=True):
            before = found.get(owner) or _Sum(0, np.zeros(len(vector)))
            found[owner] = _Sum(before.count + 1, before.total + vector)
        return found


@dataclass(frozen=True, slots=True)
class _Sum:
    """The number of vectors and their sum in double precision."""

    count: int
    total: NDArray[np.float64]


def _mean_foreign_cosine(atoms: _VectorSample, others: _VectorSample) -> float:
    """Return the mean cosine of atoms to the records of other documents.

    The sum of all products equals the product of the sums, so that millions of pairs need not be compared.
    """
    of_atoms, of_others = atoms.sums(), others.sums()
    both = [(of_atoms[owner], of_others[owner]) for owner in of_atoms if owner in of_others]
    pairs = len(atoms.vectors) * len(others.vectors) - sum(one.count * two.count for one, two in both)
    if not pairs:
        return 0.0
    whole = [np.sum([one.total for one in sums.values()], axis=0) for sums in (of_atoms, of_others)]
    return float(whole[0] @ whole[1] - sum(one.total @ two.total for one, two in both)) / pairs


def _mean_own_cosine(atoms: _VectorSample, chunks: _VectorSample, floor: float) -> float:
    """Return the mean cosine of atoms to their own chunks."""
    by_id = dict(zip(chunks.chunks, chunks.vectors, strict=True))
    own = [
        float(vector @ by_id[chunk])
        for chunk, vector in zip(atoms.chunks, atoms.vectors, strict=True)
        if chunk in by_id
    ]
    return max(float(np.mean(own)), floor + _LEAST_RANGE) if own else 1.0


def graph_state(owners: Mapping[str, str], embedder: EmbedderInfo) -> str:
    """Return a digest of a graph's content (`GraphStore.owners`) and the embedder of its vectors."""
    parts = [part for pair in sorted(owners.items()) for part in pair]
    return content_id("index", VERSION, embedder.name, embedder.model, embedder.dimension, *parts)


def save_index(folder: Path, state: str, index: Index, scale: Scale) -> None:
    """Write the index into `folder`. A write error is ignored: the index is then built again next time."""
    header = codec.pack(_Header(VERSION, state, dict(scale.floors), scale.top, tuple(scale.background)))
    arrays = {_HEADER: np.frombuffer(header, dtype=np.uint8)}
    arrays |= {name: array for part in fields(Index) for name, array in _arrays(part.name, getattr(index, part.name))}
    arrays |= {f"{_BACKGROUND}.{kind}": sample.astype(np.float16) for kind, sample in scale.background.items()}
    with contextlib.suppress(OSError):
        private_folder(folder)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as handle:
            write_arrays(handle, arrays)
        os.replace(handle.name, folder / FILE)
        (folder / "atlas.npz").unlink(missing_ok=True)  # the file name before version 4; it contains text of documents


def is_cached(folder: Path, state: str) -> bool:
    """Whether `folder` has an index for this state of the graph."""
    found = _mapped(folder)
    return found is not None and found[0].state == state


def load_index(folder: Path, state: str) -> tuple[Index, Scale] | None:
    """Return what `save_index` wrote, or None if it is missing, damaged or for another state of the graph."""
    found = _mapped(folder)
    if found is None or found[0].state != state:
        return None
    header, index, arrays = found
    background = {kind: arrays[f"{_BACKGROUND}.{kind}"].astype(np.float32) for kind in header.background}
    return index, Scale(header.floors, header.top, background)


def load_earlier(folder: Path) -> Index | None:
    """Return the saved index for any state of the graph, as the base of the next one, or None."""
    found = _mapped(folder)
    return found and found[1]


def _mapped(folder: Path) -> tuple[_Header, Index, Arrays] | None:
    """Return the contents of `folder`, or None if they are missing, damaged or of another version."""
    try:
        arrays = map_arrays(folder / FILE)
        header = codec.unpack(arrays[_HEADER].tobytes(), _Header)
        return (header, _index(arrays), arrays) if header.version == VERSION else None
    except (*UNREADABLE, codec.DecodeError):
        return None


def _index(arrays: Arrays) -> Index:
    parts: dict[str, Any] = {}
    for part in fields(Index):
        empty = part.metadata["empty"]
        read = [arrays[name] for name, _ in _arrays(part.name, empty)]
        parts[part.name] = read[0] if isinstance(empty, np.ndarray) else type(empty)(*read)
    return Index(**parts)


def _arrays(name: str, value: SparseRows | Strings | NDArray[Any]) -> list[tuple[str, NDArray[Any]]]:
    if isinstance(value, np.ndarray):
        return [(name, value)]
    return [(f"{name}.{one.name}", getattr(value, one.name)) for one in fields(value)]
