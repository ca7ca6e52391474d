"""A document to chunks: slices of its text, cut inside its sections (PIKE-RAG 5.2.1, figure 5).

`section_groups` joins small sections, `segments` takes a group apart into sentences and rows (cutting what is too
large with `base_split`), and `section_chunker` joins segments to chunks that end where a splitter says: the one of
`splitter` without a model, or that of `model_splitter`. `chunk` is the stage itself.
"""
