"""Resolves a folder or a location to the folder that a run reads; `open_source` selects the source of a location."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pipelines.core.errors import FolderNotFound, SourceError
from pipelines.ingest.report import Progress
from pipelines.ingest.sources.mirror import Origin, update_copies
from pipelines.ingest.sources.source import DocumentSource, is_location, without_secrets
from pipelines.sections import IngestSettings
from pipelines.store.folder import KnowledgeBaseFolder


def local_folder(place: Path | str) -> Path | None:
    """Return the path of a local folder, or None for a location that must be fetched.

    Raises `FolderNotFound`, and `SourceError` for a file.
    """
    if isinstance(place, str) and is_location(place) and not Path(place).exists():
        if not place.lower().startswith("file:"):
            return None
        place = unquote(urlsplit(place).path)
    if Path(place).is_file():
        hint = "name the folder that it is in; `strata parse` reads a single file"
        raise SourceError(f"{place} is a file, not a folder", ids=(str(place),), hint=hint)
    if not Path(place).is_dir():
        raise FolderNotFound(str(place))
    return Path(place)


def shown_place(place: Path | str) -> str:
    """Return a place for display: a folder as an absolute path, a location without secrets."""
    folder = local_folder(place)
    return without_secrets(str(place)) if folder is None else str(folder.resolve())


def fetched(place: Path | str, kb: KnowledgeBaseFolder, settings: IngestSettings, tell: Progress) -> Origin:
    """Return the folder that a run reads: the place itself, or an updated local copy of it.

    Raises `FolderNotFound`, and the errors of `update_copies`.
    """
    folder = local_folder(place)
    if folder is not None:
        return Origin(folder, str(folder))
    location = str(place)
    with open_source(location, settings) as source:
        return update_copies(source, location, kb.sources, settings, tell)


def drop_copies(kb: KnowledgeBaseFolder, origin: Origin) -> None:
    """Remove the copies of a location if the run reads a different folder."""
    if not origin.folder.resolve().is_relative_to(kb.sources.resolve()):
        shutil.rmtree(kb.sources, ignore_errors=True)


@contextmanager
def open_source(location: str, settings: IngestSettings) -> Iterator[DocumentSource]:
    """Yield the source of a location. Raises `SourceError`, `SettingsError`, `MissingExtra`."""
    with closing(_opened(location, settings)) as source:
        yield source


def _opened(location: str, settings: IngestSettings) -> DocumentSource:
    scheme, _, rest = location.partition(":")
    if location.startswith("git+"):
        from pipelines.ingest.sources.git import GitSource

        return GitSource(location)
    if scheme in ("http", "https"):
        from pipelines.ingest.sources.site import SiteSource

        return SiteSource(location, settings)
    if scheme in ("maildir", "mbox"):
        from pipelines.ingest.sources.mailbox import MaildirSource, MboxSource

        return (MaildirSource if scheme == "maildir" else MboxSource)(Path(rest.removeprefix("//")).expanduser())
    if scheme in ("imap", "imaps"):
        from pipelines.ingest.sources.mailbox import ImapSource

        return ImapSource(location)
    if "://" not in location:
        raise SourceError(f"no such kind of place: {scheme}", ids=(location,))
    from pipelines.ingest.sources.fsspec_source import FsspecSource

    return FsspecSource(location)
