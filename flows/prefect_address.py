"""The address of the Prefect server, found without importing Prefect, which takes a second."""

from __future__ import annotations

import contextlib
import os
import tomllib
import urllib.error
import urllib.request
from pathlib import Path

from pipelines.core.errors import SettingsError, StrataError

_SECONDS = 5.0
# Files that Prefect reads in the current folder, and text that marks settings of Prefect in them.
_READ = {".env": b"PREFECT_", "prefect.toml": b"", "pyproject.toml": b"tool.prefect"}


class ServerFailed(StrataError):
    """The configured Prefect server does not answer or was lost; `strata ingest --no-flow` works without it."""

    retryable = True


def server_address() -> str:
    """Return the API address of the Prefect server, empty for none.

    It is the server that `PREFECT_API_URL` or the active profile names, else one that answers at the default address.
    Raises `ServerFailed` if a named server does not answer.
    """
    if not (named := named_address()):
        return own_address() if is_prefect(own_address()) else ""
    try:
        _ask(named)
    except (urllib.error.URLError, OSError, ValueError) as error:
        reason = str(getattr(error, "reason", error))
        raise ServerFailed(
            f"the Prefect server at {named} does not answer: {reason}",
            hint="`make up` starts one; `--no-flow` ingests without it",
        ) from error
    return named


def named_address() -> str:
    """Return the API address that the environment or the active profile names, empty for none."""
    return (os.environ.get("PREFECT_API_URL") or _of_profile()).rstrip("/")


def own_address() -> str:
    """Return the default API address of a server."""
    host = os.environ.get("PREFECT_SERVER_API_HOST") or "127.0.0.1"
    return f"http://{host}:{os.environ.get('PREFECT_SERVER_API_PORT') or 4200}/api"


def answers(api: str) -> bool:
    """Whether a server answers at an API address, with any reply."""
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
    with contextlib.suppress(urllib.error.HTTPError):  # it requires a key that Prefect's client has
        _read(api + "/health")


def _read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=_SECONDS) as reply:  # noqa: S310 - the user's own, or loopback
        return bytes(reply.read(100)).strip()


def _of_profile() -> str:
    """Return the API address in the active profile, as stored by `prefect profile use`."""
    home = Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser()
    path = Path(os.environ.get("PREFECT_PROFILES_PATH") or home / "profiles.toml")
    try:
        told = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    name = os.environ.get("PREFECT_PROFILE") or told.get("active", "")
    return str(told.get("profiles", {}).get(name, {}).get("PREFECT_API_URL", ""))


def refuse_settings_in(*untrusted: Path) -> None:
    """Raise `SettingsError` if the current folder is in one of these, and Prefect would read settings from it.

    Such settings can name a server, a database, or a logging configuration to load. Settings in other folders, in the
    environment and in a profile are the user's.
    """
    here = Path.cwd()
    if not any(here.is_relative_to(folder.resolve()) for folder in untrusted):
        return
    for name, words in _READ.items():
        path = here / name
        if path.is_file() and words.lower() in path.read_bytes().lower():
            hint = "change to another folder, or add --no-flow"
            raise SettingsError(f"Prefect would read settings from {path}", ids=(str(path),), hint=hint)
