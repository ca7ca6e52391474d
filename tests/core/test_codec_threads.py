"""Tests that threads never build a msgspec decoder for a type at the same time, which crashes the process."""

import ast
import subprocess
import sys

import pytest

from tests.conftest import ROOT

BY_MANY_THREADS = """
import sys, threading
from pipelines.core import codec
from pipelines.core.outcome import Status
from pipelines.parse.parsed import Parsed
sys.setswitchinterval(1e-6)
data = {"decode": codec.encode, "unpack": codec.pack}[sys.argv[1]](Parsed(Status.EMPTY))
start = threading.Barrier(8)
def read():
    start.wait()
    getattr(codec, sys.argv[1])(data, Parsed)
threads = [threading.Thread(target=read) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
PROCESSES = 12


@pytest.mark.parametrize("way", ["decode", "unpack"])
def test_concurrent_first_decoding_of_a_type_does_not_crash_the_process(way: str) -> None:
    codes = [
        subprocess.run([sys.executable, "-c", BY_MANY_THREADS, way], check=False, cwd=ROOT).returncode
        for _ in range(PROCESSES)
    ]
    assert codes == [0] * PROCESSES


def test_typed_decoding_is_only_done_in_the_codec_module() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for package in ("pipelines", "qa", "evaluate", "serve", "flows")
        for path in sorted((ROOT / package).rglob("*.py"))
        if path != ROOT / "pipelines" / "core" / "codec.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _decodes_a_type(node)
    ]
    assert found == []


def _decodes_a_type(call: ast.Call) -> bool:
    name = ast.unparse(call.func)
    if name in ("msgspec.convert", "msgspec.json.Decoder", "msgspec.msgpack.Decoder"):
        return True
    typed = len(call.args) > 1 or any(word.arg == "type" for word in call.keywords)
    return name in ("msgspec.json.decode", "msgspec.msgpack.decode") and typed
