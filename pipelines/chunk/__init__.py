"""A document to chunks: slices of its text, cut inside its sections (PIKE-RAG 5.2.1, figure 5)."""
