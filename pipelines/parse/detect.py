"""What a file is: its media type by content, and a note where its name says something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pipelines.parse.magic import ENCRYPTED_OFFICE, OOXML_TYPES
from pipelines.parse.reader import FileFormat, FileSample
from pipelines.parse.registry import built_in_formats, own_formats
from pipelines.parse.settings import ParseSettings

TEXT = "text/plain"
UNKNOWN = "application/octet-stream"
_UNTELLING = frozenset(["", ".txt", ".text", ".dat", ".tmp", ".json", ".jsonl", ".ndjson", ".html", ".htm", ".xml"])
"""Suffixes of text that say nothing, or that the content would have borne out; a .py or .log file is never guessed."""


@dataclass(frozen=True, slots=True)
class Detected:
    """The media type of a file, `UNKNOWN` where nothing tells; `note` is a sentence where the name misleads."""

    media_type: str
    note: str = ""


def detect(path: Path, name: str = "", settings: ParseSettings | None = None) -> Detected:
    """Return what the file at `path` is; `name` is what it is called where the path does not say so.

    The formats of one's own readers (`settings.engines`, entry points) are asked before the built-in ones. An empty
    file is what its name promises, else plain text. Raises `OSError` where it cannot be read, `SettingsError` for a
    reader that cannot be loaded.
    """
    sample = FileSample(path, PurePosixPath(name or path.name).suffix.lower())
    own, built_in = own_formats(settings or ParseSettings()), built_in_formats()
    named = [one.media_type for one in (*own, *built_in) if sample.suffix in one.suffixes]
    if not sample.head:
        return Detected(named[0] if named else TEXT)
    media_type = _recognised(sample, own, named) or _recognised(sample, built_in, named) or _remaining(sample, built_in)
    promised = [one.media_type for one in (*own, *built_in) if one.promises(sample.suffix)]
    if not promised or media_type in promised:
        return Detected(media_type)
    return Detected(media_type, f"named {sample.suffix}, but its content is {media_type}")


def _recognised(sample: FileSample, formats: Sequence[FileFormat], named: Sequence[str]) -> str:
    """Return the first format that the content tells, else the first that the name tells, else nothing."""
    if sample.signature == ENCRYPTED_OFFICE and named and named[0] in OOXML_TYPES:
        return named[0]  # it cannot be looked into without its password: its name is believed, if it has one
    for tells in (FileFormat.recognises, FileFormat.named):
        found = next((one.media_type for one in formats if tells(one, sample)), "")
        if found:
            return found
    return ""


def _remaining(sample: FileSample, formats: Sequence[FileFormat]) -> str:
    """Return what no reader recognises: a binary format that nobody reads, or text that looks like something."""
    if not sample.is_text:
        return sample.signature or _rare(sample.head)
    if sample.suffix not in _UNTELLING:
        return TEXT
    return next((one.media_type for one in formats if one.guess is not None and one.guess(sample)), TEXT)


def _rare(head: bytes) -> str:
    """Binary, and none of those we read: puremagic has a name for most."""
    import puremagic

    try:
        return str(puremagic.from_string(head, mime=True)) or UNKNOWN
    except (puremagic.PureError, ValueError):
        return UNKNOWN
