"""What a knowledge base may do beyond its own folder only once its user has confirmed it: it may come from a stranger.

Two things are asked about: values of its own strata.toml that reach beyond it (declared by the sections, see
`pipelines.core.settings_section.Sensitive`), and links in its folder that lead out of it. What was confirmed is kept
outside the knowledge base, under its resolved path, as a digest: any change asks again.
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
"""How the paths of settings begin that only answering reads."""
_DEEP = ("vectors", "artifacts", "prompts", "sources")
"""Folders of a knowledge base whose entries are looked at too."""


@dataclass(frozen=True, slots=True)
class Permission:
    """One thing that a knowledge base asks for: the value of a setting, or where a link leads; `does` is what it does.

    `value` is fit to be shown. `harmless` says that it needs no confirming as things are.
    """

    name: str
    value: str
    does: str
    mark: str
    harmless: bool = False


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What was confirmed of a knowledge base: the digests of its settings and of its links, empty for none.

    The settings of answering have a digest of their own, for an ingest does not read them.
    """

    settings: str = ""
    links: str = ""
    answering: str = ""


def permissions_of(
    model: type[BaseModel], own: Mapping[str, Any], values: Mapping[str, Any], origins: Mapping[str, str], place: str
) -> tuple[Permission, ...]:
    """Return what the settings `own` of the file `place` want; `values` are in force, from where `origins` say."""
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
    for folder in (root, *(root / name for name in _DEEP)):
        for entry in _listed(folder):
            target = os.path.realpath(entry.path)
            if entry.is_symlink() and not Path(target).is_relative_to(root):
                name = f"link {Path(entry.path).relative_to(root).as_posix()}"
                found.append(Permission(name, repr(target), _LINKS_OUT, target))
    return tuple(sorted(found, key=lambda permission: permission.name))


def digest_of(permissions: Iterable[Permission]) -> str:
    """Return what stands for these permissions, empty for none."""
    told = [[permission.name, permission.mark] for permission in permissions]
    return digest(json.dumps(sorted(told)).encode()) if told else ""


def refuse_settings(kb: Path, permissions: tuple[Permission, ...]) -> None:
    """Raise `SettingsError` for the first of the settings that is not harmless, unless they are confirmed."""
    (ingesting, answering), file = _parted(permissions), KnowledgeBaseFolder(kb).settings
    _refuse(kb, ingesting, lambda confirmed: confirmed.settings, file)
    _refuse(kb, answering, lambda confirmed: confirmed.answering, file)


def refuse_links(kb: Path) -> None:
    """Raise `SettingsError` for the first link that leads out of a knowledge base, unless its links are confirmed."""
    _refuse(kb, links_of(kb), lambda confirmed: confirmed.links, kb)


def confirm(kb: Path, settings: Iterable[Permission], links: Iterable[Permission]) -> None:
    """Remember that the owner has seen what this knowledge base wants, and allows it."""
    ingesting, answering = _parted(settings)
    _keep({**confirmed(), _key(kb): Confirmed(digest_of(ingesting), digest_of(links), digest_of(answering))})


def withdraw(kb: Path) -> bool:
    """Forget what was confirmed of a knowledge base; return whether there was anything."""
    known = confirmed()
    gone = known.pop(_key(kb), None)
    _keep(known)
    return gone is not None


def confirmed() -> dict[str, Confirmed]:
    """Return what was confirmed, by path of the knowledge base. Raises `SettingsError` for a file that is broken."""
    path = record_path()
    try:
        return codec.decode(path.read_bytes(), dict[str, Confirmed])
    except FileNotFoundError:
        return {}
    except (OSError, codec.DecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}", hint="remove it to confirm anew") from error


def record_path() -> Path:
    """Return the file that confirmations are kept in: below XDG_CONFIG_HOME, or ~/.config."""
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(home) / "strata" / "trusted.json"


def value_in(tree: Mapping[str, Any], path: str) -> Any:
    """Return what stands at a path of nested mappings, None where nothing does."""
    value: Any = tree
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _parted(settings: Iterable[Permission]) -> tuple[tuple[Permission, ...], tuple[Permission, ...]]:
    """The settings that an ingest reads, and those of answering."""
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
    """Whether nothing of the user's leaves this machine: an address on it, and no key that is not the file's own."""
    if field.address:  # a secret is harmless where the address that it goes to is the file's own, which is asked about
        return origins.get(f"{path.rpartition('.')[0]}.{field.address}") == place
    if not field.secrets or not is_loopback(str(value_in(values, path))):
        return False
    lent = any(value_in(values, secret) and origins[secret] != place for secret in field.secrets)
    return not lent and not any(os.environ.get(variable) for variable in field.variables)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A value, or those of a mapping each by itself."""
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
        handle, temporary = tempfile.mkstemp(dir=private_folder(path.parent))  # for its owner alone
        with os.fdopen(handle, "wb") as file:
            file.write(codec.encode(known) + b"\n")
        os.replace(temporary, path)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}") from error
