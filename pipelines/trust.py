"""Permissions of a knowledge base, which may come from a stranger: they have no effect until the user confirms them.

Permissions are required for values of its own strata.toml that affect more than the knowledge base (declared by the
settings sections, see `pipelines.core.settings_section.Sensitive`), and for links out of its folder. Confirmations are
stored outside the knowledge base, by its resolved path, as digests: after any change they must be repeated.
"""

from __future__ import annotations

import json
import os
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from pipelines.core import codec
from pipelines.core.errors import SettingsError
from pipelines.core.file_access import private_folder
from pipelines.core.ids import digest
from pipelines.core.settings_section import Sensitive, is_loopback, sensitive_fields
from pipelines.store.folder import KnowledgeBaseFolder

_LINKS_OUT = "leads out of the knowledge base, and what is there would be read and written"
ANSWERING = "qa."
"""The prefix of the settings that only question answering reads."""
_SUBFOLDERS = ("vectors", "artifacts", "prompts", "sources")
"""Folders of a knowledge base whose entries are checked for links too."""


@dataclass(frozen=True, slots=True)
class Permission:
    """A permission that a knowledge base asks for: the value of a setting, or the target of a link.

    `value` is for display, `mark` the exact value, and `does` describes the effect. A `harmless` one needs no
    confirmation in the present situation.
    """

    name: str
    value: str
    does: str
    mark: str
    harmless: bool = False


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The confirmations of a knowledge base: the digests of its settings and links, empty if there are none.

    The settings of question answering have a separate digest, because an ingest does not read them.
    """

    settings: str = ""
    links: str = ""
    answering: str = ""


def permissions_of(
    model: type[BaseModel], own: Mapping[str, Any], values: Mapping[str, Any], origins: Mapping[str, str], place: str
) -> tuple[Permission, ...]:
    """Return the permissions for `own`, the settings of the file `place`.

    `values` and `origins` are those of the effective settings: a setting that another source overrides is harmless.
    """
    found: list[Permission] = []
    for path, field in sensitive_fields(model):
        for leaf, value in _leaves(path, value_in(own, path)):
            if field.concerns(value):
                in_force = origins.get(leaf) == place
                harmless = not in_force or _stays_here(path, field, values, origins, place)
                secret = bool(field.address)
                found.append(
                    Permission(leaf, "********" if secret else repr(value), field.does, _mark(value), harmless)
                )
    return tuple(found)


def links_of(kb: Path) -> tuple[Permission, ...]:
    """Return the links in the folder of a knowledge base that lead out of it."""
    root = Path(os.path.realpath(kb))
    found = []
    for folder in (root, *(root / name for name in _SUBFOLDERS)):
        for entry in _listed(folder):
            target = os.path.realpath(entry.path)
            if entry.is_symlink() and not Path(target).is_relative_to(root):
                name = f"link {Path(entry.path).relative_to(root).as_posix()}"
                found.append(Permission(name, repr(target), _LINKS_OUT, target))
    return tuple(sorted(found, key=lambda permission: permission.name))


def digest_of(permissions: Iterable[Permission]) -> str:
    """Return the digest of these permissions, empty if there are none."""
    pairs = [[permission.name, permission.mark] for permission in permissions]
    return digest(json.dumps(sorted(pairs)).encode()) if pairs else ""


def refuse_settings(kb: Path, permissions: tuple[Permission, ...]) -> None:
    """Raise `SettingsError` for the first setting that is not harmless, unless these settings are confirmed."""
    (ingesting, answering), file = _by_user(permissions), KnowledgeBaseFolder(kb).settings
    _refuse(kb, ingesting, lambda confirmed: confirmed.settings, file)
    _refuse(kb, answering, lambda confirmed: confirmed.answering, file)


def refuse_links(kb: Path) -> None:
    """Raise `SettingsError` for the first link that leads out of a knowledge base, unless its links are confirmed."""
    _refuse(kb, links_of(kb), lambda confirmed: confirmed.links, kb)


def confirm(kb: Path, settings: Iterable[Permission], links: Iterable[Permission]) -> None:
    """Store that the user has confirmed these permissions of a knowledge base."""
    ingesting, answering = _by_user(settings)
    _keep({**confirmed(), _key(kb): Confirmed(digest_of(ingesting), digest_of(links), digest_of(answering))})


def withdraw(kb: Path) -> bool:
    """Delete the confirmations of a knowledge base; return whether there were any."""
    known = confirmed()
    gone = known.pop(_key(kb), None)
    _keep(known)
    return gone is not None


def confirmed() -> dict[str, Confirmed]:
    """Return all confirmations by the path of the knowledge base. Raises `SettingsError` if the file is damaged."""
    path = record_path()
    try:
        return codec.decode(path.read_bytes(), dict[str, Confirmed])
    except FileNotFoundError:
        return {}
    except (OSError, codec.DecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}", hint="remove it, and confirm again") from error


def record_path() -> Path:
    """Return the file of the confirmations, below XDG_CONFIG_HOME or ~/.config."""
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(home) / "strata" / "trusted.json"


def value_in(tree: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path of nested mappings, or None if there is none."""
    value: Any = tree
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _by_user(settings: Iterable[Permission]) -> tuple[tuple[Permission, ...], tuple[Permission, ...]]:
    """Split settings into those that an ingest reads, and those of question answering."""
    every = tuple(settings)
    answering = tuple(permission for permission in every if permission.name.startswith(ANSWERING))
    return tuple(permission for permission in every if permission not in answering), answering


def _refuse(kb: Path, permissions: tuple[Permission, ...], kept: Callable[[Confirmed], str], place: Path) -> None:
    asking = [permission for permission in permissions if not permission.harmless]
    if not asking or kept(confirmed().get(_key(kb), Confirmed())) == digest_of(permissions):
        return
    first, others = asking[0], len(asking) - 1
    more = f", and {others} more" if others else ""
    raise SettingsError(
        f"{first.name} = {first.value} in {place} {first.does}{more}",
        ids=tuple(permission.name for permission in asking),
        hint=f"`strata config trust {shlex.quote(str(kb))}` shows and allows what it wants",
    )


def _stays_here(path: str, field: Sensitive, values: Mapping[str, Any], origins: Mapping[str, str], place: str) -> bool:
    """Return whether no data leaves this machine: a loopback address that gets no key from outside the file."""
    if field.address:  # a secret is harmless if its address is in the file too, which then requires a permission
        return origins.get(f"{path.rpartition('.')[0]}.{field.address}") == place
    if not field.secrets or not is_loopback(str(value_in(values, path))):
        return False
    lent = any(value_in(values, secret) and origins[secret] != place for secret in field.secrets)
    return not lent and not any(os.environ.get(variable) for variable in field.variables)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a value with its path, or each value of a mapping."""
    if isinstance(value, Mapping):
        yield from ((f"{path}.{name}", inner) for name, inner in value.items())
    elif value is not None:
        yield path, value


def _mark(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise SettingsError(f"{folder} cannot be read: {error.strerror}") from error


def _key(kb: Path) -> str:
    return os.fsencode(os.path.realpath(kb)).decode("utf-8", "backslashreplace")


def _keep(known: Mapping[str, Confirmed]) -> None:
    path = record_path()
    try:
        handle, temporary = tempfile.mkstemp(dir=private_folder(path.parent))  # readable by the owner only
        with os.fdopen(handle, "wb") as file:
            file.write(codec.encode(known) + b"\n")
        os.replace(temporary, path)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}") from error
