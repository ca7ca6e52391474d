"""A real Neo4j Community on loopback, for users, developers and CI.

    python deploy/neo4j/server.py start|stop|status [--version 5|2026] [--home DIR] [...]

With a Docker daemon it runs the image of compose.yaml; without one it runs the same server on a JDK, from
jars that Maven fetches once (pom.xml).  Tests import `start(Config())`, `stop(Config())` and `available()`.
"""

from __future__ import annotations

import argparse
import base64
import dataclasses
import json
import os
import random
import secrets
import socket
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # also when this file is loaded by its path

from ways import (
    CACHE,
    HOST,
    Neo4jError,
    Server,
    alive,
    docker_start,
    halt,
    has_docker,
    has_java_way,
    java_start,
    last_lines,
    listens,
    locked,
    say,
    wanted_java,
)

__all__ = [
    "Config",
    "Neo4jError",
    "Server",
    "Unavailable",
    "available",
    "find",
    "free_port",
    "start",
    "stop",
    "temporary",
]


class PortTaken(Neo4jError):
    """Another program listens where this server should."""

    def __init__(self, port: int, option: str) -> None:
        make = option.strip("-").replace("-", "_").upper()
        super().__init__(
            f"Another program has port {port} of {HOST}; choose one with {option} (`make neo4j {make}=...`)."
        )


class Unavailable(Neo4jError):
    """This machine has no way to run Neo4j."""


@dataclass(frozen=True)
class Config:
    version: str = "5"  # or "2026"
    bolt_port: int = 7687
    http_port: int = 7474
    home: Path = CACHE
    auth: str | None = None  # a password, "none", or None: one made at the first start and kept in the home
    wait: float = 120
    heap: str = "1g"
    page_cache: str = "512m"
    by: str | None = None  # "docker" or "java"; None: whichever this machine has

    @property
    def dir(self) -> Path:
        """All of one server; the versions never share a store, since the newer one would convert it."""
        return Path(self.home).expanduser().resolve() / self.version


def available(version: str = "5") -> str | None:
    """How this machine can run Neo4j: "docker", "java", or None."""
    return "docker" if has_docker() else "java" if has_java_way(version) else None


def start(config: Config) -> Server:
    """Start the server, or find it running; return once Bolt and HTTP answer and the password is accepted."""
    with locked(config.dir / "lock"):
        if running := find(config):
            moved = (running.bolt_port, running.http_port) != (config.bolt_port, config.http_port)
            say(f"Neo4j {running.version} is already running{', on other ports' if moved else ''}.")
            return running
        by = config.by or available(config.version)
        if by is None:
            jdk = f"a JDK (Java {wanted_java(config.version)})"
            raise Unavailable(f"Neo4j cannot run here: start Docker, or install Maven and {jdk}.")
        for port, option in ports(config):
            if not is_free(port):
                raise PortTaken(port, option)
        auth = {None: "kept", "none": "none"}.get(config.auth, "own")
        first_password = config.auth if config.auth and auth == "own" else kept_password(config)
        server = Server(
            by, config.version, config.bolt_port, config.http_port, str(config.dir), auth, config.heap,
            config.page_cache, password=None if auth == "none" else first_password,
        )  # fmt: skip
        pid = docker_start(server) if by == "docker" else java_start(server, first_password)
        server = dataclasses.replace(server, pid=pid)
        try:
            save(server)
            wait_until_ready(server, config.wait)
        except BaseException as error:  # also Ctrl-C: leave nothing half-started behind
            log = last_lines(server)
            say("Stopping what was started ...")
            halt(server)
            state_file(config).unlink(missing_ok=True)
            if isinstance(error, Neo4jError) and not isinstance(error, PortTaken):
                raise Neo4jError(f"{log}\n\n{error}") from None
            raise
        return server


def stop(config: Config) -> bool:
    """Stop the server cleanly; False when none was running."""
    if not config.dir.is_dir():
        return False
    with locked(config.dir / "lock"):
        server = find(config)
        if server is not None:
            say(f"Stopping Neo4j {server.version} (some seconds) ...")
            halt(server)
        state_file(config).unlink(missing_ok=True)  # without a server: left by one that died
        return server is not None


def find(config: Config) -> Server | None:
    """The server of this home, if it runs now."""
    try:
        server = Server(**json.loads(state_file(config).read_text()))
        password = {"own": config.auth, "kept": read_password(config)}.get(server.auth)
        server = dataclasses.replace(server, password=password)
    except (OSError, ValueError, TypeError):
        return None
    return server if alive(server) else None


def state_file(config: Config) -> Path:
    return config.dir / "server.json"


def save(server: Server) -> None:
    state = dataclasses.asdict(dataclasses.replace(server, password=None))
    (Path(server.dir) / "server.json").write_text(json.dumps(state))


def read_password(config: Config) -> str | None:
    file = config.dir / "password"
    return file.read_text().strip() if file.exists() else None


def kept_password(config: Config) -> str:
    """This home's own password, made the first time.  There is one even on loopback: any page open in this
    machine's browser could talk to a server without."""
    if password := read_password(config):
        return password
    if (config.dir / "data" / "dbms").exists():  # too late to set one
        if config.auth == "none":
            return ""
        raise Neo4jError(f"The database in {config.dir} has a password of yours: give it with --auth.")
    password = secrets.token_urlsafe(12)
    descriptor = os.open(config.dir / "password", os.O_WRONLY | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(password + "\n")
    return password


def free_port() -> int:
    """A free port that the system does not give to a connection of another program before the server, which takes ten
    seconds to start, has it: Linux does so from 32768 on, others from 49152 on (RFC 6335)."""
    while not is_free(port := random.randrange(20_000, 32_768)):
        pass
    return port


@contextmanager
def temporary(heap: str) -> Iterator[Server]:
    """Run a server without a password, on free ports and in a folder that goes with it."""
    with tempfile.TemporaryDirectory(prefix="strata-neo4j-") as home:
        config = Config(bolt_port=free_port(), http_port=free_port(), home=Path(home), auth="none", heap=heap)
        try:
            yield start(config)
        finally:
            stop(config)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port of a server just stopped is free
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def ports(server: Config | Server) -> tuple[tuple[int, str], ...]:
    return (server.bolt_port, "--bolt-port"), (server.http_port, "--http-port")


def wait_until_ready(server: Server, seconds: float) -> None:
    """Return once it answers itself.  A port may have gone to another program, even another Neo4j, after it was found
    free: what answers there is not believed until the log says that this server has it."""
    began = told = time.monotonic()
    dead = 0
    while not (listens(server) and bolt_answers(server.bolt_port) and http_answers(server)):
        now = time.monotonic()
        if now - began > seconds:
            raise Neo4jError(f"Neo4j did not answer within {seconds:g} s.")
        # Twice, since for a moment after its start a process shows no command line.
        dead = dead + 1 if not alive(server) else 0
        if dead == 2:
            for port, option in ports(server):
                if not is_free(port):
                    raise PortTaken(port, option)
            raise Neo4jError("Neo4j ended before it was ready.")
        if now - told >= 10:
            told = now
            say(f"  still waiting for it ({now - began:.0f} s) ...")
        time.sleep(0.3)


def bolt_answers(port: int) -> bool:
    """Whether the Bolt handshake succeeds; merely to listen, as Docker's proxy does, is not enough."""
    try:
        with socket.create_connection((HOST, port), timeout=5) as link:
            link.sendall(bytes.fromhex("6060b017 00000405 00000005 00000004 00000000"))
            return len(link.recv(4)) == 4
    except OSError:
        return False


def http_answers(server: Server) -> bool:
    """Whether a query over HTTP succeeds, which also proves the database up and the password right."""
    request = urllib.request.Request(f"{server.http}/db/neo4j/query/v2", b'{"statement": "RETURN 1"}')
    request.add_header("Content-Type", "application/json")
    if server.password:
        pair = f"{server.user}:{server.password}".encode()
        request.add_header("Authorization", "Basic " + base64.b64encode(pair).decode())
    try:
        # No proxy from the environment may stand between this and loopback.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=10):
            return True
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            raise Neo4jError(
                "The database refuses this password: it was made with another one. Give that one with --auth."
            ) from None
    except OSError:
        pass
    return False


def show(server: Server) -> None:
    known = {"none": "none needed", "own": "the one it was started with"}
    password = known.get(server.auth) or f"{server.password} (kept in {server.dir}/password)"
    print(f"Neo4j    {server.version}, by {server.by}")
    print(f"Bolt     {server.bolt}")
    print(f"HTTP     {server.http}")
    print(f"Browser  {server.http}/browser/")
    print(f"User     {server.user}")
    print(f"Password {password}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="A real Neo4j Community on loopback.")
    parser.add_argument("command", choices=["start", "stop", "status"])
    option = parser.add_argument
    option("--version", choices=["5", "2026"], default="5")
    option("--bolt-port", type=int, default=7687)
    option("--http-port", type=int, default=7474)
    option("--home", type=Path, default=CACHE, metavar="DIR", help="default: %(default)s")
    option("--auth", default=os.environ.get("NEO4J_PASSWORD") or None, metavar="none|PASSWORD",
           help="default: NEO4J_PASSWORD, else one made at the first start and kept in the home")  # fmt: skip
    option("--wait", type=float, default=120, metavar="SECONDS")
    option("--heap", default="1g")
    option("--page-cache", default="512m")
    option("--by", choices=["docker", "java"], help="default: Docker when its daemon answers, else Java")
    args = vars(parser.parse_args())
    command = args.pop("command")
    config = Config(**args)
    try:
        if command == "start":
            show(start(config))
        elif command == "stop":
            print("Stopped." if stop(config) else "Neo4j is not running.")
        elif server := find(config):
            show(server)
        else:
            print("Neo4j is not running.")
            return 1
    except Neo4jError as error:
        print(error, file=sys.stderr)
        return 3 if isinstance(error, Unavailable) else 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
