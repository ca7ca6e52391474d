"""Prefect flows and the command line: `flows.ingest.ingest` is the build as a flow, `flows.cli` the command line."""

from pipelines.core.libraries import disable_telemetry

disable_telemetry()
__all__: list[str] = []
