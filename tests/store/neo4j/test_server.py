"""Tests of `make neo4j`: the printed address and password, and ports used by other programs."""

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from deploy.neo4j import server
from deploy.neo4j.ways import Server
from tests.conftest import ROOT


class Refusing(BaseHTTPRequestHandler):
    """Responds as another Neo4j with another password."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(401)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def another_neo4j() -> Iterator[tuple[int, int]]:
    """The Bolt and HTTP ports of a server that was not started by us."""
    with socket.create_server(("127.0.0.1", 0)) as bolt, HTTPServer(("127.0.0.1", 0), Refusing) as http:
        stop = threading.Event()

        def shake_hands() -> None:
            bolt.settimeout(0.1)
            while not stop.is_set():
                try:
                    link, _ = bolt.accept()
                except TimeoutError:
                    continue
                with link:
                    link.recv(20)
                    link.sendall(b"\0\0\4\5")

        threads = [threading.Thread(target=shake_hands), threading.Thread(target=http.serve_forever)]
        for thread in threads:
            thread.start()
        yield bolt.getsockname()[1], http.server_port
        stop.set()
        http.shutdown()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("option", ["bolt_port", "http_port"])
def test_a_port_used_by_another_program_is_reported(tmp_path: Path, option: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        ports = {"bolt_port": server.free_port(), "http_port": server.free_port(), option: port}
        with pytest.raises(server.Neo4jError, match=f"Another program has port {port} .*{option.upper()}="):
            server.start(server.Config(home=tmp_path, by="java", **ports))


def test_another_server_on_the_port_is_not_mistaken_for_ours(tmp_path: Path) -> None:
    with another_neo4j() as (bolt, http):
        ours = Server("java", "5", bolt, http, str(tmp_path), "kept", "1g", "1g", pid=2**22 + 1, password="ours")
        with pytest.raises(server.Neo4jError, match=f"Another program has port {bolt} "):
            server.wait_until_ready(ours, 30)


def test_a_password_refused_by_our_own_server_is_reported(tmp_path: Path) -> None:
    with another_neo4j() as (bolt, http):
        ours = Server("java", "5", bolt, http, str(tmp_path), "kept", "1g", "1g", pid=2**22 + 1, password="ours")
        (tmp_path / "logs").mkdir()
        log = f"INFO  Bolt enabled on localhost:{bolt}.\nINFO  HTTP enabled on 127.0.0.1:{http}.\n"
        (tmp_path / "logs" / "console.log").write_text(log)
        with pytest.raises(server.Neo4jError, match="refuses this password"):
            server.wait_until_ready(ours, 30)


def test_address_user_and_password_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    server.show(Server("java", "5", 17687, 17474, str(tmp_path), "kept", "1g", "1g", password="s3cret-one"))
    printed = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert (printed["Bolt"], printed["User"]) == ("bolt://127.0.0.1:17687", "neo4j")
    assert printed["Password"] == f"s3cret-one (kept in {tmp_path}/password)"


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_the_make_target_accepts_ports() -> None:
    command = ["make", "--no-print-directory", "-n", "neo4j", "BOLT_PORT=17687", "HTTP_PORT=17474"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "--bolt-port 17687 --http-port 17474" in " ".join(printed.split())
