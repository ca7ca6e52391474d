"""Builds a knowledge base from a folder: called directly by `build`, and as tasks by the Prefect flow."""
