"""Tests that telemetry of libraries is disabled by importing any entry point."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from pipelines.core.libraries import TELEMETRY_OFF

ENTRY_POINTS = (
    "pipelines",
    "qa",
    "evaluate",
    "flows",
    "flows.cli.app",
    "flows.ingest_flow",
    "pipelines.core.work.fork_server",
)


def set_after(statement: str, **environment: str) -> dict[str, str]:
    """The variables of `TELEMETRY_OFF` in a new interpreter after `statement`."""
    bare = {name: value for name, value in os.environ.items() if name not in TELEMETRY_OFF}
    told = f"{{n: os.environ.get(n, '') for n in {list(TELEMETRY_OFF)!r}}}"
    script = f"{statement}\nimport json, os; print(json.dumps({told}))"
    done = subprocess.run(
        [sys.executable, "-c", script], env=bare | environment, capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("module", ENTRY_POINTS)
def test_importing_any_entry_point_disables_telemetry(module: str) -> None:
    assert set_after(f"import {module}") == dict(TELEMETRY_OFF)


def test_a_telemetry_variable_set_by_the_user_is_kept() -> None:
    assert set_after("import pipelines", ORT_DISABLE_TELEMETRY="0")["ORT_DISABLE_TELEMETRY"] == "0"


def test_telemetry_is_disabled_before_libraries_that_read_it_are_loaded() -> None:
    libraries = ("onnxruntime", "prefect", "unstructured", "huggingface_hub", "paddlex")
    script = f"import pipelines.core.libraries, sys; assert not set({libraries}) & sys.modules.keys()"
    assert set_after(script) == dict(TELEMETRY_OFF)
