"""The messages of a mailbox: on this machine (`maildir:PATH`, `mbox:FILE`) or by IMAP (`imaps://user@host/INBOX`).

The mailbox is not changed, and no message is marked as read.
"""

from __future__ import annotations

import imaplib
import ipaddress
import mailbox
import netrc
import os
import re
import ssl
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from pipelines.core.errors import FolderNotFound, SettingsError, SourceError, SourceUnreachable
from pipelines.core.ids import digest
from pipelines.ingest.sources.source import Listed, without_secrets

SECONDS = 60.0
PASSWORD = "IMAP_PASSWORD"  # noqa: S105 - the name of a variable
_AT_ONCE = 500
"""Messages whose sizes are requested by one command."""
_SIZE = re.compile(rb"UID (?P<uid>\d+)|RFC822\.SIZE (?P<size>\d+)")


class MaildirSource:
    """A Maildir and the folders inside it; messages never change, so the unique name of a message is its version."""

    at_once = 1

    def __init__(self, path: Path) -> None:
        if not (path / "cur").is_dir():
            raise FolderNotFound(f"{path}/cur")
        self._path = path
        self._places: dict[str, tuple[mailbox.Maildir, str]] = {}

    def list(self) -> Iterable[Listed]:
        self._places = {
            f"{folder}{key}.eml": (box, key) for folder, box in _folders(self._path) for key in sorted(box.iterkeys())
        }
        return [Listed(name, key) for name, (_, key) in self._places.items()]

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        box, key = self._places[name]
        try:
            into.write(box.get_bytes(key))
        except KeyError as error:
            raise FileNotFoundError(name) from error
        return key

    def close(self) -> None:
        """Do nothing: no file stays open."""


def _folders(path: Path) -> Iterator[tuple[str, mailbox.Maildir]]:
    """Yield the mailbox, and those inside it (Maildir++: ".Sent", ".Sent.2024"), each with a prefix for names."""
    box = mailbox.Maildir(path, create=False)
    yield "", box
    for name in sorted(box.list_folders()):
        yield f"{name.replace('.', '/')}/", mailbox.Maildir(path / f".{name}", create=False)


class MboxSource:
    """The messages of an mbox file, which have no names; the digest of a message is its name and version."""

    at_once = 1

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise SourceError(f"no such file: {path}", ids=(str(path),))
        self._box = mailbox.mbox(path, create=False)
        self._keys: dict[str, str] = {}

    def list(self) -> Iterable[Listed]:
        found = {}
        for key in self._box.iterkeys():
            data = self._box.get_bytes(key)
            name = f"{digest(data)[:32]}.eml"
            self._keys[name] = key
            found[name] = Listed(name, name, len(data))
        return found.values()

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        into.write(self._box.get_bytes(self._keys[name]))
        return name

    def close(self) -> None:
        self._box.close()


class ImapSource:
    """A mailbox that is opened read-only (EXAMINE).

    A message does not change while its UID and the UIDVALIDITY are the same (RFC 3501, 2.3.1.1): both are its version.
    The password comes from `IMAP_PASSWORD`, the location, or ~/.netrc.
    """

    at_once = 1

    def __init__(self, location: str) -> None:
        parts = urlsplit(location)
        self._shown = without_secrets(location)
        self._host, self._user = parts.hostname or "", unquote(parts.username or "")
        self._mailbox = unquote(parts.path.strip("/")) or "INBOX"
        if not self._host or not self._user:
            raise SettingsError(f"{self._shown} names no user and host", hint="imaps://user@host/INBOX")
        password = os.environ.get(PASSWORD) or unquote(parts.password or "") or _password(self._host)
        if not password:
            raise SettingsError(f"no password for {self._shown}", hint=f"set {PASSWORD}, or add the host to ~/.netrc")
        with self._errors("cannot be opened"):
            self._client = _connected(parts.scheme, self._host, parts.port)
            try:
                self._client.login(self._user, password)
                _checked(self._client.select(_quoted(self._mailbox), readonly=True))
            except BaseException:
                self._client.shutdown()
                raise
        self._validity = (self._client.response("UIDVALIDITY")[1][0] or b"").decode()

    def list(self) -> Iterable[Listed]:
        with self._errors("cannot be listed"):
            uids = _checked(self._client.uid("SEARCH", "ALL"))[0].decode().split()
            sizes: dict[str, int] = {}
            for first in range(0, len(uids), _AT_ONCE):
                asked = ",".join(uids[first : first + _AT_ONCE])
                sizes |= _sizes(_checked(self._client.uid("FETCH", asked, "(UID RFC822.SIZE)")))
        return [Listed(f"{self._mailbox}/{uid}.eml", f"{self._validity}.{uid}", sizes.get(uid, -1)) for uid in uids]

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        uid = name.rpartition("/")[2].removesuffix(".eml")
        with self._errors("cannot be read"):
            parts = _checked(self._client.uid("FETCH", uid, "(BODY.PEEK[])"))
        message = next((part[1] for part in parts if isinstance(part, tuple)), None)
        if message is None:
            raise FileNotFoundError(name)
        into.write(message)
        return f"{self._validity}.{uid}"

    def close(self) -> None:
        with suppress(imaplib.IMAP4.error, OSError):
            self._client.logout()

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except (imaplib.IMAP4.error, OSError) as error:
            raise SourceUnreachable(f"{self._shown} {what}: {error}") from error


def _checked(reply: tuple[str, list[Any]]) -> list[Any]:
    """Return the data of a reply. Raises `imaplib.IMAP4.error` if its status is not OK."""
    status, data = reply
    if status != "OK":
        raise imaplib.IMAP4.error(str((data or [b""])[0], "utf-8", "replace"))
    return data


def _connected(scheme: str, host: str, port: int | None) -> imaplib.IMAP4:
    """Return a connection encrypted with TLS, at the latest before login; unencrypted only to this machine."""
    if scheme == "imaps":
        context = ssl.create_default_context()  # imaplib's default does not verify certificates
        return imaplib.IMAP4_SSL(host, port or 993, ssl_context=context, timeout=SECONDS)
    client = imaplib.IMAP4(host, port or 143, timeout=SECONDS)
    with suppress(ValueError):
        if ipaddress.ip_address(host).is_loopback:
            return client
    client.starttls(ssl.create_default_context())
    return client


def _password(host: str) -> str:
    try:
        known = netrc.netrc().authenticators(host)
    except (OSError, netrc.NetrcParseError):
        return ""
    return known[2] or "" if known else ""


def _sizes(lines: Iterable[bytes | tuple[bytes, bytes] | None]) -> dict[str, int]:
    found = {}
    for line in lines:
        both = {match.lastgroup: int(match[match.lastgroup or 0]) for match in _SIZE.finditer(line or b"")}  # type: ignore[arg-type]
        if len(both) == 2:
            found[str(both["uid"])] = both["size"]
    return found


def _quoted(name: str) -> str:
    """Return the name of a mailbox in IMAP's modified UTF-7, quoted (RFC 3501, 5.1.3)."""
    pieces = re.sub("[^\x20-\x7e]+", lambda found: f"&{_base64(found[0])}-", name.replace("&", "&-"))
    return '"' + pieces.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _base64(text: str) -> str:
    return b64encode(text.encode("utf-16-be")).rstrip(b"=").decode().replace("/", ",")
