"""Sources of documents other than a folder, one module for each kind, and the local copy that an ingest reads."""
