"""From a folder to a knowledge base: what `build` calls plainly and the Prefect flow wraps."""
