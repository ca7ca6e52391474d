"""Strata's flows: `flows.ingest.ingest` is the build as a Prefect flow, `flows.cli` the command line."""

from pipelines.core.quiet import keep_quiet

keep_quiet()
__all__: list[str] = []
