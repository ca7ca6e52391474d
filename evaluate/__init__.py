"""Evaluation of retrieval and answers on knowledge bases built by the ordinary ingest."""

from pipelines.core.libraries import disable_telemetry

__all__: list[str] = []

disable_telemetry()
