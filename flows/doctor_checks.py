"""Health checks of the environment: packages, disk, LibreOffice, telemetry, Neo4j, Prefect; and the types of checks."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

from flows.prefect_address import ServerFailed, server_address
from pipelines.core.errors import StoreError, StrataError
from pipelines.core.libraries import TELEMETRY_OFF
from qa.settings import QaSettings

DISTRIBUTION = "strata-kb"
OLDEST = (3, 11)
SCARCE, TOO_LITTLE = 2 << 30, 200 << 20
"""Bytes of free disk space below which a check warns, and below which it fails."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_OFFICE = ("soffice", "libreoffice")
OLDEST_NEO4J = 5
_VERSION = "CALL dbms.components() YIELD name, versions, edition RETURN name, versions[0] AS version, edition"


class Grade(StrEnum):
    OK = "ok"
    WARNING = "warning"
    """Something is unavailable, or will soon be; the rest works."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The outcome of a check: `text` describes the state, `hint` what to do about it."""

    grade: Grade
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a check with its name."""

    name: str
    grade: Grade
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of the checks: a knowledge base, which may not exist yet, and the settings in force."""

    kb: Path
    settings: QaSettings


@dataclass(frozen=True, slots=True)
class Check:
    """A check. `find` may take this number of `seconds`; an exception counts as failed."""

    name: str
    find: Callable[[Subject], Diagnosis]
    seconds: float = 30.0


def good(text: str, hint: str = "") -> Diagnosis:
    return Diagnosis(Grade.OK, text, hint)


def doubtful(text: str, hint: str = "") -> Diagnosis:
    return Diagnosis(Grade.WARNING, text, hint)


def bad(text: str, hint: str = "") -> Diagnosis:
    return Diagnosis(Grade.FAILED, text, hint)


def result_of(check: Check, subject: Subject) -> Result:
    """Run a check; a time-out or an error is a failed result, and nothing is raised.

    A check that times out is left running in a daemon thread.
    """
    found: list[Diagnosis] = []
    thread = threading.Thread(target=lambda: found.append(_found(check, subject)), name=check.name, daemon=True)
    thread.start()
    thread.join(check.seconds)
    one = found[0] if found else bad(f"no result within {check.seconds:.0f} s")
    return Result(check.name, one.grade, one.text, one.hint)


def _found(check: Check, subject: Subject) -> Diagnosis:
    try:
        return check.find(subject)
    except StrataError as error:
        return bad(error.message, error.hint)
    except Exception as error:  # any error of a library is the result of its check
        return bad(f"{type(error).__name__}: {error}")


def packages(subject: Subject) -> Diagnosis:
    """Check the version of Python and that all required packages are installed."""
    python = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST:
        return bad(f"Python {python}", "3.11 or newer is required")
    try:
        wanted = [line for line in requires(DISTRIBUTION) or [] if "extra ==" not in line]
    except PackageNotFoundError:
        return doubtful(f"Python {python}; Strata itself is not installed as a package", "pip install strata-kb")
    missing = [name for line in wanted if (name := _name(line)) and not _installed(name)]
    if missing:
        return bad(f"not installed: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    return good(f"Python {python}, Strata {version(DISTRIBUTION)}, {len(wanted)} packages")


def disk(subject: Subject) -> Diagnosis:
    """Check that the folder of the knowledge base is writable, and its free space."""
    folder = _nearest(subject.kb)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        hint = "asking works; to ingest, choose another folder with --kb"
        return (doubtful if subject.kb.is_dir() else bad)(f"{folder} cannot be written: {error.strerror}", hint)
    free = shutil.disk_usage(folder).free
    text = f"{free / (1 << 30):.1f} GiB free at {folder.resolve()}"
    if free < TOO_LITTLE:
        return bad(text, "free some space, or choose another folder with --kb")
    return doubtful(text, "an ingest of many documents may need more") if free < SCARCE else good(text)


def office(subject: Subject) -> Diagnosis:
    """Check for LibreOffice, which converts old and rare formats."""
    found = next(filter(None, map(shutil.which, _OFFICE)), None)
    if found is None:
        return doubtful(
            "LibreOffice is not installed: DOC, PPT, Visio and others are not read", "install LibreOffice (soffice)"
        )
    return good(found)


def unpackers(subject: Subject) -> Diagnosis:
    """Check for the programs that unpack or convert files for which there is no library."""
    from pipelines.parse.pdf.converted import DDJVU, GHOSTSCRIPT
    from pipelines.parse.web.unpackers import BSDTAR, MDB_TABLES, READPST, SEVEN_ZIP

    wanted = {
        "bsdtar for RAR, CAB and ISO": BSDTAR,
        "7-Zip for CHM": SEVEN_ZIP,
        "readpst for Outlook's PST": READPST,
        "mdbtools for Access": MDB_TABLES,
        "Ghostscript for PostScript": GHOSTSCRIPT,
        "DjVuLibre for DjVu": DDJVU,
    }
    missing = [use for use, commands in wanted.items() if not any(map(shutil.which, commands))]
    if missing:
        return doubtful(f"not installed: {', '.join(missing)}", "install them, or unpack or convert such files")
    return good(", ".join(wanted))


def telemetry(subject: Subject) -> Diagnosis:
    """Check that the telemetry switches have Strata's values; those that the user has changed are listed."""
    loud = [
        f"{name}={os.environ.get(name, '')}" for name, value in TELEMETRY_OFF.items() if os.environ.get(name) != value
    ]
    if loud:
        return doubtful(f"enabled by the environment: {', '.join(loud)}", "unset these variables to disable it")
    return good(f"off for all libraries ({len(TELEMETRY_OFF)} switches)")


def _name(requirement: str) -> str:
    match = _NAME.match(requirement)
    return match.group() if match else ""


def _installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


def _nearest(path: Path) -> Path:
    """Return the path itself, or its nearest existing parent folder."""
    return next(one for one in (path, *path.absolute().parents) if one.is_dir())


def neo4j(subject: Subject) -> Diagnosis:
    """Check that the configured Neo4j answers, and its version; nothing is written."""
    from pipelines.store.neo4j.connection import Connection, Neo4jAddress

    store = subject.settings.store
    if not store.neo4j_uri:
        return good("none is configured: the graph is in the knowledge base", "`make neo4j` starts one")
    password = store.neo4j_password.get_secret_value()
    connection = Connection(Neo4jAddress(store.neo4j_uri, store.neo4j_user, password, store.neo4j_database), 0.0)
    try:
        told = list(connection.read(_VERSION))
    except StoreError as error:
        return bad(f"{store.neo4j_uri}: {error.message}", error.hint)
    finally:
        connection.close()
    if not told:
        return bad(f"{store.neo4j_uri} does not report its version")
    release, edition = str(told[0]["version"]), str(told[0]["edition"])
    text = f"{store.neo4j_uri}, {told[0]['name']} {release} {edition}, database {store.neo4j_database}"
    number = release.partition(".")[0]
    if number.isdigit() and int(number) < OLDEST_NEO4J:
        return doubtful(text, f"Strata is tested with Neo4j {OLDEST_NEO4J} and newer")
    return good(text)


def prefect(subject: Subject) -> Diagnosis:
    """Check that the configured Prefect server answers, or else one at the default address."""
    if find_spec("prefect") is None:
        return doubtful("Prefect is not installed", "ingests run without a flow page")
    try:
        address = server_address()
    except ServerFailed as error:
        return bad(error.message, error.hint)
    if not address:
        return good("no server runs: ingests run without it", "`make up` or `prefect server start` starts one")
    return good(f"{address} answers: it shows ingests")
