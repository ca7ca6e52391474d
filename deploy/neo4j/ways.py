"""The two ways to run a Neo4j server, for server.py: a container, or a JDK with jars from Maven."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[1] / ".neo4j"  # the jars always live here, so that another --home needs no Maven
HOST = "127.0.0.1"
IMAGE = {"5": "neo4j:5.26-community", "2026": "neo4j:2026.08.1-community"}
PROFILE = {"5": [], "2026": ["-P", "v2026"]}
BOOT = {"5": ("Neo4jBoot", "Neo4jAdminBoot"), "2026": ("NeoBoot", "NeoAdminBoot")}
JAVA_SUPPORTED = {"5": (17, 21), "2026": (21, 25)}
JAVA_STARTS = {"5": range(17, 26), "2026": range(21, 100)}  # Neo4j 5 warns on 22 to 25 but runs
STOP_SECONDS = 60
CONF = """\
# Written by deploy/neo4j/server.py at every start.
server.default_listen_address={host}
server.bolt.listen_address={host}:{bolt_port}
server.bolt.advertised_address={host}:{bolt_port}
server.http.listen_address={host}:{http_port}
server.http.advertised_address={host}:{http_port}
# Pages of other sites in the user's browser get no answers from here.
dbms.security.http_access_control_allow_origin=http://{host}:{http_port}
dbms.security.auth_enabled={auth}
dbms.usage_report.enabled=false
client.allow_telemetry=false
server.directories.lib={lib}
server.directories.import=import
server.memory.heap.max_size={heap}
server.memory.pagecache.size={page_cache}
# As in Neo4j's own neo4j.conf: the page cache needs these for its speed.
server.jvm.additional=--add-opens=java.base/java.nio=ALL-UNNAMED
server.jvm.additional=--add-opens=java.base/java.io=ALL-UNNAMED
server.jvm.additional=--add-opens=java.base/sun.nio.ch=ALL-UNNAMED
server.jvm.additional=--enable-native-access=ALL-UNNAMED
# Bolt would sit idle for 10 s at the end of every stop, long after the databases are closed.
internal.dbms.bolt.netty_server_shutdown_{quiet}
"""
# Faster vector search, on the Java releases that have it.
VECTORS = "server.jvm.additional=--add-modules=jdk.incubator.vector\n"
QUIET = {"5": "quiet_period=0", "2026": "quiet_period_duration=0s"}


class Neo4jError(Exception):
    """The server could not be started or stopped; the message is for the user."""


@dataclass(frozen=True)
class Server:
    """One server, running or about to; its state file holds this, less the password."""

    by: str  # "docker" or "java"
    version: str
    bolt_port: int
    http_port: int
    dir: str  # data, logs, conf and state; under Docker only the state
    auth: str  # "none", "kept" (the password is in dir/password) or "own" (the caller knows it)
    heap: str
    page_cache: str
    pid: int = 0  # the launcher's, which also leads the process group; 0 under Docker
    password: str | None = None
    user: str = "neo4j"

    @property
    def bolt(self) -> str:
        return f"bolt://{HOST}:{self.bolt_port}"

    @property
    def http(self) -> str:
        return f"http://{HOST}:{self.http_port}"


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def locked(file: Path) -> Iterator[None]:
    """Let one process at a time start, stop or fetch."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as handle:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def tail(got: subprocess.CompletedProcess[str]) -> str:
    return (got.stdout + got.stderr).strip()[-1500:]


# --- Docker ---


def has_docker() -> bool:
    """Whether a daemon answers and compose is there; the bare client is not enough."""
    for probe in (["docker", "version", "--format", "{{.Server.Version}}"], ["docker", "compose", "version"]):
        try:
            if subprocess.run(probe, capture_output=True, timeout=20, check=False).returncode != 0:
                return False
        except (OSError, subprocess.TimeoutExpired):
            return False
    return True


def compose(server: Server, *args: str) -> subprocess.CompletedProcess[str]:
    project = f"strata-neo4j-{server.version}-{hashlib.sha256(server.dir.encode()).hexdigest()[:8]}"
    env = {
        "NEO4J_IMAGE": IMAGE[server.version],
        "NEO4J_AUTH": f"neo4j/{server.password}" if server.password else "none",
        "NEO4J_BOLT_PORT": str(server.bolt_port),
        "NEO4J_HTTP_PORT": str(server.http_port),
        "NEO4J_HEAP": server.heap,
        "NEO4J_PAGE_CACHE": server.page_cache,
    }
    command = ["docker", "compose", "--file", str(HERE / "compose.yaml"), "--project-name", project, *args]
    return subprocess.run(command, env=os.environ | env, capture_output=True, text=True, check=False)


def docker_start(server: Server) -> int:
    say(f"Starting Neo4j {server.version} in Docker (the first time it fetches the image) ...")
    got = compose(server, "up", "--detach")
    if got.returncode != 0:
        raise Neo4jError(f"docker compose up failed:\n{tail(got)}")
    return 0


# --- Java ---


def find_java(version: str) -> tuple[Path, int] | None:
    """A JDK's home and release that starts this Neo4j: one that Neo4j supports if there is any."""
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    if java := shutil.which("java"):
        homes.append(Path(java).resolve().parents[1])
    homes += sorted(Path("/usr/lib/jvm").glob("*"))
    homes += sorted(Path("/Library/Java/JavaVirtualMachines").glob("*/Contents/Home"))
    found = [(home, release) for home in homes if (release := java_release(home)) in JAVA_STARTS[version]]
    return min(found, key=lambda one: one[1] not in JAVA_SUPPORTED[version], default=None)


def wanted_java(version: str) -> str:
    return " or ".join(map(str, JAVA_SUPPORTED[version]))


def java_release(home: Path) -> int:
    try:
        command = [str(home / "bin" / "java"), "-version"]
        got = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.search(r'version "(\d+)', got.stderr)
    return int(match[1]) if match else 0


def has_jars(version: str) -> bool:
    """Whether the jars that pom.xml names now were fetched; a copy of it lies beside them."""
    copy = CACHE / version / "lib" / "pom.xml"
    return copy.is_file() and copy.read_bytes() == (HERE / "pom.xml").read_bytes()


def has_java_way(version: str) -> bool:
    return find_java(version) is not None and (has_jars(version) or shutil.which("mvn") is not None)


def fetch_jars(version: str) -> Path:
    lib = CACHE / version / "lib"
    with locked(CACHE / version / "jars.lock"):
        if has_jars(version):
            return lib
        say(f"Fetching the jars of Neo4j {version} with Maven (about 150 MB, once; up to some minutes) ...")
        with tempfile.TemporaryDirectory(dir=lib.parent, prefix="fetch-") as temp:
            new = Path(temp) / "lib"
            command = ["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), *PROFILE[version]]
            command += ["dependency:copy-dependencies", f"-DoutputDirectory={new}"]
            try:
                got = subprocess.run(command, capture_output=True, text=True, check=False)
            except FileNotFoundError:
                raise Neo4jError("Maven (mvn) fetches the jars of Neo4j, and it is not here.") from None
            if got.returncode != 0:
                raise Neo4jError(f"Maven could not fetch the jars:\n{tail(got)}")
            shutil.copy(HERE / "pom.xml", new)
            if lib.exists():
                shutil.rmtree(lib)
            new.rename(lib)
    return lib


def java_start(server: Server, first_password: str) -> int:
    """Start the server in its own process group, with no tie to this process; return the launcher's pid."""
    found = find_java(server.version)
    if found is None:
        wanted = wanted_java(server.version)
        raise Neo4jError(f"No JDK here starts Neo4j {server.version}; it wants Java {wanted}.")
    java_home, release = found
    lib = fetch_jars(server.version)
    home = Path(server.dir)
    for folder in ("conf", "logs", "import", "plugins"):
        (home / folder).mkdir(exist_ok=True)
    facts = {"auth": str(server.auth != "none").lower(), "quiet": QUIET[server.version]}
    conf = CONF.format_map(vars(server) | {"host": HOST, "lib": lib} | facts)
    (home / "conf" / "neo4j.conf").write_text(conf + VECTORS * (release >= 21))
    boot, admin = (f"org.neo4j.server.startup.{name}" for name in BOOT[server.version])
    java = [str(java_home / "bin" / "java"), "-cp", f"{lib}/*", f"-Dapp.home={home}"]
    env = os.environ | {"NEO4J_HOME": str(home), "NEO4J_CONF": f"{home}/conf", "JAVA_HOME": str(java_home)}

    say(f"Starting Neo4j {server.version} on Java {release} (about 10 s) ...")
    if release not in JAVA_SUPPORTED[server.version]:
        say(f"  (it officially wants Java {wanted_java(server.version)})")
    if not (home / "data" / "dbms").exists():
        set_first_password([*java, admin], env, first_password)
    with (home / "logs" / "console.log").open("wb") as log:
        process = subprocess.Popen(
            [*java, boot, "console"], env=env, cwd=home, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    process.returncode = 0  # it is meant to outlive this process: no ResourceWarning about that
    return process.pid


def set_first_password(admin: list[str], env: dict[str, str], password: str) -> None:
    """By an argument file that only we can read: a command line shows in every user's process list."""
    quoted = password.replace("\\", "\\\\").replace('"', '\\"')
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(f'"{quoted}"\n')
        file.flush()
        command = [*admin, "dbms", "set-initial-password", "--", f"@{file.name}"]
        got = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if got.returncode != 0:
        raise Neo4jError(f"The password could not be set:\n{tail(got)}")


def java_alive(server: Server) -> bool:
    """Whether a process of the server's group runs.

    Its command line must name the folder too, since pids are used again; and the group counts, not the
    launcher alone, whose child outlives it when it is killed.
    """
    if not Path("/proc/self/cmdline").exists():  # macOS
        command = ["ps", "-A", "-ww", "-o", "pgid=,args="]
        rows = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
        return any(row.split()[0] == str(server.pid) and server.dir in row for row in rows)
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            ours = os.getpgid(int(entry.name)) == server.pid
            if ours and os.fsencode(server.dir) in (entry / "cmdline").read_bytes():
                return True
    return False


def java_stop(server: Server) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, number)
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(server.pid, os.WNOHANG)  # when this process started it, it must also reap it
            if not java_alive(server):
                return
            time.sleep(0.2)
        if number == signal.SIGTERM:
            say(f"It did not end within {STOP_SECONDS} s; killing it.")
    raise Neo4jError(f"Process {server.pid} could not be ended.")


# --- either ---


def alive(server: Server) -> bool:
    if server.by == "docker":
        return bool(compose(server, "ps", "--quiet", "--status", "running").stdout.strip())
    return java_alive(server)


def halt(server: Server) -> None:
    if server.by == "java":
        java_stop(server)
    elif (got := compose(server, "down")).returncode != 0:  # the data stay, in their volume
        raise Neo4jError(f"docker compose down failed:\n{tail(got)}")


def listens(server: Server) -> bool:
    """Whether the server itself has opened its ports, as its log says; under Docker nothing else can have them."""
    if server.by == "docker":
        return True
    log = Path(server.dir) / "logs" / "console.log"
    told = log.read_text(errors="replace") if log.is_file() else ""
    return all(re.search(rf"enabled on \S*:{port}\b", told) for port in (server.bolt_port, server.http_port))


def last_lines(server: Server, count: int = 15) -> str:
    if server.by == "docker":
        return compose(server, "logs", "--no-color", "--tail", str(count)).stdout
    log = Path(server.dir) / "logs" / "console.log"
    if not log.is_file():
        return ""
    return "\n".join([f"Last lines of {log}:", *log.read_text(errors="replace").splitlines()[-count:]])
