"""The index and its similarity scale in a file, so that opening a knowledge base need not read the graph again."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import chain, islice
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from pipelines.core import codec
from pipelines.core.file_access import private_folder
from pipelines.core.ids import content_id
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import EmbedderInfo
from pipelines.retrieve.index import Index, SparseRows, Weights
from pipelines.store.vector import RecordKind, VectorStore

VERSION = 9
"""Raised when the same graph gives another index, or the file another form."""
FILE = "index.npz"
_METADATA = "metadata"
_STATE = "state"
"""The entry of the file that tells of which state of the graph it is."""
SCALE_SAMPLE = 64
"""Documents from which the scale is measured: means of some hundred vectors, read in well under a second."""
_TAG_SAMPLE = 256
"""Tags whose cosines to one another are taken for those of words that have nothing to do with each other."""
_LEAST_RANGE = 0.05
"""The least difference of two cosines that is taken for more than noise."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale for cosines: `floors`, by kind of record, become 0, and `top` becomes 1.

    Both are measured on the knowledge base: the floor of a kind is the mean cosine of its records to atoms of other
    documents, the top that of an atom to its own chunk; the floor of tags is the mean cosine of two of them. (A BM25
    score is divided by that of a text of mean length that has every term of the query once, see
    `pipelines.retrieve.layers`.)
    """

    floors: Mapping[str, float]
    top: float = 1.0

    def scaled(self, kind: RecordKind, cosines: Weights) -> Weights:
        """Return cosines of records of `kind` on the scale; never below 0."""
        floor = self.floors.get(kind.value, 0.0)
        found: Weights = np.maximum(0, (cosines - floor) / max(self.top - floor, _LEAST_RANGE))
        return found

    def likeness(self, kind: RecordKind, cosine: float) -> float:
        """Return how alike a word and a record of `kind` are: 0 as two by chance, 1 as a word to itself."""
        floor = self.floors.get(kind.value, 0.0)
        return (cosine - floor) / max(1.0 - floor, _LEAST_RANGE)


@dataclass(frozen=True, slots=True)
class _Metadata:
    """The fields of an index that are not arrays."""

    texts: dict[str, tuple[str, ...]]
    maps: dict[str, dict[str, tuple[int, ...]]]
    vocabulary: tuple[str, ...]
    has_summaries: bool
    scale: Scale


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
    return Scale(floors, _mean_own_cosine(atoms, chunks, floors[RecordKind.CHUNK.value]))


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
    texts = {name: tuple(getattr(index, name)) for name in _TEXTS}
    maps = {name: dict(getattr(index, name)) for name in _MAPS}
    metadata = codec.pack(_Metadata(texts, maps, tuple(index.vocabulary), index.has_summaries, scale))
    arrays = {name: array for field in _ARRAYS for name, array in _arrays(field, getattr(index, field))}
    with contextlib.suppress(OSError):
        private_folder(folder)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as handle:
            told = {_STATE: state.encode(), _METADATA: metadata}
            np.savez(handle, **arrays, **{name: np.frombuffer(data, dtype=np.uint8) for name, data in told.items()})  # type: ignore[arg-type]
        os.replace(handle.name, folder / FILE)
        (folder / "atlas.npz").unlink(missing_ok=True)  # what versions before 4 called it; it holds text of documents


def is_kept(folder: Path, state: str) -> bool:
    """Whether an index of this state of the graph lies in `folder`; it is not read."""
    try:
        with (folder / FILE).open("rb") as handle, np.load(handle) as file:
            return bool(file[_STATE].tobytes() == state.encode())
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return False


def load_index(folder: Path, state: str) -> tuple[Index, Scale] | None:
    """Return what `save_index` wrote, None where it is of another state of the graph, damaged or not there."""
    try:
        with (folder / FILE).open("rb") as handle, np.load(handle) as file:
            if file[_STATE].tobytes() != state.encode():
                return None
            kept = codec.unpack(file[_METADATA].tobytes(), _Metadata)
            parts = {field: _joined(field, file) for field in _ARRAYS}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, codec.DecodeError):
        return None
    vocabulary = {term: number for number, term in enumerate(kept.vocabulary)}
    rest = {"vocabulary": vocabulary, "has_summaries": kept.has_summaries}
    return Index(**parts, **kept.texts, **kept.maps, **rest), kept.scale  # type: ignore[arg-type]


def _arrays(field: str, value: SparseRows | NDArray[np.generic]) -> list[tuple[str, NDArray[np.generic]]]:
    if isinstance(value, SparseRows):
        return [(f"{field}.{part.name}", getattr(value, part.name)) for part in fields(SparseRows)]
    return [(field, value)]


def _joined(field: str, file: Mapping[str, NDArray[np.generic]]) -> SparseRows | NDArray[np.generic]:
    if field in file:
        return file[field]
    return SparseRows(*(file[f"{field}.{part.name}"] for part in fields(SparseRows)))  # type: ignore[arg-type]


_MAPS = ("entities_by_name", "documents_by_title")
_TEXTS = ("chunks", "documents", "uris", "titles", "media_types", "dates", "entities", "entity_names", "tag_ids",
          "tag_names", "tag_aliases", "languages")  # fmt: skip
_ARRAYS = tuple(
    field.name for field in fields(Index) if field.name not in (*_MAPS, *_TEXTS, "vocabulary", "has_summaries")
)
