"""Errors of the library, raised as errors of the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pipelines.core.errors import StoreUnavailable

REBUILD = "`strata fsck --repair` rebuilds the vectors"
_LONGEST_ERROR = 300
"""Maximum characters of an error of the library in a message."""

T = TypeVar("T")


def guarded(call: Callable[[], T]) -> T:
    """Return the result of a call of the library; errors of the store are raised as `StoreUnavailable`."""
    import pyarrow as pa

    try:
        return call()
    except (OSError, RuntimeError, ValueError, KeyError, pa.ArrowException) as error:
        raise _unavailable(error) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # raised by its Rust code for a damaged file
            raise _unavailable(error) from error
        raise


def _unavailable(error: BaseException) -> StoreUnavailable:
    text = " ".join(str(error).split())
    if "No space left" in text:
        return StoreUnavailable("the vectors cannot be written: no space is left on the disk")
    return StoreUnavailable(f"the vectors cannot be used: {text[:_LONGEST_ERROR]}", hint=REBUILD)
