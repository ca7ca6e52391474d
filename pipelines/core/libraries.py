"""Libraries kept quiet and small: their telemetry switched off, their models in one thread.

The telemetry is switched off by variables of the environment before any of them is imported.
Every package of Strata calls `disable_telemetry` when it is imported, so it holds on every way in: command line,
Python, parse workers, Prefect's flow and its server. A value that the user has set stays.

Others that could be looked for here send nothing unless a program sets it up: OpenTelemetry (with prefect and fastapi)
has no exporter but for a run of `strata ingest --otel`, LangSmith (with langchain-text-splitters) is asked for by its
own variables; LanceDB, RapidOCR, fastembed, Typer and Rich have no such thing. WordLlama and RapidOCR are given the
models of their wheels, so fetch none. Neo4j's driver is told in its adapter.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

TELEMETRY_OFF = MappingProxyType(
    {
        # What several libraries honour; of ours Prefect's client (Amplitude), unstructured and huggingface_hub.
        "DO_NOT_TRACK": "1",
        # onnxruntime 1.31 looks up its maker's host of events at the first session, and leaves a device id below the
        # home folder; read when it is loaded, so that its own `disable_telemetry_events` comes too late.
        "ORT_DISABLE_TELEMETRY": "1",
        # Prefect's server sends a heartbeat, and tells its clients whether they may.
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        # Spans of runs, to Prefect Cloud where PREFECT_API_URL names that.
        "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
        # unstructured fetches a picture from Scarf when it is imported.
        "SCARF_NO_ANALYTICS": "1",
        # huggingface_hub (with tokenizers and fastembed) names versions and libraries in its requests.
        "HF_HUB_DISABLE_TELEMETRY": "1",
        # PaddleX asks each host of its models whether it is there.
        "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True",
    }
)


def disable_telemetry() -> None:
    """Set those variables that are not set."""
    for name, value in TELEMETRY_OFF.items():
        if not os.environ.get(name):
            os.environ[name] = value


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
