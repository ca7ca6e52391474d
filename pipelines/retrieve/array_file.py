"""Arrays in one memory-mapped file: opening it reads only the list of arrays, whatever their size.

The file has NumPy's format `.npz`, a ZIP archive without compression, so that common tools can read and check it. Each
array is aligned to a multiple of `_ALIGNED` bytes with a padding field, as in `zipalign`.
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
"""Alignment in bytes: a processor's cache line, and the unit of the header size of NumPy's `.npy`."""
_LOCAL_HEADER = 30
"""Size of the fixed part of a ZIP local file header in bytes (APPNOTE 4.3.7)."""
_NAME_LENGTH = 26
"""Offset in that header of the lengths of the name and the extra field."""
_LONGEST_HEADER = 1024
"""Maximum size of a `.npy` header in bytes: it contains a type and a shape of at most two numbers."""
_PADDING = 0xD935
"""Id of the extra field that `zipalign` uses for padding."""

UNREADABLE = (OSError, ValueError, KeyError, EOFError, BadZipFile)
"""Exceptions raised on reading a file that is damaged or has another format."""
Arrays = Mapping[str, NDArray[Any]]


def write_arrays(handle: IO[bytes], arrays: Arrays) -> None:
    """Write named arrays to an empty file."""
    with ZipFile(handle, "w") as archive:
        for name, array in arrays.items():
            info = ZipInfo(f"{name}.npy")
            info.file_size = array.nbytes + _LONGEST_HEADER  # decides whether the archive uses 64-bit sizes
            before = handle.tell() + _LOCAL_HEADER + len(info.filename) + 4
            info.extra = pack("<HH", _PADDING, -before % _ALIGNED) + bytes(-before % _ALIGNED)
            with archive.open(info, "w") as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)  # type: ignore[no-untyped-call]


def map_arrays(path: Path) -> Arrays:
    """Return the arrays of a file by name; their pages are read on access. Raises `UNREADABLE`."""
    # Windows does not allow replacing a mapped file.
    data = np.fromfile(path, dtype=np.uint8) if sys.platform == "win32" else np.memmap(path, np.uint8, mode="r")
    whole = data.data
    with ZipFile(path) as archive:
        return {info.filename.removesuffix(".npy"): _array(whole, info) for info in archive.infolist()}


def _array(whole: memoryview, info: ZipInfo) -> NDArray[Any]:
    name, extra = unpack_from("<HH", whole, info.header_offset + _NAME_LENGTH)
    start = info.header_offset + _LOCAL_HEADER + name + extra
    entry = whole[start : start + info.file_size]
    header = BytesIO(entry[:_LONGEST_HEADER])
    np.lib.format.read_magic(header)  # type: ignore[no-untyped-call]
    shape, _, dtype = np.lib.format.read_array_header_1_0(header)  # type: ignore[no-untyped-call]
    return np.frombuffer(entry, dtype, math.prod(shape), header.tell()).reshape(shape)
