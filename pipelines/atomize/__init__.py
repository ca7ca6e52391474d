"""Chunks to distilled knowledge: tags, atoms, entities, relations, rows (PIKE-RAG 5.1.2, 5.2.2, 5.3.1)."""
