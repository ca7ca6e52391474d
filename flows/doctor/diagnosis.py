"""What a check found, and the limit of time within which it has to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pipelines.core.errors import StrataError
from qa.settings import QaSettings


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
