"""Strata's flows: `flows.ingest.ingest` is the build as a Prefect flow, `flows.cli` the command line."""

__all__: list[str] = []
