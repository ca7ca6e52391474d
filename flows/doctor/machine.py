"""The machine: Python and its packages, room on the disk, LibreOffice, and whether libraries are kept quiet."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from flows.doctor.diagnosis import Diagnosis, Subject, bad, doubtful, good
from pipelines.core.libraries import TELEMETRY_OFF

DISTRIBUTION = "strata-kb"
OLDEST = (3, 11)
SCARCE, TOO_LITTLE = 2 << 30, 200 << 20
"""Bytes of free disk below which it is worth a word, and below which an ingest will hardly end."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_OFFICE = ("soffice", "libreoffice")


def packages(subject: Subject) -> Diagnosis:
    """Whether Python is new enough, and every package that Strata cannot do without is installed."""
    python = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST:
        return bad(f"Python {python}", "3.11 or newer is needed")
    try:
        wanted = [line for line in requires(DISTRIBUTION) or [] if "extra ==" not in line]
    except PackageNotFoundError:
        return doubtful(f"Python {python}; Strata itself is not installed as a package", "pip install strata-kb")
    missing = [name for line in wanted if (name := _name(line)) and not _installed(name)]
    if missing:
        return bad(f"not installed: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    return good(f"Python {python}, Strata {version(DISTRIBUTION)}, {len(wanted)} packages")


def disk(subject: Subject) -> Diagnosis:
    """Whether the folder of the knowledge base can be written, and how much room there is."""
    folder = _nearest(subject.kb)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        hint = "questions can be asked; to ingest choose another place with --kb"
        return (doubtful if subject.kb.is_dir() else bad)(f"{folder} cannot be written: {error.strerror}", hint)
    free = shutil.disk_usage(folder).free
    text = f"{free / (1 << 30):.1f} GiB free at {folder.resolve()}"
    if free < TOO_LITTLE:
        return bad(text, "make room, or choose another place with --kb")
    return doubtful(text, "an ingest of many documents may need more") if free < SCARCE else good(text)


def office(subject: Subject) -> Diagnosis:
    """Whether LibreOffice is there, by way of which DOC and PPT are read."""
    found = next(filter(None, map(shutil.which, _OFFICE)), None)
    if found is None:
        return doubtful("LibreOffice is not installed: DOC and PPT are left out", "install LibreOffice (soffice)")
    return good(found)


def telemetry(subject: Subject) -> Diagnosis:
    """Which of the switches are as Strata sets them; one that the user has set otherwise stays, and is named."""
    loud = [
        f"{name}={os.environ.get(name, '')}" for name, value in TELEMETRY_OFF.items() if os.environ.get(name) != value
    ]
    if loud:
        return doubtful(f"on by the environment: {', '.join(loud)}", "unset them, and nothing is told to anybody")
    return good(f"off for all libraries that have any ({len(TELEMETRY_OFF)} switches)")


def _name(requirement: str) -> str:
    match = _NAME.match(requirement)
    return match.group() if match else ""


def _installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


def _nearest(path: Path) -> Path:
    """The path itself, or the folder above it that is there."""
    return next(one for one in (path, *path.absolute().parents) if one.is_dir())
