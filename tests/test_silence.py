"""Tests that Strata contacts no other machine: it runs in an isolated network with all connections traced."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pipelines.store.neo4j.connection import Neo4jAddress
from tests.conftest import EXAMPLES, ROOT
from tests.ingest.knowledge import write_folder

STRATA = "import sys; from flows.cli.app import main; sys.argv[0] = 'strata'; main()"
FLOW = f"""
import os
from deploy.prefect import server
with server.temporary() as running:
    os.environ["PREFECT_API_URL"] = running.api
    {STRATA}
"""
SCAN = EXAMPLES / "scans" / "DN-58213.pdf"
# In a new network namespace loopback is down; bring it up and execute the command that follows.
UP = """
import fcntl, os, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    fcntl.ioctl(probe, 0x8914, struct.pack("16sH22x", b"lo", 0x41))
os.execvp(sys.argv[1], sys.argv[1:])
"""
OWN_NETWORK = ("unshare", "--user", "--map-root-user", "--net", sys.executable, "-c", UP)
WATCH = ("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o")
NAMES = 53
"""The port of name servers; a local one forwards queries to others."""
KEPT_TO_ITSELF = frozenset({"UNIX", "LOCAL", "NETLINK", "UNSPEC"})
"""Address families that do not use a network."""
_TOLD = re.compile(
    r"sa_family=AF_(?P<kind>\w+)(?:, sin6?_port=htons\((?P<port>\d+)\).*?"
    r'(?:inet_addr\("|inet_pton\(AF_INET6, ")(?P<host>[^"]+)")?'
)


def run(home: Path, *words: object, before: Sequence[str] = (), **variables: str) -> str:
    """Run a command as a user with this home folder and without variables that disable telemetry."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    environment = {**kept, "HOME": str(home), "PYTHONPATH": str(ROOT), **variables}
    command = [*before, *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def strata(home: Path, *words: object, before: Sequence[str] = (), **variables: str) -> str:
    return run(home, sys.executable, "-c", STRATA, *words, before=before, **variables)


def elsewhere(log: Path) -> set[str]:
    """The addresses that a traced command tried to reach, except local ones that are not name servers."""
    found = set()
    for told in _TOLD.finditer(log.read_text(errors="replace")):
        host, port = told["host"], int(told["port"] or 0)
        here = host is not None and ipaddress.ip_address(host).is_loopback and port != NAMES
        if told["kind"] not in KEPT_TO_ITSELF and not here:
            found.add(f"{host or told['kind']} {port}")
    return found


@pytest.fixture(scope="module")
def watch() -> Sequence[str]:
    """The command prefix for tracing; the name of the log must follow."""
    return _available(WATCH, "/dev/null")


@pytest.fixture(scope="module")
def own_network() -> Sequence[str]:
    return _available(OWN_NETWORK)


def _available(prefix: Sequence[str], *rest: str) -> Sequence[str]:
    why = "it is not installed"
    if shutil.which(prefix[0]):
        done = subprocess.run([*prefix, *rest, "true"], capture_output=True, text=True, check=False)
        why = done.stderr.strip()
        if done.returncode == 0:
            return prefix
    pytest.skip(f"{prefix[0]} cannot be used here: {why}")


def test_the_trace_records_connections_and_name_lookups(
    watch: Sequence[str], own_network: Sequence[str], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    code = """
import contextlib, socket
for reach in (lambda: socket.getaddrinfo("events.example", 443), lambda: socket.create_connection(("192.0.2.1", 9), 1),
              lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b"x", ("2001:db8::1", 9))):
    with contextlib.suppress(OSError):
        reach()
"""
    run(tmp_path, sys.executable, "-c", code, before=[*own_network, *watch, str(log)])
    found = elsewhere(log)
    assert {"192.0.2.1 9", "2001:db8::1 9"} <= found
    assert any(address.endswith(f" {NAMES}") for address in found)


@pytest.mark.slow
def test_ingest_ocr_flow_and_questions_work_offline_and_contact_no_one(
    watch: Sequence[str], own_network: Sequence[str], tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "folder")
    shutil.copy(SCAN, folder)
    homes = {name: tmp_path / name for name in ("alone", "connected")}
    told: dict[str, list[str]] = {}
    for name, home in homes.items():
        home.mkdir()
        before = [*own_network, *watch, str(tmp_path / "log"), "-A"] if name == "alone" else []
        kb = home.with_suffix(".kbs") / "kb"
        # The traced run includes the flow and its server.
        plainly, program = ([], FLOW) if name == "alone" else (["--no-flow"], STRATA)
        run(home, sys.executable, "-c", program, "ingest", folder, "--kb", kb, "--quiet", *plainly, before=before)
        told[name] = [
            strata(home, "graph", "export", "--kb", kb, before=before),
            _answer(strata(home, "ask", "How often is the bearing oil changed?", "--kb", kb, "--json", before=before)),
        ]
    assert elsewhere(tmp_path / "log") == set()
    assert told["alone"] == told["connected"]
    assert "58213" in told["alone"][0]  # the number was read by OCR
    assert [path.name for path in homes["alone"].iterdir()] == [".prefect"]
    assert list(homes["connected"].iterdir()) == []


def _answer(printed: str) -> str:
    answer = json.loads(printed)
    assert answer["citations"]
    return json.dumps({name: value for name, value in answer.items() if name != "seconds"})


@pytest.mark.neo4j
def test_a_sync_with_neo4j_contacts_only_neo4j(
    watch: Sequence[str], neo4j_address: Neo4jAddress, tmp_path: Path
) -> None:
    folder, kb, home = write_folder(tmp_path / "folder"), tmp_path / "silent", tmp_path / "home"
    home.mkdir()
    named = {
        "NEO4J_URI": neo4j_address.uri, "NEO4J_USERNAME": neo4j_address.user, "NEO4J_PASSWORD": neo4j_address.password,
    }  # fmt: skip
    before = [*watch, str(tmp_path / "log"), "-A"]
    strata(home, "ingest", folder, "--kb", kb, "--quiet", "--no-flow", before=before, **named)
    assert "0 parts written" in strata(home, "graph", "sync", "--kb", kb, before=before, **named)
    assert elsewhere(tmp_path / "log") == set()
    assert list(home.iterdir()) == []
