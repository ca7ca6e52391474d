"""Evaluation: question files, metrics, tables, tuning and comparison, over knowledge bases that `strata ingest` builds."""

__all__: list[str] = []
