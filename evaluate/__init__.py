"""Evaluation: question files, metrics, tables, tuning and comparison; knowledge bases are built by the ordinary ingest."""

__all__: list[str] = []
