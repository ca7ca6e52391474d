"""Evaluation of retrieval and answers over knowledge bases that the ordinary ingest builds."""

from pipelines.core.libraries import disable_telemetry

__all__: list[str] = []

disable_telemetry()
