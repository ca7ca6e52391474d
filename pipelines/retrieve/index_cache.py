"""The index and its similarity scale in a file, so that opening a knowledge base need not read the graph again."""

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

VERSION = 13
"""Raised when the same graph gives another index, or the file another form."""
FILE = "index.npz"
_BACKGROUND = "background"
_TOLD = "told"
"""The entry of the file that tells of which state of the graph it is, and of the scale."""
SCALE_SAMPLE = 64
"""Documents from which the scale is measured: means of some hundred vectors, read in well under a second."""
_TAG_SAMPLE = 256
"""Tags whose cosines to one another are taken for those of words that have nothing to do with each other."""
BACKGROUND = 1024
"""Records of a kind to whose cosines those of a question are held: their mean is then known to a thirty-second of their
deviation. With a quarter of them two of 150 questions were answered worse than with all of the sample."""
_FEWEST = 32
"""Records that tell a deviation: of fewer the best one stands out by less than it does of many."""
_LEAST_RANGE = 0.05
"""The least difference of two cosines that is taken for more than noise."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale for cosines: 0 for what a question meets by chance, 1 for a passage and its own atom.

    Chance is the mean cosine of the question to records of a kind (`background`) and their standard deviation above it.
    It is the question's own, for all cosines of one question are as high or low together as those of another: with e5
    the means of two questions differ by more than its best passage is above its mean. Where there is no background it
    is the mean cosine of such records to atoms of other documents (`floors`, by kind). `top` is the mean cosine of an
    atom to its own chunk; with the floors it says how long the scale is. The floor of tags is the mean cosine of two
    of them. (A BM25 score is divided by that of a text of mean length that has every term of the query once, see
    `pipelines.retrieve.layers`.)
    """

    floors: Mapping[str, float]
    top: float = 1.0
    background: Mapping[str, Vectors] = field(default_factory=dict, compare=False)

    def scaled(self, kind: RecordKind, cosines: Weights, question: Vectors) -> Weights:
        """Return cosines of records of `kind` to a question's vector on the scale; never below 0."""
        floor = self.floors.get(kind.value, 0.0)
        chance = floor
        if kind.value in self.background:
            by_chance = self.background[kind.value] @ question
            chance = float(by_chance.mean() + by_chance.std())
        found: Weights = np.maximum(0, (cosines - np.float32(chance)) / np.float32(max(self.top - floor, _LEAST_RANGE)))
        return found

    def likeness(self, kind: RecordKind, cosine: float) -> float:
        """Return how alike a word and a record of `kind` are: 0 as two by chance, 1 as a word to itself."""
        floor = self.floors.get(kind.value, 0.0)
        return (cosine - floor) / max(1.0 - floor, _LEAST_RANGE)


@dataclass(frozen=True, slots=True)
class _Told:
    """What the file holds that is no array."""

    version: int
    state: str
    floors: dict[str, float]
    top: float
    background: tuple[str, ...]


def measure_scale(vectors: VectorStore, documents: list[str]) -> Scale:
    """Return the scale of a knowledge base from `SCALE_SAMPLE` of its documents, evenly taken from those given."""
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
    """The mean cosine of one tag to another, none for fewer than two."""
    batches = chain.from_iterable(batch.vectors for batch in vectors.records((RecordKind.TAG,)))
    found = list(islice(batches, _TAG_SAMPLE))
    if len(found) < 2:
        return {}
    cosines = np.stack(found) @ np.stack(found).T
    return {RecordKind.TAG.value: float(cosines[~np.eye(len(found), dtype=bool)].mean())}


class _VectorSample:
    """Vectors with the document and the chunk of each."""

    def __init__(self) -> None:
        self.owners: list[str] = []
        self.chunks: list[str] = []
        self.vectors: list[Vectors] = []

    def add(self, owner: str, chunk: str, vector: Vectors) -> None:
        self.owners.append(owner)
        self.chunks.append(chunk)
        self.vectors.append(vector)

    def some(self, limit: int) -> Vectors:
        """Return at most `limit` of the vectors, evenly taken from all."""
        chosen = np.linspace(0, len(self.vectors) - 1, min(limit, len(self.vectors))).astype(int)
        return np.stack([self.vectors[place] for place in chosen])

    def sums(self) -> dict[str, _Sum]:
        """Return the sum of the vectors of each document."""
        found: dict[str, _Sum] = {}
        for owner, vector in zip(self.owners, self.vectors, strict=True):
            before = found.get(owner) or _Sum(0, np.zeros(len(vector)))
            found[owner] = _Sum(before.count + 1, before.total + vector)
        return found


@dataclass(frozen=True, slots=True)
class _Sum:
    """How many vectors there were, and their sum with all its digits."""

    count: int
    total: NDArray[np.float64]


def _mean_foreign_cosine(atoms: _VectorSample, others: _VectorSample) -> float:
    """The mean cosine of atoms to the records of other documents.

    The sum of all products is the product of the sums: pairs by the million need not be compared one by one.
    """
    of_atoms, of_others = atoms.sums(), others.sums()
    both = [(of_atoms[owner], of_others[owner]) for owner in of_atoms if owner in of_others]
    pairs = len(atoms.vectors) * len(others.vectors) - sum(one.count * two.count for one, two in both)
    if not pairs:
        return 0.0
    whole = [np.sum([one.total for one in sums.values()], axis=0) for sums in (of_atoms, of_others)]
    return float(whole[0] @ whole[1] - sum(one.total @ two.total for one, two in both)) / pairs


def _mean_own_cosine(atoms: _VectorSample, chunks: _VectorSample, floor: float) -> float:
    """The mean cosine of atoms to the chunks that they were taken from."""
    by_id = dict(zip(chunks.chunks, chunks.vectors, strict=True))
    own = [
        float(vector @ by_id[chunk])
        for chunk, vector in zip(atoms.chunks, atoms.vectors, strict=True)
        if chunk in by_id
    ]
    return max(float(np.mean(own)), floor + _LEAST_RANGE) if own else 1.0


def graph_state(owners: Mapping[str, str], embedder: EmbedderInfo) -> str:
    """Return a digest of a graph's content (`GraphStore.owners`) and of the embedder of its vectors."""
    parts = [part for pair in sorted(owners.items()) for part in pair]
    return content_id("index", VERSION, embedder.name, embedder.model, embedder.dimension, *parts)


def save_index(folder: Path, state: str, index: Index, scale: Scale) -> None:
    """Write the index into `folder`; where that cannot be written, it is read from the graph again next time."""
    told = codec.pack(_Told(VERSION, state, dict(scale.floors), scale.top, tuple(scale.background)))
    arrays = {_TOLD: np.frombuffer(told, dtype=np.uint8)}
    arrays |= {name: array for part in fields(Index) for name, array in _arrays(part.name, getattr(index, part.name))}
    arrays |= {f"{_BACKGROUND}.{kind}": sample.astype(np.float16) for kind, sample in scale.background.items()}
    with contextlib.suppress(OSError):
        private_folder(folder)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as handle:
            write_arrays(handle, arrays)
        os.replace(handle.name, folder / FILE)
        (folder / "atlas.npz").unlink(missing_ok=True)  # what versions before 4 called it; it holds text of documents


def is_kept(folder: Path, state: str) -> bool:
    """Whether an index of this state of the graph lies in `folder`; it is not read."""
    found = _mapped(folder)
    return found is not None and found[0].state == state


def load_index(folder: Path, state: str) -> tuple[Index, Scale] | None:
    """Return what `save_index` wrote, None where it is of another state of the graph, damaged or not there."""
    found = _mapped(folder)
    if found is None or found[0].state != state:
        return None
    told, index, arrays = found
    background = {kind: arrays[f"{_BACKGROUND}.{kind}"].astype(np.float32) for kind in told.background}
    return index, Scale(told.floors, told.top, background)


def load_earlier(folder: Path) -> Index | None:
    """Return the index of whatever state of the graph `save_index` wrote, for the next to be made of."""
    found = _mapped(folder)
    return found and found[1]


def _mapped(folder: Path) -> tuple[_Told, Index, Arrays] | None:
    """What lies in `folder`, None where it is of another version, damaged or not there."""
    try:
        arrays = map_arrays(folder / FILE)
        told = codec.unpack(arrays[_TOLD].tobytes(), _Told)
        return (told, _index(arrays), arrays) if told.version == VERSION else None
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
