"""The messages of a mailbox: on this machine (`maildir:PATH`, `mbox:FILE`) or by IMAP (`imaps://user@host/INBOX`).

The mailbox is not changed, and no message is marked as read. A message is named by its subject and a number of its own,
so that citations and lists of documents can be read.
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
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from pipelines.core.errors import FolderNotFound, SettingsError, SourceError, SourceUnreachable
from pipelines.core.ids import digest
from pipelines.ingest.sources.source import Listed, without_secrets
from pipelines.parse.web.eml import subject_of

SECONDS = 60.0
PASSWORD = "IMAP_PASSWORD"  # noqa: S105 - the name of a variable
_AT_ONCE = 500
"""Messages whose sizes are requested by one command."""
_FIGURE = re.compile(rb"UID (?P<uid>\d+)|RFC822\.SIZE (?P<size>\d+)")
_WANTED = "(UID RFC822.SIZE BODY.PEEK[HEADER.FIELDS (SUBJECT)])"
_MOST_HEADERS = 1 << 16
"""Bytes that are read for the subject: headers with long signatures have 10 to 20 KiB."""
_SHORT = 12
"""Digits of a digest in a name: 48 bits do not agree by chance in a mailbox of a million messages."""


def _name(headers: bytes, key: str) -> str:
    return f"{subject_of(headers)} ({key}).eml"


def _headers(box: mailbox.Maildir, key: str) -> bytes:
    """Return the start of a message, which has its subject; nothing if the message has just been removed."""
    try:
        with closing(box.get_file(key)) as message:
            return bytes(message.read(_MOST_HEADERS))
    except KeyError:
        return b""


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
            folder + _name(_headers(box, key), digest(key.encode())[:_SHORT]): (box, key)
            for folder, box in _folders(self._path)
            for key in sorted(box.iterkeys())
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
    """The messages of an mbox file; the digest of a message is its version."""

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
            version = digest(data)
            name = _name(data[:_MOST_HEADERS], version[:_SHORT])
            self._keys[name] = key
            found[name] = Listed(name, version, len(data))
        return found.values()

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        data = self._box.get_bytes(self._keys[name])
        into.write(data)
        return digest(data)

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
        self._uids: dict[str, str] = {}
        self._validity = (self._client.response("UIDVALIDITY")[1][0] or b"").decode()

    def list(self) -> Iterable[Listed]:
        with self._errors("cannot be listed"):
            uids = _checked(self._client.uid("SEARCH", "ALL"))[0].decode().split()
            known: dict[str, _MessageInfo] = {}
            for first in range(0, len(uids), _AT_ONCE):
                asked = ",".join(uids[first : first + _AT_ONCE])
                known |= _messages(_checked(self._client.uid("FETCH", asked, _WANTED)))
        self._uids = {}
        listed = []
        for uid in uids:
            one = known.get(uid, _MessageInfo())
            name = f"{self._mailbox}/{_name(one.headers, uid)}"
            self._uids[name] = uid
            listed.append(Listed(name, f"{self._validity}.{uid}", one.size))
        return listed

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        uid = self._uids[name]
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


@dataclass(frozen=True, slots=True)
class _MessageInfo:
    """Size of a message in bytes, -1 if the server does not tell it, and the header line with the subject."""

    size: int = -1
    headers: bytes = b""


def _messages(parts: Iterable[bytes | tuple[bytes, bytes] | None]) -> dict[str, _MessageInfo]:
    """Return the messages of a FETCH response by UID.

    A part is a pair if it ends with a literal, here the subject; the rest of that message is in the next part.
    """
    found: list[tuple[bytes, bytes]] = []
    for part in parts:
        if isinstance(part, tuple):
            found.append((part[0], part[1]))
        elif part and found and not part[:1].isdigit():
            found[-1] = (found[-1][0] + part, found[-1][1])
        elif part:
            found.append((part, b""))
    known = {}
    for text, headers in found:
        figures = {match.lastgroup: int(match[match.lastgroup or 0]) for match in _FIGURE.finditer(text)}
        if "uid" in figures:
            known[str(figures["uid"])] = _MessageInfo(figures.get("size", -1), headers)
    return known


def _quoted(name: str) -> str:
    """Return the name of a mailbox in IMAP's modified UTF-7, quoted (RFC 3501, 5.1.3)."""
    pieces = re.sub("[^\x20-\x7e]+", lambda found: f"&{_base64(found[0])}-", name.replace("&", "&-"))
    return '"' + pieces.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _base64(text: str) -> str:
    return b64encode(text.encode("utf-16-be")).rstrip(b"=").decode().replace("/", ",")
