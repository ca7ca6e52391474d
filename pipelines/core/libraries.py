"""Process-wide configuration of libraries: telemetry off, one thread per model, no freed memory kept.

Telemetry is disabled by environment variables before any of the libraries is imported. Every package of Strata calls
`disable_telemetry` on import, so this applies to every entry point: command line, Python, parse workers, Prefect flows
and their server. Values that the user has set are kept.

Other libraries send nothing unless a program configures it: OpenTelemetry (with prefect and fastapi) has no exporter
except in `strata ingest --otel`, LangSmith (with langchain-text-splitters) is enabled by its own variables; LanceDB,
RapidOCR, fastembed, Typer and Rich have no telemetry. WordLlama and RapidOCR use the models of their wheels and
download none. The adapter of Neo4j's driver disables its telemetry.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any

TELEMETRY_OFF = MappingProxyType(
    {
        # A common convention; used by Prefect's client (Amplitude), unstructured and huggingface_hub.
        "DO_NOT_TRACK": "1",
        # onnxruntime 1.31 resolves Microsoft's telemetry host at the first session, and writes a device id below the
        # home folder; the variable is read on import, so its own `disable_telemetry_events` comes too late.
        "ORT_DISABLE_TELEMETRY": "1",
        # Prefect's server sends a heartbeat, and tells its clients whether they may send events.
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        # Spans of runs, sent to Prefect Cloud if PREFECT_API_URL points to it.
        "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
        # unstructured downloads a tracking image from Scarf on import.
        "SCARF_NO_ANALYTICS": "1",
        # huggingface_hub (with tokenizers and fastembed) sends versions of libraries with its requests.
        "HF_HUB_DISABLE_TELEMETRY": "1",
        # PaddleX checks the availability of each of its model hosts.
        "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True",
    }
)


def disable_telemetry() -> None:
    """Set the variables of `TELEMETRY_OFF` that are not set."""
    for name, value in TELEMETRY_OFF.items():
        if not os.environ.get(name):
            os.environ[name] = value


THREADS = 1
"""Threads of a model. More threads spend time in busy waiting: on 122 pages of reports the layout model took 21.0
processor seconds with one thread per core (two cores), and 12.5 with one thread in all (`benchmarks/parse_cost.py`)."""


def return_memory() -> None:
    """Return freed memory to the system, of which the C library of Linux keeps much.

    After linking and loading linux-doc, these are 120 of 1,070 MiB.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def one_thread() -> Iterator[None]:
    """Run the models that a library opens in the block in one thread, if the library has no option for it."""
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
    """Return an onnxruntime session, of a file's path or bytes, that runs in one thread and keeps its memory arena.

    Suitable for a model whose inputs have few different sizes.
    """
    with one_thread():
        from onnxruntime import InferenceSession, SessionOptions

        return InferenceSession(model, sess_options=SessionOptions(), providers=["CPUExecutionProvider"])
