"""Access control: the role of the caller of a request, the folders that they may see, and keys.

The guard sets the caller of each request from its key; routes and tools read it from a context variable. A missing
caller is an error, and never means full access.
"""

from __future__ import annotations

import hmac
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from pipelines.core.errors import SettingsError, StrataError
from pipelines.core.ids import uri_of

SHORTEST_KEY = 16
"""Minimum length of a key: 16 hexadecimal digits are 64 bits, too many to guess online (NIST SP 800-63B, 5.1.1)."""
COOKIE = "strata_session"


class Role(StrEnum):
    READ = "read"
    """Can read and ask."""
    ADMIN = "admin"
    """Can also change knowledge bases."""


class NotAllowed(StrataError):
    """The caller lacks the permission for a request."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Folders, as URIs without slashes at the ends, whose documents are visible."""

    folders: tuple[str, ...]

    def holds(self, uri: str) -> bool:
        """Whether a document is below one of the folders."""
        return uri.startswith(tuple(f"{folder}/" for folder in self.folders))

    def within(self, folders: tuple[str, ...]) -> tuple[str, ...]:
        """Return the visible parts of these folders; all visible folders if none are given."""
        wanted = [folder.strip("/") for folder in folders]
        if not wanted:
            return self.folders
        inner = [one for one in wanted if one and (one in self.folders or self.holds(one))]
        outer = [one for one in self.folders if any(not other or one.startswith(f"{other}/") for other in wanted)]
        return tuple(dict.fromkeys((*inner, *outer)))


@dataclass(frozen=True, slots=True)
class Access:
    """The permissions of a caller. `name` is recorded with changes; without a `scope`, all documents are visible."""

    name: str = ""
    role: Role = Role.READ
    scope: Scope | None = None


_CURRENT: ContextVar[Access] = ContextVar("access")


def current() -> Access:
    """Return the caller. Raises `NotAllowed` if none was set."""
    try:
        return _CURRENT.get()
    except LookupError as error:
        raise NotAllowed("the request has no known caller") from error


def require_admin() -> Access:
    """Return the caller. Raises `NotAllowed` unless they are an admin."""
    access = current()
    if access.role is not Role.ADMIN:
        raise NotAllowed("this key is read-only", hint='a key with role = "admin" can change a knowledge base')
    return access


@contextmanager
def acting(access: Access) -> Iterator[None]:
    """Make `access` the caller in the block."""
    token = _CURRENT.set(access)
    try:
        yield
    finally:
        _CURRENT.reset(token)


@dataclass(frozen=True, slots=True, repr=False)
class Key:
    """A secret and its permissions; the representation does not show the secret."""

    secret: str
    access: Access

    def check(self) -> None:
        """Raise `SettingsError` for a secret that is too short or cannot be sent, and for an admin with folders."""
        if len(self.secret) < SHORTEST_KEY or not self.secret.isascii() or not self.secret.isprintable():
            raise SettingsError(
                f"the key called {self.access.name!r} must have {SHORTEST_KEY} printable ASCII characters or more",
                hint="`openssl rand -hex 16` prints a good one",
            )
        if self.access.role is Role.ADMIN and self.access.scope is not None:
            raise SettingsError(
                f"the key {self.access.name} is an admin's and has folders", hint="admins see everything"
            )


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    key: str
    role: str = Role.READ.value
    folders: list[str] | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    keys: list[_Line]


def read_keys(path: Path | None) -> tuple[Key, ...]:
    """Return the keys in a file: `[[keys]]` of a `.toml`, else the first line as a key that can read everything.

    Returns no keys without a path. Raises `SettingsError` if the file cannot be read or is invalid.
    """
    if path is None:
        return ()
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SettingsError(f"the key file {path} cannot be read: {reason}") from error
    found = _keys_of(text) if path.suffix == ".toml" else _first_line(text)
    if not found:
        raise SettingsError("the key file is empty", hint="its first line is the key")
    return found


def _first_line(text: str) -> tuple[Key, ...]:
    line = text.strip().splitlines()[0].strip() if text.strip() else ""
    return (Key(line, Access("key")),) if line else ()


def _keys_of(text: str) -> tuple[Key, ...]:
    try:
        lines = _File.model_validate(tomllib.loads(text)).keys
        return tuple(Key(one.key, Access(one.name, Role(one.role), _scope(one.folders))) for one in lines)
    except ValidationError as error:  # its message would contain the keys
        details = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise SettingsError(f"the key file is invalid: {details}") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"the key file is not valid TOML: {error}") from error
    except ValueError as error:
        raise SettingsError(f"the key file is invalid: {error}", hint="role is read or admin") from error


def _scope(folders: list[str] | None) -> Scope | None:
    """Return the scope of these folders; an empty list makes nothing visible."""
    if folders is None:
        return None
    plain = [uri_of(folder.strip("/")) for folder in folders]
    if not all(plain) or any(part in (".", "..") for one in plain for part in one.split("/")):
        raise SettingsError("a folder of a key is not a path below the documents' folder", ids=tuple(folders))
    return Scope(tuple(plain))


class KeyRing:
    """Checks keys. After login a browser sends a session cookie instead, which is valid for this server only."""

    def __init__(self, keys: Sequence[Key]) -> None:
        self._keys = tuple(keys)
        self._secret = token_bytes(32)

    @property
    def needed(self) -> bool:
        return bool(self._keys)

    def of(self, given: str) -> Key | None:
        """Return the key with this secret, by comparisons in constant time."""
        sent = given.encode("utf-8", "surrogateescape")
        found = [key for key in self._keys if hmac.compare_digest(sent, key.secret.encode())]
        return found[0] if found else None

    def session(self, key: Key) -> str:
        """Return the session cookie for a key."""
        return hmac.new(self._secret, key.secret.encode(), sha256).hexdigest()

    def access(self, headers: Headers) -> Access | None:
        """Return the permissions of a request by `Authorization: Bearer KEY`, `X-API-Key: KEY` or cookie, or None.

        A server without keys is accessible from this machine only, and its user is an admin.
        """
        if not self.needed:
            return Access("local", Role.ADMIN)
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        given = bearer.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        key = self.of(given) if given else self._of_session(cookie_parser(headers.get("cookie", "")).get(COOKIE, ""))
        return key.access if key else None

    def _of_session(self, cookie: str) -> Key | None:
        sent = cookie.encode("utf-8", "surrogateescape")
        found = [key for key in self._keys if hmac.compare_digest(sent, self.session(key).encode())]
        return found[0] if found else None
