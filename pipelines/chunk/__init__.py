"""Chunking: a document is split into slices of its text within its sections, and summarized (PIKE-RAG 5.2.1).

`section_groups` joins small sections, `segments` splits a group into sentences and rows (and those that are too large
with `base_split`), and `chunk`, the stage itself, joins segments to chunks in reading order. A splitter decides where a
chunk ends: `splitter` without a model, `model_splitter` with one.
"""
