"""A document to chunks: slices of its text, cut inside its sections, and summarized on the way (PIKE-RAG 5.2.1).

`section_groups` joins small sections, `segments` takes a group apart into sentences and rows (cutting what is too
large with `base_split`), and `chunk`, the stage itself, joins segments to chunks that end where a splitter says, in
reading order: the splitter of `splitter` without a model, or that of `model_splitter`.
"""
