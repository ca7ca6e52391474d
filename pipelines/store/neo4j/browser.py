"""A proxy for Neo4j Browser that adds Strata's style and saved queries.

The Browser keeps both in the local storage of a web browser, by origin. So the proxy serves the page at a loopback
address, with an additional script that writes them to this storage before the Browser starts; everything else comes
from the server of Neo4j. The saved queries are Cypher templates in `queries.cypher` in this folder.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from urllib.parse import urlencode, urlsplit

from pipelines.core.errors import NotFound, StoreUnavailable

_HEAD = re.compile(r"^// (?P<name>[a-z]+): (?P<value>.+)$")


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A read-only statement. `parameters` has the names of its parameters other than `kb`, with example values."""

    name: str
    shows: str
    cypher: str
    parameters: Mapping[str, str]

    def for_browser(self, kb: str, **values: str) -> str:
        """Return the text to paste into Neo4j Browser, with its parameters; examples are used for missing values."""
        lines = [f":param {name} => {literal};" for name, literal in self._literals(kb, values).items()]
        return "\n".join([f"// {self.shows}", *lines, f"{self.cypher};"])

    def inlined(self, kb: str, **values: str) -> str:
        """Return the statement with the values as literals, for a link that opens the Browser."""
        literals = self._literals(kb, values)
        return re.sub(r"\$(\w+)", lambda match: literals[match[1]], self.cypher)

    def _literals(self, kb: str, values: Mapping[str, str]) -> dict[str, str]:
        chosen = {"kb": kb} | {name: values.get(name, example) for name, example in self.parameters.items()}
        return {name: _literal(name, value) for name, value in chosen.items()}


def _literal(name: str, value: str) -> str:
    if name == "page":
        return str(int(value))
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


@cache
def saved_queries() -> dict[str, SavedQuery]:
    """Return the saved queries by name, in the order of the file."""
    text = files("pipelines.store.neo4j").joinpath("queries.cypher").read_text("utf-8")
    found = (_read(part) for part in text.split("\n\n")[1:] if part.strip())
    return {query.name: query for query in found}


def saved_query(name: str) -> SavedQuery:
    """Return a saved query by its name. Raises `NotFound`."""
    if name not in saved_queries():
        raise NotFound(f"no saved query {name}", ids=(name,), hint=f"there are {', '.join(saved_queries())}")
    return saved_queries()[name]


def _read(part: str) -> SavedQuery:
    lines = part.strip().splitlines()
    heads = {match["name"]: match["value"] for line in lines if (match := _HEAD.match(line))}
    cypher = "\n".join(line for line in lines if not line.startswith("//")).rstrip(";")
    return SavedQuery(heads.pop("name"), heads.pop("shows"), cypher, heads)


SCRIPT = "strata.js"
_SECONDS = 30.0
_FOLDER = "strata"
_PASSED_ON = ("Content-Type", "Content-Security-Policy", "Cache-Control", "Last-Modified", "ETag")


@cache
def style_text() -> str:
    """Return the style sheet, with a colour and a short caption for each kind of node."""
    return files("pipelines.store.neo4j").joinpath("strata.grass").read_text("utf-8")


def style() -> dict[str, dict[str, str]]:
    """Return the style sheet in the form of the Browser: properties by selector."""
    found = {}
    text = style_text().replace("'{", "'<<").replace("}'", ">>'")
    for match in re.finditer(r"(?m)^([\w.]++)\s*+\{([^{}]*+)\}", text):
        pairs = re.findall(r"(?m)^ *+([\w-]++): *+([^;\n]++);", match[2])
        values = {name: value.strip().strip("'").replace("<<", "{").replace(">>", "}") for name, value in pairs}
        found[match[1]] = values
    return found


def favorites(queries: Sequence[SavedQuery], kb: str, values: Mapping[str, str]) -> list[dict[str, object]]:
    """Return saved queries with their values, in the form of the Browser's favorites."""
    return [
        {
            "id": f"strata-{query.name}",
            "folder": _FOLDER,
            "content": f"// {query.name}: {query.shows}\n{query.inlined(kb, **values)}",
        }
        for query in queries
    ]


def browser_link(page: str, bolt: str, user: str, cypher: str, password: bool) -> str:
    """Return a link to the Browser at `page` that connects to `bolt` and shows this statement in its editor."""
    parts = urlsplit(bolt)
    query = {"dbms": f"{parts.scheme}://{user}@{parts.netloc}", "cmd": "edit", "arg": " ".join(cypher.split())}
    return f"{page}?{urlencode(query if password else query | {'preselectAuthMethod': 'NO_AUTH'})}"


class BrowserServer(ThreadingHTTPServer):
    """Serves the Browser at `upstream` ("http://localhost:7474/browser/") on loopback, with style and queries.

    Raises `StoreUnavailable` if no Browser answers there.
    """

    daemon_threads = True

    def __init__(self, upstream: str, saved: Sequence[Mapping[str, object]], port: int = 0) -> None:
        self.upstream = upstream.rstrip("/") + "/"
        try:
            with urllib.request.urlopen(self.upstream, timeout=_SECONDS):  # noqa: S310 - the user's own Neo4j
                pass
        except (urllib.error.URLError, OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            hint = "`make up` starts a Neo4j with its Browser; store.neo4j_browser says where another is"
            raise StoreUnavailable(f"no Neo4j Browser at {upstream}: {reason}", hint=hint) from error
        self.script = _script(saved)
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def page(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.server_address[1]}/browser/"


def _script(saved: Sequence[Mapping[str, object]]) -> bytes:
    return f"""
const kept = (name) => JSON.parse(localStorage.getItem(name) || "[]");
const put = (name, mine) => localStorage.setItem(name, JSON.stringify(
  [...mine, ...kept(name).filter((one) => !mine.some((other) => other.id === one.id))]));
put("neo4j.folders", {json.dumps([{"id": _FOLDER, "name": "Strata"}])});
put("neo4j.documents", {json.dumps(list(saved))});
localStorage.setItem("neo4j.grass", {json.dumps(json.dumps(style()))});
""".replace("</", "<\\/").encode()


class _Handler(BaseHTTPRequestHandler):
    server: BrowserServer

    def do_GET(self) -> None:
        host = (self.headers.get("Host") or "").partition(":")[0]
        if host not in ("127.0.0.1", "localhost"):  # DNS rebinding: another site's name resolves to this address
            self._send(403, b"", {})
        elif self.path == f"/browser/{SCRIPT}":
            self._send(200, self.server.script, {"Content-Type": "text/javascript; charset=utf-8"})
        elif self.path.startswith("/browser/"):
            self._pass_on(self.path.removeprefix("/browser/"))
        else:
            self._send(302, b"", {"Location": "/browser/"})

    def _pass_on(self, path: str) -> None:
        try:
            with urllib.request.urlopen(self.server.upstream + path, timeout=_SECONDS) as reply:  # noqa: S310
                data = reply.read()
                heads = {name: reply.headers[name] for name in _PASSED_ON if reply.headers[name]}
        except urllib.error.HTTPError as error:
            self._send(error.code, b"", {})
            return
        except (urllib.error.URLError, OSError, ValueError):
            self._send(502, b"", {})
            return
        if path.partition("?")[0] in ("", "index.html"):
            script = f'<script src="{SCRIPT}"></script>'.encode()
            data = re.sub(rb"<head(?:\s[^<>]*+)?>", lambda found: found[0] + script, data, count=1)
        self._send(200, data, heads)

    def _send(self, status: int, data: bytes, heads: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**heads, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Do not log requests."""
