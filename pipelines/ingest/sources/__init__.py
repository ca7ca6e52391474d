"""Where documents come from beside a folder: a file for each kind of place, and the copy that an ingest reads."""
