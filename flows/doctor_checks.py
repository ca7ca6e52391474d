"""The machine and the servers: Python and its packages, disk, LibreOffice, telemetry; Neo4j and Prefect where named."""

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
"""Bytes of free disk below which it is worth a word, and below which an ingest will hardly end."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_OFFICE = ("soffice", "libreoffice")
OLDEST_NEO4J = 5
_VERSION = "CALL dbms.components() YIELD name, versions, edition RETURN name, versions[0] AS version, edition"


class Grade(StrEnum):
    OK = "ok"
    WARNING = "warning"
    """Something is left out, or will soon be; the rest works."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How one thing is: `text` says what was found, `hint` what to do about it."""

    grade: Grade
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A finding under the name of what was looked at."""

    name: str
    grade: Grade
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is looked at: a knowledge base, which may not be there yet, and the settings in force."""

    kb: Path
    settings: QaSettings


@dataclass(frozen=True, slots=True)
class Check:
    """A thing to look at. `find` may take so many `seconds`; what it raises is what is wrong."""

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
    """Return what a check finds; out of time or with an error it has failed, and nothing is raised.

    A check that is out of time is left behind in a thread that ends with the process.
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
    except Exception as error:  # whatever a library raises is what is wrong with it
        return bad(f"{type(error).__name__}: {error}")


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


def neo4j(subject: Subject) -> Diagnosis:
    """Whether the Neo4j of the settings answers, and which it is; nothing is written there."""
    from pipelines.store.neo4j.connection import Connection, Neo4jAddress

    store = subject.settings.store
    if not store.neo4j_uri:
        return good("none is configured: the graph lies in the knowledge base", "`make neo4j` starts one")
    password = store.neo4j_password.get_secret_value()
    connection = Connection(Neo4jAddress(store.neo4j_uri, store.neo4j_user, password, store.neo4j_database), 0.0)
    try:
        told = list(connection.read(_VERSION))
    except StoreError as error:
        return bad(f"{store.neo4j_uri}: {error.message}", error.hint)
    finally:
        connection.close()
    if not told:
        return bad(f"{store.neo4j_uri} does not say what it is")
    release, edition = str(told[0]["version"]), str(told[0]["edition"])
    text = f"{store.neo4j_uri}, {told[0]['name']} {release} {edition}, database {store.neo4j_database}"
    number = release.partition(".")[0]
    if number.isdigit() and int(number) < OLDEST_NEO4J:
        return doubtful(text, f"Strata is tested with Neo4j {OLDEST_NEO4J} and newer")
    return good(text)


def prefect(subject: Subject) -> Diagnosis:
    """Whether the Prefect server that is named answers, or one that was started with nothing said."""
    if find_spec("prefect") is None:
        return doubtful("Prefect is not installed", "an ingest is then seen on no page")
    try:
        address = server_address()
    except ServerFailed as error:
        return bad(error.message, error.hint)
    if not address:
        return good("no server runs: an ingest is seen on no page", "`make up` or `prefect server start` starts one")
    return good(f"{address} answers: ingests are seen there")
