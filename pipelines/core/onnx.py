"""Models that run in one thread: files are read side by side, a worker for each core."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

THREADS = 1
"""Threads of a model. More wait for one another in a loop: on 122 pages of reports the layout model took 21.0 processor
seconds with a thread for each of two cores, 12.5 with one; `benchmarks/parse_cost.py` tells the whole."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Have the models that a library opens here run in one thread, where the library has no option for it."""
    import onnxruntime  # type: ignore[import-untyped]

    usual = onnxruntime.SessionOptions

    def options() -> Any:
        made = usual()
        made.intra_op_num_threads = made.inter_op_num_threads = THREADS
        return made

    onnxruntime.SessionOptions = options
    try:
        yield
    finally:
        onnxruntime.SessionOptions = usual


def session(model: str | bytes) -> Any:
    """Return a model, of a file at a path or of its bytes, that runs in one thread and keeps its memory.

    For one whose inputs have few sizes.
    """
    with one_thread():
        from onnxruntime import InferenceSession, SessionOptions

        return InferenceSession(model, sess_options=SessionOptions(), providers=["CPUExecutionProvider"])
