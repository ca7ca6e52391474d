"""An atlas and its scale as a file, so that opening a knowledge base need not read the whole graph again."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from pipelines.core import codec
from pipelines.core.file_access import private_folder
from pipelines.core.ids import content_id
from pipelines.llm.embedder import EmbedderInfo
from pipelines.retrieve.index import Atlas, Rows
from pipelines.retrieve.scale import Scale

VERSION = 3
"""Raised when the same graph gives another atlas."""
_FILE = "atlas.npz"
_NAMES = "names"


@dataclass(frozen=True, slots=True)
class _Names:
    """All of an atlas that is no array, with the state of the graph that it was read from."""

    state: str
    texts: dict[str, tuple[str, ...]]
    maps: dict[str, dict[str, tuple[int, ...]]]
    vocabulary: tuple[str, ...]
    summarized: bool
    scale: Scale


def state_of(owners: Mapping[str, str], embedder: EmbedderInfo) -> str:
    """Return what stands for a graph's content and the embedder of its vectors."""
    told = [part for pair in sorted(owners.items()) for part in pair]
    return content_id("atlas", VERSION, embedder.name, embedder.model, embedder.dimension, *told)


def save(folder: Path, state: str, atlas: Atlas, scale: Scale) -> None:
    """Keep an atlas in `folder`; where that cannot be written it is not kept, and read from the graph next time."""
    texts = {name: tuple(getattr(atlas, name)) for name in _TEXTS}
    maps = {name: dict(getattr(atlas, name)) for name in _MAPS}
    names = codec.pack(_Names(state, texts, maps, tuple(atlas.vocabulary), atlas.summarized, scale))
    arrays = {name: array for field in _ARRAYS for name, array in _arrays(field, getattr(atlas, field))}
    with contextlib.suppress(OSError):
        private_folder(folder)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as handle:
            np.savez(handle, **arrays, **{_NAMES: np.frombuffer(names, dtype=np.uint8)})  # type: ignore[arg-type]
        os.replace(handle.name, folder / _FILE)


def load(folder: Path, state: str) -> tuple[Atlas, Scale] | None:
    """Return what was kept in `folder`, None where it is of another state of the graph, damaged or not there."""
    try:
        with (folder / _FILE).open("rb") as handle, np.load(handle) as file:
            names = codec.unpack(file[_NAMES].tobytes(), _Names)
            if names.state != state:
                return None
            parts = {field: _joined(field, file) for field in _ARRAYS}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, codec.DecodeError):
        return None
    vocabulary = {term: number for number, term in enumerate(names.vocabulary)}
    return Atlas(**parts, **names.texts, **names.maps, vocabulary=vocabulary, summarized=names.summarized), names.scale  # type: ignore[arg-type]


def _arrays(field: str, value: Rows | NDArray[np.generic]) -> list[tuple[str, NDArray[np.generic]]]:
    if isinstance(value, Rows):
        return [(f"{field}.{part.name}", getattr(value, part.name)) for part in fields(Rows)]
    return [(field, value)]


def _joined(field: str, file: Mapping[str, NDArray[np.generic]]) -> Rows | NDArray[np.generic]:
    if field in file:
        return file[field]
    return Rows(*(file[f"{field}.{part.name}"] for part in fields(Rows)))  # type: ignore[arg-type]


_MAPS = ("named", "titles")
_TEXTS = ("chunks", "documents", "uris", "titles_of", "media_types", "dates", "entities", "entity_names", "tag_ids",
          "tag_names", "tag_aliases")  # fmt: skip
_ARRAYS = tuple(
    field.name for field in fields(Atlas) if field.name not in (*_MAPS, *_TEXTS, "vocabulary", "summarized")
)
