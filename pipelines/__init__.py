"""Strata's pipelines: build a three-layer knowledge graph with vectors from documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.core.libraries import disable_telemetry

if TYPE_CHECKING:
    from pipelines.ingest.build import build
    from pipelines.ingest.report import Report
    from pipelines.settings import Settings

__all__ = ["Report", "Settings", "build"]

disable_telemetry()
_HOMES = {"build": "pipelines.ingest.build", "Report": "pipelines.ingest.report", "Settings": "pipelines.settings"}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that parsing a file does not load the stores."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
