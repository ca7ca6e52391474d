"""Arrays in one file that is mapped: opening it reads a list of what is there, and nothing grows with the arrays.

The file is NumPy's `.npz`, a ZIP archive that nothing is compressed in, so that every tool can read and check it. Each
array begins at a multiple of `_ALIGNED` bytes, by a field of padding as `zipalign` writes it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from struct import pack, unpack_from
from typing import IO, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

_ALIGNED = 64
"""Bytes of a line of a processor's cache, and those of which the header of NumPy's `.npy` has a multiple."""
_LOCAL_HEADER = 30
"""Bytes of the fixed part of what stands before each file of a ZIP archive (APPNOTE 4.3.7)."""
_NAME_LENGTH = 26
"""Where in that part the lengths of the name and of the extra field are."""
_LONGEST_HEADER = 1024
"""Bytes in which the header of a `.npy` file ends: it names a type, and a shape of two numbers at most."""
_PADDING = 0xD935
"""The extra field by which `zipalign` pads."""

UNREADABLE = (OSError, ValueError, KeyError, EOFError, BadZipFile)
"""What reading a file raises that is damaged, or something else."""
Arrays = Mapping[str, NDArray[Any]]


def write_arrays(handle: IO[bytes], arrays: Arrays) -> None:
    """Write arrays by name to an empty file."""
    with ZipFile(handle, "w") as archive:
        for name, array in arrays.items():
            told = ZipInfo(f"{name}.npy")
            told.file_size = array.nbytes + _LONGEST_HEADER  # by which the archive sees whether it needs long numbers
            before = handle.tell() + _LOCAL_HEADER + len(told.filename) + 4
            told.extra = pack("<HH", _PADDING, -before % _ALIGNED) + bytes(-before % _ALIGNED)
            with archive.open(told, "w") as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)  # type: ignore[no-untyped-call]


def map_arrays(path: Path) -> Arrays:
    """Return the arrays of a file by name, each read where it is looked at. Raises `UNREADABLE`."""
    # Windows lets nobody replace a file that is mapped.
    data = np.fromfile(path, dtype=np.uint8) if sys.platform == "win32" else np.memmap(path, np.uint8, mode="r")
    whole = data.data
    with ZipFile(path) as archive:
        return {told.filename.removesuffix(".npy"): _array(whole, told) for told in archive.infolist()}


def _array(whole: memoryview, told: ZipInfo) -> NDArray[Any]:
    name, extra = unpack_from("<HH", whole, told.header_offset + _NAME_LENGTH)
    start = told.header_offset + _LOCAL_HEADER + name + extra
    entry = whole[start : start + told.file_size]
    header = BytesIO(entry[:_LONGEST_HEADER])
    np.lib.format.read_magic(header)  # type: ignore[no-untyped-call]
    shape, _, dtype = np.lib.format.read_array_header_1_0(header)  # type: ignore[no-untyped-call]
    return np.frombuffer(entry, dtype, math.prod(shape), header.tell()).reshape(shape)
