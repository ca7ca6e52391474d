"""Strata's flows: `flows.ingest.ingest` is the build as a Prefect flow, `flows.cli` the command line."""

from pipelines.core.libraries import disable_telemetry

disable_telemetry()
__all__: list[str] = []
