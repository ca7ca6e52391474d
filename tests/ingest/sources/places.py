"""Real document sources on this machine: each can be written to and has a location to ingest."""

from __future__ import annotations

import mailbox
import os
import re
import socketserver
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol

import pytest

from pipelines.core.ids import digest

BUCKET = "manuals"


class Place(Protocol):
    """A writable source; `uri` is the URI in the knowledge base of the document with a name."""

    location: str

    def put(self, name: str, text: str) -> None: ...

    def remove(self, name: str) -> None: ...

    def uri(self, name: str) -> str: ...


class S3Place:
    """A bucket of a real S3-compatible server, accessed with boto3."""

    def __init__(self, endpoint: str) -> None:
        import boto3

        self.client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
        self.client.create_bucket(Bucket=BUCKET)
        self.location = f"s3://{BUCKET}/plant"

    def put(self, name: str, text: str) -> None:
        self.client.put_object(Bucket=BUCKET, Key=f"plant/{name}", Body=text.encode())

    def remove(self, name: str) -> None:
        self.client.delete_object(Bucket=BUCKET, Key=f"plant/{name}")

    def uri(self, name: str) -> str:
        return name

    def close(self) -> None:
        for found in self.client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
            self.client.delete_object(Bucket=BUCKET, Key=found["Key"])
        self.client.delete_bucket(Bucket=BUCKET)
        self.client.close()


@contextmanager
def s3_server(patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start moto's server, and direct all S3 clients to it."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        endpoint = "http://{}:{}".format(*server.get_host_and_port())
        for name, value in {
            "AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
        }.items():  # fmt: skip
            patch.setenv(name, value)
        yield endpoint
    finally:
        server.stop()


class GitPlace:
    """A Git repository in a folder; each change is a commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.location = f"git+{folder}"
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str) -> str:
        who = ("-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(self.folder), *who, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def put(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", name)

    def remove(self, name: str) -> None:
        self.git("rm", "--quiet", name)
        self.git("commit", "--quiet", "-m", name)

    def uri(self, name: str) -> str:
        return name


class SitePlace:
    """A web site on loopback; `asked` are the requested paths with the status of the reply."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.asked: list[tuple[str, int]] = []
        self.robots = ""
        self.changed: dict[str, str] = {}
        self.moved: dict[str, str] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        self.location = f"http://{self.host}/"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def put(self, name: str, text: str) -> None:
        self.pages[f"/{name}"] = text.encode()

    def remove(self, name: str) -> None:
        del self.pages[f"/{name}"]

    def uri(self, name: str) -> str:
        return name

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def sitemap(self) -> bytes:
        entries = "".join(
            f"<url><loc>http://{self.host}{path}</loc>"
            + (f"<lastmod>{self.changed[path]}</lastmod>" if path in self.changed else "")
            + "</url>"
            for path in self.pages
            if not path.endswith((".xml", "/gone.md"))
        )
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()

    def _handler(site: SitePlace) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - `self` is the handler
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, data, tag = self._reply()
                site.asked.append((self.path, status))
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                if tag:
                    self.send_header("ETag", tag)
                if self.path in site.moved:
                    self.send_header("Location", site.moved[self.path])
                self.end_headers()
                self.wfile.write(data)

            def _reply(self) -> tuple[int, bytes, str]:
                if self.path == "/robots.txt" and site.robots:
                    return 200, site.robots.encode(), ""
                if self.path in site.moved:
                    return 302, b"", ""
                data = site.pages.get(self.path) or (site.sitemap() if self.path == "/sitemap.xml" else None)
                if data is None:
                    return 404, b"", ""
                tag = f'"{hash(data)}"'
                if self.headers.get("If-None-Match") == tag:
                    return 304, b"", tag
                return 200, data, tag

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        return Handler


def message(name: str, text: str) -> bytes:
    """A mail message; equal arguments give equal bytes."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "a@example.org", "b@example.org", name
    mail["Message-ID"], mail["Date"] = f"<{name}@example.org>", "Mon, 02 Mar 2026 10:00:00 +0000"
    mail.set_content(text)
    return mail.as_bytes()


def _subject(name: str) -> str:
    return name.replace("/", " ")


class MaildirPlace:
    """A Maildir; a changed message is another message with another key."""

    def __init__(self, folder: Path) -> None:
        self.box = mailbox.Maildir(folder)
        self.location = f"maildir:{folder}"
        self.keys: dict[str, str] = {}

    def put(self, name: str, text: str) -> None:
        if name in self.keys:
            self.remove(name)
        self.keys[name] = self.box.add(message(name, text))

    def remove(self, name: str) -> None:
        self.box.remove(self.keys.pop(name))

    def uri(self, name: str) -> str:
        return f"{_subject(name)} ({digest(self.keys[name].encode())[:12]}).eml"


class MboxPlace:
    """An mbox file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.location = f"mbox:{file}"
        self.messages: dict[str, bytes] = {}

    def put(self, name: str, text: str) -> None:
        self.messages[name] = message(name, text)
        self._write()

    def remove(self, name: str) -> None:
        del self.messages[name]
        self._write()

    def _write(self) -> None:
        self.file.unlink(missing_ok=True)
        box = mailbox.mbox(self.file)
        for data in self.messages.values():
            box.add(data)
        box.close()

    def uri(self, name: str) -> str:
        return f"{_subject(name)} ({digest(self.messages[name])[:12]}).eml"


class ImapPlace:
    """A minimal IMAP4rev1 server on loopback, with one mailbox and literal strings."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.messages: dict[int, bytes] = {}
        self.uids: dict[str, int] = {}
        self.last = 0
        self.commands: list[str] = []
        patch.setenv("IMAP_PASSWORD", "secret")
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _imap_handler(self))
        self._server.daemon_threads = True
        self.location = f"imap://me@127.0.0.1:{self._server.server_address[1]}/Plant"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def put(self, name: str, text: str) -> None:
        self.last += 1
        self.messages.pop(self.uids.get(name, 0), None)
        self.uids[name] = self.last
        self.messages[self.last] = message(name, text).replace(b"\n", b"\r\n")

    def remove(self, name: str) -> None:
        del self.messages[self.uids.pop(name)]

    def uri(self, name: str) -> str:
        return f"Plant/{_subject(name)} ({self.uids[name]}).eml"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply(self, command: str) -> tuple[bytes, str]:
        """The response before the tagged line of a command, and the tagged status."""
        words = command.upper().split()
        if words[0] == "LOGIN":
            return b"", "OK" if command.split()[1:] == ["me", '"secret"'] else "NO wrong password"
        if words[0] == "EXAMINE":
            return b"* %d EXISTS\r\n* OK [UIDVALIDITY 7]\r\n" % len(self.messages), "OK [READ-ONLY]"
        if words[:2] == ["UID", "SEARCH"]:
            return b"* SEARCH " + " ".join(map(str, self.messages)).encode() + b"\r\n", "OK"
        if words[:2] == ["UID", "FETCH"] and "RFC822.SIZE" in command:
            return b"".join(
                b"* %d FETCH (UID %d BODY[HEADER.FIELDS (SUBJECT)] {%d}\r\n%s RFC822.SIZE %d)\r\n"
                % (number, uid, len(subject), subject, len(data))
                for number, (uid, data) in enumerate(self.messages.items(), 1)
                for subject in [re.search(rb"Subject: .*?\r\n", data)[0] + b"\r\n"]  # type: ignore[index]
            ), "OK"
        if words[:2] == ["UID", "FETCH"] and int(words[2]) in self.messages:
            data = self.messages[int(words[2])]
            return b"* 1 FETCH (UID %s BODY[] {%d}\r\n%s)\r\n" % (words[2].encode(), len(data), data), "OK"
        return b"* CAPABILITY IMAP4rev1\r\n" if words[0] == "CAPABILITY" else b"", "OK"


def _imap_handler(place: ImapPlace) -> Callable[..., socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"* OK ready\r\n")
            while line := self.rfile.readline():
                tag, _, command = line.decode().strip().partition(" ")
                place.commands.append(command)
                told, end = place.reply(command)
                self.wfile.write(told + f"{tag} {end} done\r\n".encode())
                if command == "LOGOUT":
                    return

    return Handler


def kinds() -> list[str]:
    return ["s3", "git", "site", "maildir", "mbox", "imap"]


@contextmanager
def place_of(kind: str, folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Place]:
    """An empty source of the given kind."""
    if kind == "s3":
        with s3_server(patch) as endpoint:
            s3 = S3Place(endpoint)
            yield s3
            s3.close()
    elif kind in ("site", "imap"):
        served = SitePlace() if kind == "site" else ImapPlace(patch)
        yield served
        served.close()
    else:
        makes: dict[str, Callable[[Path], Place]] = {"git": GitPlace, "maildir": MaildirPlace, "mbox": MboxPlace}
        yield makes[kind](folder / f"{kind}{os.extsep}place")
