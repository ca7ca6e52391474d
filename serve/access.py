"""The caller of a request: a role, and the folders whose documents are all that they see.

The guard sets it for each request from its key; routes and tools read it from there. To read it where none is set is
an error, and never means full access.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from pipelines.core.errors import StrataError


class Role(StrEnum):
    READ = "read"
    """Looks and asks."""
    ADMIN = "admin"
    """Also changes what is in a knowledge base."""


class NotAllowed(StrataError):
    """What only an admin may do."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Folders, as URIs without a slash at their ends: documents below them exist, and no others."""

    folders: tuple[str, ...]

    def holds(self, uri: str) -> bool:
        """Whether a document is below one of the folders."""
        return uri.startswith(tuple(f"{folder}/" for folder in self.folders))

    def within(self, folders: tuple[str, ...]) -> tuple[str, ...]:
        """Return the parts of these folders that exist; of none given, all that exist."""
        wanted = [folder.strip("/") for folder in folders]
        if not wanted:
            return self.folders
        inner = [one for one in wanted if one and (one in self.folders or self.holds(one))]
        outer = [one for one in self.folders if any(not other or one.startswith(f"{other}/") for other in wanted)]
        return tuple(dict.fromkeys((*inner, *outer)))


@dataclass(frozen=True, slots=True)
class Access:
    """What a caller may do. `name` is for the log of changes; no `scope` means all documents."""

    name: str = ""
    role: Role = Role.READ
    scope: Scope | None = None


_CURRENT: ContextVar[Access] = ContextVar("access")


def current() -> Access:
    """Return the caller. Raises `NotAllowed` where none was set."""
    try:
        return _CURRENT.get()
    except LookupError as error:
        raise NotAllowed("the request has no known caller") from error


def require_admin() -> Access:
    """Return the caller. Raises `NotAllowed` for anybody but an admin."""
    access = current()
    if access.role is not Role.ADMIN:
        raise NotAllowed("this key may look and ask, and change nothing", hint='a key with role = "admin" may')
    return access


@contextmanager
def acting(access: Access) -> Iterator[None]:
    """Make `access` the caller of everything inside."""
    token = _CURRENT.set(access)
    try:
        yield
    finally:
        _CURRENT.reset(token)
