"""Where the Prefect server is on which a run can be seen, found without importing Prefect, which takes a second."""

from __future__ import annotations

import contextlib
import os
import tomllib
import urllib.error
import urllib.request
from pathlib import Path

from pipelines.core.errors import SettingsError, StrataError

_SECONDS = 5.0
# What Prefect reads in the folder that one is in, wherever that is, and what in it is Prefect's.
_READ = {".env": b"PREFECT_", "prefect.toml": b"", "pyproject.toml": b"tool.prefect"}


class ServerFailed(StrataError):
    """The Prefect server that is named does not answer, or went away; `strata ingest --no-flow` does without."""

    retryable = True


def server_address() -> str:
    """Return the address of the API of the server that runs are seen on, empty for none.

    That is the one that `PREFECT_API_URL` or the profile in use names, else one that answers where Prefect's own
    server stands unless it is told otherwise. Raises `ServerFailed` where one is named and does not answer.
    """
    if not (named := named_address()):
        return own_address() if is_prefect(own_address()) else ""
    try:
        _ask(named)
    except (urllib.error.URLError, OSError, ValueError) as error:
        reason = str(getattr(error, "reason", error))
        raise ServerFailed(
            f"the Prefect server at {named} does not answer: {reason}",
            hint="`make up` starts one; `--no-flow` ingests without",
        ) from error
    return named


def named_address() -> str:
    """Return the address of the API that the environment or the profile in use names, empty for none."""
    return (os.environ.get("PREFECT_API_URL") or _of_profile()).rstrip("/")


def own_address() -> str:
    """Return the address of the API of a server that was started with nothing said."""
    host = os.environ.get("PREFECT_SERVER_API_HOST") or "127.0.0.1"
    return f"http://{host}:{os.environ.get('PREFECT_SERVER_API_PORT') or 4200}/api"


def answers(api: str) -> bool:
    """Whether a server answers at the address of an API, whatever it says."""
    try:
        _ask(api)
    except (urllib.error.URLError, OSError, ValueError):
        return False
    return True


def is_prefect(api: str) -> bool:
    """Whether a Prefect server answers at this address."""
    try:
        return _read(api + "/health") == b"true"
    except (urllib.error.URLError, OSError, ValueError):
        return False


def _ask(api: str) -> None:
    with contextlib.suppress(urllib.error.HTTPError):  # it wants a key that Prefect's client has
        _read(api + "/health")


def _read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=_SECONDS) as reply:  # noqa: S310 - the user's own, or loopback
        return bytes(reply.read(100)).strip()


def _of_profile() -> str:
    """What the profile in use says, as `prefect profile use` keeps it."""
    home = Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser()
    path = Path(os.environ.get("PREFECT_PROFILES_PATH") or home / "profiles.toml")
    try:
        told = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    name = os.environ.get("PREFECT_PROFILE") or told.get("active", "")
    return str(told.get("profiles", {}).get(name, {}).get("PREFECT_API_URL", ""))


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
