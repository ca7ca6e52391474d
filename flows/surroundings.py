"""Settings of Prefect in a folder that may be somebody else's."""

from __future__ import annotations

from pathlib import Path

from pipelines.core.errors import SettingsError

# What Prefect reads in the folder that one is in, wherever that is, and what in it is Prefect's.
_READ = {".env": b"PREFECT_", "prefect.toml": b"", "pyproject.toml": b"tool.prefect"}


def refuse_settings_in(*strangers: Path) -> None:
    """Raise `SettingsError` where one is in one of these folders and Prefect would take settings from there.

    They can name a server of its own, a database, a file of loggers to load. Those of any other folder, of the
    environment and of a profile are the user's.
    """
    here = Path.cwd()
    if not any(here.is_relative_to(folder.resolve()) for folder in strangers):
        return
    for name, words in _READ.items():
        path = here / name
        if path.is_file() and words.lower() in path.read_bytes().lower():
            hint = "go to another folder and name these by their path, or add --no-flow"
            raise SettingsError(f"Prefect would take settings from {path}", ids=(str(path),), hint=hint)
