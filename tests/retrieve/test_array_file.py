from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipelines.retrieve.array_file import UNREADABLE, map_arrays, write_arrays

ARRAYS = {
    "numbers": np.arange(7, dtype=np.int32),
    "none": np.zeros(0, dtype=np.int64),
    "rows": np.arange(12, dtype=np.float16).reshape(4, 3),
    "a name of another length": np.array([True, False]),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with (tmp_path / "index.npz").open("wb") as handle:
        write_arrays(handle, ARRAYS)
    return tmp_path / "index.npz"


def test_mapped_arrays_have_the_written_types_and_shapes(path: Path) -> None:
    found = map_arrays(path)
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tolist() == array.tolist()


def test_mapped_arrays_are_aligned_and_read_only(path: Path) -> None:
    for array in map_arrays(path).values():
        assert array.ctypes.data % 64 == 0
        assert not array.flags.writeable


def test_numpy_can_load_the_file(path: Path) -> None:
    with np.load(path) as file:
        assert {name: file[name].tolist() for name in file} == {name: one.tolist() for name, one in ARRAYS.items()}


def test_mapped_arrays_are_unchanged_when_the_file_is_replaced(path: Path) -> None:
    found = map_arrays(path)
    with (path.parent / "next").open("wb") as handle:
        write_arrays(handle, {"numbers": np.zeros(7, dtype=np.int32)})
    (path.parent / "next").replace(path)
    assert found["numbers"].tolist() == ARRAYS["numbers"].tolist()
    assert not map_arrays(path)["numbers"].any()


@pytest.mark.parametrize("kept", [0, 1, 200, -40])
def test_a_truncated_file_is_unreadable(path: Path, kept: int) -> None:
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(UNREADABLE):
        map_arrays(path)
