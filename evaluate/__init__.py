"""Evaluation of retrieval and answers over knowledge bases that the ordinary ingest builds."""

__all__: list[str] = []
